import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CallOptions, describeApp } from '../../../../../test/support/app.ts';
import { silent } from '../../../../../test/support/records.ts';
import { until } from '../../../../../test/support/until.ts';
import { Answer } from '../../api/route.ts';
import { TokenFlow } from '../../domains/authentication/oauth/tests/token-flow.fixture.ts';
import { Idempotency } from './idempotency.ts';

describeApp('idempotency keys', (app) => {
  const headers = (key: string) => ({ 'idempotency-key': key });

  test('a create repeated with the same key and body has the same response and creates nothing twice', async () => {
    const request = { body: { name: 'Once' }, headers: headers('one') };
    const first = await app.call('POST', '/v1/projects', request);
    const again = await app.call('POST', '/v1/projects', request);
    assert.equal(first.status, 200);
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    const list = await app.call('GET', '/v1/projects?name=once');
    assert.equal(list.body.items.length, 1);
  });

  test('a query repeated under its other address is the same query', async () => {
    const datasetId = (await app.call('POST', '/v1/projects', { body: { name: 'Asked' } })).body.id;
    const body = { datasetId, query: 'SELECT 1', outputFileName: 'one.csv' };
    const ask = (prefix: string) =>
      app.call('POST', `${prefix}/v1/analytics/data-lake/query`, { body, headers: headers('query') });
    const first = await ask('/api');
    assert.equal(first.status, 200, first.text);
    const again = await ask('');
    assert.deepEqual([again.status, again.body], [200, first.body]);
    const list = await app.call('GET', `/v1/analytics/data-lake/query?datasetId=${datasetId}`);
    assert.equal(list.body.items.length, 1);
  });

  test('a known key with another body is 422', async () => {
    await app.call('POST', '/v1/projects', { body: { name: 'A' }, headers: headers('two') });
    const other = await app.call('POST', '/v1/projects', { body: { name: 'B' }, headers: headers('two') });
    assert.equal(other.status, 422);
    assert.equal(other.body.code, 'IDEMPOTENCY_KEY_REUSED');
  });

  test('twenty concurrent requests with one key create one resource', async () => {
    const request = { body: { name: 'Together' }, headers: headers('three') };
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => app.call('POST', '/v1/projects', request)),
    );
    const ids = new Set(replies.filter(({ status }) => status === 200).map(({ body }) => body.id));
    assert.equal(ids.size, 1);
    assert.ok(replies.every(({ status, body }) => status === 200 || body.code === 'IDEMPOTENCY_KEY_BUSY'));
  });

  test('a failure is not stored: the same key may succeed later', async () => {
    const request = { body: { name: 'Taken' }, headers: headers('four') };
    const holder = await app.call('POST', '/v1/projects', { body: { name: 'Taken' } });
    assert.equal((await app.call('POST', '/v1/projects', request)).status, 409);
    await app.call('PATCH', `/v1/projects/${holder.body.id}`, { body: { name: 'Moved away' } });
    assert.equal((await app.call('POST', '/v1/projects', request)).status, 200);
  });

  test('the key of one user reveals nothing to another, and an invalid key is refused', async () => {
    const reply = await app.call('POST', '/v1/projects', {
      body: { name: 'x' },
      headers: headers('x'.repeat(256)),
    });
    assert.equal(reply.status, 400);
  });

  test('a response is replayed to the same kind of credential only, not to applications of the user', async () => {
    const flow = await TokenFlow.open(app);
    const token = `Bearer ${(await flow.signIn()).access_token}`;
    const body = { name: 'Of the person', expireInDays: 1 };
    const own = { cookie: flow.cookie, origin: app.address, ...headers('six') };
    const make = (more: CallOptions) => app.call('POST', '/v1/api-keys', { body, ...more });
    const made = await make({ key: undefined, headers: own });
    assert.equal(made.status, 200, made.text);
    const asked = await make({ key: token, headers: headers('six') });
    assert.deepEqual([asked.status, asked.body.code], [403, 'FORBIDDEN']);
    const byKey = await make({ headers: headers('six') });
    assert.notEqual(byKey.body.key, made.body.key);
    const again = await make({ key: undefined, headers: own });
    assert.deepEqual([again.body.key, again.headers.get('idempotency-replayed')], [made.body.key, 'true']);
    const tokens = await flow.signIn();
    for (const key of [
      token,
      `Bearer ${tokens.access_token}`,
      `Bearer ${(await flow.refresh(tokens.refresh_token)).body.access_token}`,
    ]) {
      const project = await app.call('POST', '/v1/projects', {
        key,
        body: { name: 'By a token' },
        headers: headers('seven'),
      });
      assert.equal(project.status, 200, 'tokens are replaced between a request and its repetition');
    }
  });

  test('a response with a longer-lived API key is not replayed to another API key of the user', async () => {
    const make = (name: string, expireInDays: number, more: CallOptions = {}) =>
      app.call('POST', '/v1/api-keys', { body: { name, expireInDays }, ...more });
    const child = (await make('child', 1)).body.key;
    const made = await make('long', 90, { headers: headers('eight') });
    const asked = await make('long', 90, { key: child, headers: headers('eight') });
    assert.notEqual(asked.body.key, made.body.key);
    const again = await make('long', 90, { headers: headers('eight') });
    assert.equal(again.body.key, made.body.key);
  });

  test('a key is free after the restart if a crash interrupted its first request', async () => {
    const row = {
      body_hash: 'x',
      state: 'running' as const,
      status: null,
      body: null,
      headers: null,
      created_at: Date.now(),
    };
    const { records } = app.people;
    await records.transact((tx) =>
      tx
        .insertInto('idempotency_keys')
        .values({ ...row, id: 'cut off' })
        .execute(),
    );
    await new Idempotency(records, undefined as never, silent).releaseInterrupted();
    const left = await records.read
      .selectFrom('idempotency_keys')
      .select('id')
      .where('id', '=', 'cut off')
      .execute();
    assert.deepEqual(left, []);
  });

  const plain = { seal: (text: string) => text, open: (text: string) => text } as never;
  const repeatable = (key: string) => ({
    key,
    rightsKey: 'u',
    method: 'POST',
    url: '/',
    account: 'a',
    body: {},
  });

  test('a completed request is answered and not repeated, even if its response could not be stored', async () => {
    const full = { seal: () => assert.fail('the disk is full') } as never;
    const idempotency = new Idempotency(app.people.records, full, silent);
    let times = 0;
    const work = async () => {
      times += 1;
      return new Answer(200, { made: times });
    };
    assert.deepEqual((await idempotency.once(repeatable('unkept'), work)).body, { made: 1 });
    await assert.rejects(idempotency.once(repeatable('unkept'), work), { code: 'IDEMPOTENCY_KEY_BUSY' });
    assert.equal(times, 1);
  });

  test('an expired attempt does not affect the following one', async () => {
    const { records } = app.people;
    const idempotency = new Idempotency(records, plain, silent);
    const slow = Promise.withResolvers<Answer>();
    const earlier = (await records.read.selectFrom('idempotency_keys').select('id').execute()).map(
      ({ id }) => id,
    );
    const first = idempotency.once(repeatable('slow'), () => slow.promise);
    await until(async () => (await running()).length === 1, 'the first attempt has taken its key');
    const ids = (await running()).map(({ id }) => id);
    const elevenMinutesAgo = Date.now() - 11 * 60_000;
    await records.transact((tx) =>
      tx
        .updateTable('idempotency_keys')
        .set({ created_at: elevenMinutesAgo })
        .where('id', 'in', ids)
        .execute(),
    );
    await idempotency.once(repeatable('slow'), async () => new Answer(200, 'second'));
    slow.reject(new Error('it failed after all'));
    await assert.rejects(first, /after all/);
    const again = await idempotency.once(repeatable('slow'), () => assert.fail('it is kept'));
    assert.equal(again.body, 'second');

    async function running() {
      return records.read
        .selectFrom('idempotency_keys')
        .select('id')
        .where('state', '=', 'running')
        .where('id', 'not in', earlier)
        .execute();
    }
  });

  test('a repetition has the headers of the first response', async () => {
    const policy = { name: 'Kept', policy: { rules: { readData: true } } };
    const request = { body: policy, headers: headers('etag') };
    const [first, again] = [
      await app.call('POST', '/v1/policies', request),
      await app.call('POST', '/v1/policies', request),
    ];
    assert.equal(again.headers.get('idempotency-replayed'), 'true', again.text);
    assert.ok(first.headers.get('etag'));
    assert.equal(again.headers.get('etag'), first.headers.get('etag'));
  });

  test('a POST that only reads is executed again', async () => {
    const request = { body: { policy: { rules: {} } }, headers: headers('reading') };
    const path = '/v1/policies/preview';
    const replies = [await app.call('POST', path, request), await app.call('POST', path, request)];
    assert.deepEqual(
      replies.map((reply) => [reply.status === 409, reply.headers.get('idempotency-replayed')]),
      [
        [false, null],
        [false, null],
      ],
    );
  });

  test('a response with a secret is stored sealed', async () => {
    const request = { body: { name: 'Sealed', expireInDays: 1 }, headers: headers('five') };
    const first = await app.call('POST', '/v1/api-keys', request);
    const again = await app.call('POST', '/v1/api-keys', request);
    assert.equal(again.body.key, first.body.key);
    const rows = await app.people.records.read.selectFrom('idempotency_keys').selectAll().execute();
    assert.ok(
      rows.every(({ headers }) => !headers?.startsWith('{"')),
      'headers are sealed as well',
    );
    assert.ok(rows.length > 0 && rows.every(({ body }) => body === null || !body.includes(first.body.key)));
  });
});
