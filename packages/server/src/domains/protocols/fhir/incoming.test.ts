import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { type CallOptions, describeApp, type Reply } from '../../../../../../test/support/app.ts';
import { until } from '../../../../../../test/support/until.ts';

const weight =
  '{"resourceType":"Observation","id":"w","status":"final","code":{"text":"Weight"},' +
  '"subject":{"reference":"urn:uuid:00000000-0000-4000-8000-000000000001"},"valueQuantity":{"value":70.500}}';
/** Transaction with a new patient, an observation of the patient, and two entries that no ingestion takes. */
const transaction = `{"resourceType":"Bundle","type":"transaction","entry":[
  {"fullUrl":"urn:uuid:00000000-0000-4000-8000-000000000001","resource":{"resourceType":"Patient","gender":"female"},
   "request":{"method":"POST","url":"Patient"}},
  {"resource":${weight},"request":{"method":"PUT","url":"Observation/w"}},
  {"request":{"method":"DELETE","url":"Observation?code=x"}},
  {"resource":{"resourceType":"Basic"},"request":{"method":"POST","url":"Basic"}}]}`;

describeApp('resources that are posted to the FHIR base', (app) => {
  let base = '';

  before(async () => {
    const project = await TestProject.make(app.call, 'Incoming');
    base = `/${app.account}/v1/fhir/${project.id}`;
  });

  const post = (body: string, options: CallOptions = {}, path = base): Promise<Reply> =>
    app.call('POST', path, {
      ...{ body, ...options },
      headers: { 'content-type': 'application/fhir+json', ...options.headers },
    });
  const placeOf = ({ headers }: Reply): string =>
    (headers.get('content-location') ?? '').slice(app.address.length);
  const endOf = async (sent: Reply): Promise<Reply> => {
    assert.deepEqual([sent.status, sent.body.resourceType], [202, 'OperationOutcome'], sent.text);
    let state = sent;
    await until(async () => {
      state = await app.call('GET', placeOf(sent));
      if (state.status === 202)
        assert.ok(state.headers.get('x-progress') && state.headers.get('retry-after'));
      return state.status !== 202;
    }, 'the ingestion ended');
    assert.equal(state.headers.get('content-type'), 'application/fhir+json; charset=utf-8');
    return state;
  };
  const textsOf = ({ body }: Reply): string[] =>
    body.issue.map(
      ({ severity, details }: { severity: string; details: { text: string } }) =>
        `${severity}: ${details.text}`,
    );

  test('a Bundle is read as it was sent, and its result reports what was read, kept and left out', async () => {
    const sent = await post(transaction);
    assert.match(placeOf(sent), new RegExp(`^${base.replaceAll('/', '\\/')}/\\$ingestion/[\\w-]+$`));
    const end = await endOf(sent);
    assert.equal(end.status, 200, end.text);
    const texts = textsOf(end).join('\n');
    for (const expected of [
      /information: Resources, with those left out: 4\. Rows of each table: .*patient 1/,
      /warning: Left out: 1 \(Basic without an id/,
      /warning: .*DELETE/,
    ])
      assert.match(texts, expected);
    const read = await app.call('GET', `${base}/Observation/w`);
    assert.equal(read.text, weight);
    const patient = '00000000-0000-4000-8000-000000000001';
    assert.equal((await app.call('GET', `${base}/Patient/${patient}`)).body.gender, 'female');
    const found = await app.call('GET', `${base}/Observation?patient=${patient}`);
    assert.equal(found.body.total, 1, 'the reference is resolved');
    assert.equal((await app.call('DELETE', placeOf(sent))).body.issue[0].diagnostics, 'INGESTION_ENDED');
  });

  test('one resource, NDJSON, gzip and an address with a slash are taken alike', async () => {
    const resource = (id: string) => JSON.stringify({ resourceType: 'Practitioner', id });
    const sent = [
      await post(resource('alone')),
      await post(`${resource('line-1')}\n${resource('line-2')}\n`, {
        headers: { 'content-type': 'application/fhir+ndjson' },
      }),
      await post(resource('slash'), {}, `${base}/`),
    ];
    for (const one of sent) assert.equal((await endOf(one)).status, 200);
    const packed = await fetch(`${app.address}${base}`, {
      method: 'POST',
      headers: { authorization: app.key, 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync(resource('packed')),
    });
    const place = (packed.headers.get('content-location') ?? '').slice(app.address.length);
    await until(async () => (await app.call('GET', place)).status === 200, 'the packed resource is ingested');
    const all = await app.call('GET', `${base}/Practitioner?_total=accurate`);
    assert.deepEqual(
      all.body.entry.map(({ resource: { id } }: { resource: { id: string } }) => id),
      ['alone', 'line-1', 'line-2', 'packed', 'slash'],
    );
  });

  test('a repetition with its Idempotency-Key starts nothing, and another body under it is refused', async () => {
    const body = JSON.stringify({ resourceType: 'Location', id: 'once' });
    const headers = { 'idempotency-key': 'first-try' };
    const [sent, again] = [await post(body, { headers }), await post(body, { headers })];
    assert.equal(placeOf(again), placeOf(sent));
    const other = await post(body.replace('once', 'more'), { headers });
    assert.deepEqual([other.status, other.body.issue[0].diagnostics], [422, 'IDEMPOTENCY_KEY_REUSED']);
    const replies = await Promise.all(
      [1, 2, 3].map(() => post(body, { headers: { 'idempotency-key': 'at-once' } })),
    );
    const places = new Set(replies.filter(({ status }) => status === 202).map(placeOf));
    assert.equal(places.size, 1);
    for (const { status, body: answer } of replies)
      if (status !== 202) assert.equal(answer.issue[0].diagnostics, 'IDEMPOTENCY_KEY_BUSY');
    const { key } = await app.people.member(app.account, ['createData', 'readData']);
    assert.notEqual(placeOf(await post(body, { headers, key })), placeOf(sent), 'keys are of one caller');
  });

  test('a body without FHIR ends in an OperationOutcome, and one without JSON is refused at once', async () => {
    for (const [body, expected] of [
      ['{"resourceType":"Patient","id":"x"', /Nothing of it is visible/],
      ['{"a":1}', /Nothing of it is visible/],
    ] as const) {
      const end = await endOf(await post(body));
      assert.deepEqual([end.status, end.body.issue[0].severity], [422, 'error'], end.text);
      assert.match(end.body.issue[0].details.text, expected);
    }
    const refused: [status: number, code: string, options: CallOptions, body: string][] = [
      [415, 'not-supported', { headers: { 'content-type': 'application/fhir+xml' } }, '<Patient/>'],
      [415, 'not-supported', { headers: { 'content-encoding': 'br' } }, '{}'],
      [400, 'invalid', {}, ''],
      [400, 'invalid', { headers: { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' } }, '{}'],
    ];
    for (const [status, code, options, body] of refused) {
      const reply = await post(body, options);
      assert.deepEqual([reply.status, reply.body.issue?.[0].code], [status, code], reply.text);
    }
  });

  test('a POST needs createData, and only readers of its ingestion follow it', async () => {
    const body = JSON.stringify({ resourceType: 'Location', id: 'mine' });
    const reader = await app.people.member(app.account, ['readData']);
    assert.equal((await post(body, { key: reader.key })).status, 403);
    const one = { 'resource.subject': { comparison: 'equals', value: 'x' } } as const;
    const limited = await app.people.member(app.account, ['readData'], one);
    assert.equal((await post(body, { key: limited.key })).status, 403);
    const sender = await app.people.member(app.account, ['createData']);
    const sent = await post(body, { key: sender.key });
    const own = await app.call('GET', placeOf(sent), { key: sender.key });
    assert.ok([200, 202].includes(own.status), own.text);
    const stranger = await app.people.owner('strangers of incoming');
    const other = await TestProject.make(app.call, 'Elsewhere');
    for (const [path, key] of [
      [placeOf(sent), stranger.key],
      [placeOf(sent).replace(/fhir\/[^/]+/, `fhir/${other.id}`), sender.key],
    ] as const)
      assert.equal((await app.call('GET', path, { key })).status, 404);
    assert.equal((await post(body, { key: stranger.key })).status, 404);
  });
});
