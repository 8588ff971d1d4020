import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp, type Reply } from '../../../../../../test/support/app.ts';
import { newId } from '../../../base/ids.ts';

describeApp('reports', (app) => {
  let project: string;
  let reader: { key: string; userId: string };

  before(async () => {
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Reporting' } })).body.id;
    reader = await app.people.member(app.account, ['readMaskedData']);
  });

  const call = (method: string, id = '', rest: object = {}): Promise<Reply> =>
    app.call(method, `/v1/projects/${project}/reports${id && `/${id}`}`, rest);
  const text = (id: string, words = 'Words') => ({ id, kind: 'text', text: words });
  const figure = (id: string) => ({
    ...{ id, kind: 'figure', title: 'Sex', page: 'study', state: 'filter=%5B%5D', chart: 'patient.gender' },
    version: 3,
  });
  const make = async (parts: object[], shared = false): Promise<Reply> => {
    const reply = await call('POST', '', { body: { name: newId(), parts, shared } });
    assert.equal(reply.status, 200, reply.text);
    return reply;
  };

  test('a report is read, replaced and deleted; lists leave its parts out', async () => {
    const made = await make([text('a'), figure('b')]);
    const { parts, ...item } = made.body;
    assert.equal(parts.length, 2);
    assert.deepEqual((await call('GET', item.id)).body, made.body);
    const { items } = (await call('GET')).body;
    assert.deepEqual(items, [item]);
    const body = { name: 'Other', parts: [figure('b')] };
    const replaced = await call('PUT', item.id, { body });
    assert.deepEqual([replaced.body.name, replaced.body.parts.length], ['Other', 1]);
    assert.equal((await call('DELETE', item.id)).status, 204);
    assert.equal((await call('GET', item.id)).status, 404);
  });

  test('the keeper of a figure and the time are noted once; a client cannot change them', async () => {
    const made = await make([figure('a')], true);
    const [{ kept }] = made.body.parts;
    const owner = (await app.call('GET', '/v1/user')).body.id;
    assert.equal(kept.by, owner);
    const forged = { ...figure('a'), kept: { by: 'somebody', time: '2000-01-01T00:00:00.000Z' } };
    const admin = await app.people.member(app.account, ['projectAdmin', 'readData']);
    const body = { name: 'Changed', shared: true, parts: [figure('b'), forged] };
    const changed = await call('PUT', made.body.id, { key: admin.key, body });
    assert.deepEqual(
      changed.body.parts.map((part: { id: string; kept: { by: string } }) => [part.id, part.kept.by]),
      [
        ['b', admin.userId],
        ['a', owner],
      ],
    );
    assert.deepEqual(changed.body.parts[1].kept, kept);
  });

  test('a change of another state is refused, and one of two at once', async () => {
    const made = await make([text('a')]);
    const etag = String(made.headers.get('etag'));
    const put = (words: string, ifMatch?: string): Promise<Reply> =>
      call('PUT', made.body.id, {
        ...(ifMatch && { headers: { 'if-match': ifMatch } }),
        body: { name: made.body.name, parts: [text('a', words)] },
      });
    const both = await Promise.all([put('one', etag), put('two', etag)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 412]);
    const now = await call('GET', made.body.id);
    assert.notEqual(now.headers.get('etag'), etag);
    assert.equal((await put('three', etag)).status, 412);
    assert.equal((await put('four', String(now.headers.get('etag')))).status, 200);
    assert.equal((await put('five')).status, 200);
  });

  test('readers of masked data read shared reports; private ones are unknown to them', async () => {
    const [open, closed] = [await make([text('a')], true), await make([text('a')])];
    const of = (key: string) => ({ key });
    assert.equal((await call('GET', open.body.id, of(reader.key))).status, 200);
    assert.equal((await call('GET', closed.body.id, of(reader.key))).status, 404);
    const change = { ...of(reader.key), body: { name: 'x', parts: [] } };
    assert.equal((await call('PUT', open.body.id, change)).status, 403);
    const writer = await app.people.member(app.account, ['createData']);
    assert.equal((await call('GET', open.body.id, of(writer.key))).status, 403);
    const stranger = await app.people.owner(`strangers-${newId()}`);
    assert.equal((await call('GET', open.body.id, of(stranger.key))).status, 404);
  });

  test('a saved query is no report, and a report no saved query', async () => {
    const { id } = (await make([])).body;
    const queries = `/v1/projects/${project}/saved-queries`;
    assert.equal((await app.call('GET', `${queries}/${id}`)).status, 404);
    const saved = await app.call('POST', queries, { body: { name: 'Query', statement: 'SELECT 1' } });
    assert.equal((await call('GET', saved.body.id)).status, 404);
    assert.equal((await app.call('GET', queries)).body.items.length, 1);
  });

  test('unknown fields of a part are not kept', async () => {
    const { body } = await make([
      { ...text('a'), more: 'x' },
      { ...figure('b'), more: 'x' },
    ]);
    assert.ok(!(await call('GET', body.id)).text.includes('more'));
  });

  test('parts beyond the limits are 400 with their place', async () => {
    const faults: [object[], string][] = [
      [[text('a'), figure('a')], 'body/parts/1/id'],
      [Array.from({ length: 101 }, (_, at) => text(`t${at}`)), 'body/parts'],
      [[text('a', 'x'.repeat(20_001))], 'body/parts/0'],
      [[{ ...figure('a'), page: 'https://elsewhere.example' }], 'body/parts/0'],
    ];
    for (const [parts, path] of faults) {
      const { status, body } = await call('POST', '', { body: { name: 'Faults', parts } });
      assert.equal(status, 400);
      assert.ok(body.details?.[0]?.path.startsWith(path), JSON.stringify(body));
    }
  });
});
