import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp, type Reply } from '../../../../../../test/support/app.ts';
import { until } from '../../../../../../test/support/until.ts';
import { newId } from '../../../base/ids.ts';
import { savedQueriesMax } from './saved-queries.ts';

describeApp('saved queries', (app) => {
  let project: string;
  /** Keys of members by their rights. */
  const keys: Record<string, string> = {};

  before(async () => {
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Saving' } })).body.id;
    for (const right of ['readData', 'readMaskedData', 'projectAdmin', 'createData'] as const)
      keys[right] = (await app.people.member(app.account, [right])).key;
  });

  const path = (id = '') => `/v1/projects/${project}/saved-queries${id && `/${id}`}`;
  const call = (method: string, id: string, key?: string, body?: object): Promise<Reply> =>
    app.call(method, path(id), { ...(key && { key }), ...(body && { body }) });
  const save = async (body: object, key?: string): Promise<Reply['body']> => {
    const reply = await call('POST', '', key, { name: 'Counts', statement: 'SELECT 1', ...body });
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  const namesFor = async (key: string): Promise<string[]> =>
    (await call('GET', '', key)).body.items.map(({ name }: { name: string }) => name);

  test('a saved query is read, replaced and deleted by its owner; lists leave the statement out', async () => {
    const made = await save({ name: 'Women', description: 'All', statement: 'SELECT gender FROM patient' });
    assert.equal(made.shared, false);
    assert.deepEqual((await call('GET', made.id)).body, made);
    const { statement, ...item } = made;
    const list = await app.call('GET', `${path()}?name=WOM`);
    assert.deepEqual(list.body.items, [item]);
    const replaced = await call('PUT', made.id, undefined, { name: 'Men', statement: 'SELECT 2' });
    const { modificationTime, ...rest } = replaced.body;
    assert.ok(modificationTime >= made.modificationTime);
    const { modificationTime: _, ...before } = made;
    assert.deepEqual(rest, { ...before, name: 'Men', description: '', statement: 'SELECT 2' });
    assert.equal((await call('DELETE', made.id)).status, 204);
    assert.equal((await call('GET', made.id)).status, 404);
    assert.ok(statement);
  });

  test('a private query is 404 for every other member, and in no list of theirs', async () => {
    const { id } = await save({ name: 'Private', statement: 'SELECT 1' });
    for (const key of Object.values(keys)) {
      assert.equal((await call('GET', id, key)).status, 404);
      assert.equal((await call('PUT', id, key, { name: 'x', statement: 'x' })).status, 404);
      assert.equal((await call('DELETE', id, key)).status, 404);
    }
    assert.ok(!(await namesFor(keys['readData'] ?? '')).includes('Private'));
  });

  test('a shared query is read by readers of real and of masked data, and by no others', async () => {
    const { id } = await save({ name: 'Shared', shared: true });
    for (const right of ['readData', 'readMaskedData']) {
      assert.equal((await call('GET', id, keys[right])).body.statement, 'SELECT 1');
      assert.ok((await namesFor(keys[right] ?? '')).includes('Shared'));
    }
    for (const right of ['createData', 'projectAdmin']) {
      assert.equal((await call('GET', id, keys[right])).status, 403);
      assert.equal((await call('GET', '', keys[right])).status, 403);
    }
    const stranger = await app.people.owner(`strangers-${newId()}`);
    assert.equal((await call('GET', id, stranger.key)).status, 404);
  });

  test('a shared query is changed and deleted by its owner and with projectAdmin only; its owner stays', async () => {
    const made = await save({ name: 'Guarded', shared: true }, keys['readMaskedData']);
    const change = { name: 'Changed', statement: 'SELECT 3', shared: true };
    assert.equal((await call('PUT', made.id, keys['readData'], change)).status, 403);
    assert.equal((await call('DELETE', made.id, keys['readData'])).status, 403);
    const changed = await call('PUT', made.id, keys['projectAdmin'], change);
    assert.deepEqual([changed.body.name, changed.body.ownerId], ['Changed', made.ownerId]);
    const hidden = await call('PUT', made.id, keys['readMaskedData'], { ...change, shared: false });
    assert.equal(hidden.body.shared, false);
    assert.equal((await call('DELETE', made.id, keys['projectAdmin'])).status, 404);
    await call('PUT', made.id, keys['readMaskedData'], change);
    assert.equal((await call('DELETE', made.id, keys['projectAdmin'])).status, 204);
  });

  test('a reader of one patient keeps own queries and sees no shared one', async () => {
    const rule = { 'resource.subject': { comparison: 'equals', value: 'p1' } };
    const { key } = await app.people.member(app.account, ['readData'], rule);
    const shared = await save({ name: 'Of all', shared: true });
    const own = await save({ name: 'Own' }, key);
    assert.deepEqual(await namesFor(key), ['Own']);
    assert.equal((await call('GET', own.id, key)).status, 200);
    assert.equal((await call('GET', shared.id, key)).status, 403);
  });

  test('an id under another project is 404', async () => {
    const { id } = await save({ shared: true });
    const other = (await app.call('POST', '/v1/projects', { body: { name: newId() } })).body.id;
    for (const method of ['GET', 'DELETE'])
      assert.equal((await app.call(method, `/v1/projects/${other}/saved-queries/${id}`)).status, 404);
  });

  test('creations, changes and deletions are in the audit log, and readings by others, without the statement', async () => {
    const { id } = await save({ statement: "SELECT 'secret'", shared: true });
    await call('GET', id, keys['readData']);
    await call('PUT', id, undefined, { name: 'x', statement: "SELECT 'secret'", shared: true });
    await call('DELETE', id);
    const events = await app.call('GET', `/v1/audit-events?resource=query:${id}`);
    assert.deepEqual(
      events.body.items.map(({ action }: { action: string }) => action),
      ['savedQueries.delete', 'savedQueries.update', 'savedQueries.read', 'savedQueries.create'],
    );
    assert.ok(!events.text.includes('secret'));
  });

  test('a statement above 64 KiB is 400; a user with the maximum number gets 409', async () => {
    const long = { name: 'Long', statement: 'x'.repeat(65_537) };
    assert.equal((await call('POST', '', undefined, long)).status, 400);
    const { key, userId } = await app.people.member(app.account, ['readData']);
    const first = await save({ name: 'First' }, key);
    await app.people.records.transact(async (tx) => {
      const row = await tx
        .selectFrom('saved_queries')
        .selectAll()
        .where('id', '=', first.id)
        .executeTakeFirstOrThrow();
      assert.equal(row.owner_id, userId);
      const more = Array.from({ length: savedQueriesMax - 2 }, () => ({ ...row, id: newId() }));
      await tx.insertInto('saved_queries').values(more).execute();
    });
    const tries = [1, 2, 3].map(() => call('POST', '', key, { name: 'Race', statement: 'SELECT 1' }));
    const replies = await Promise.all(tries);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409, 409]);
    assert.ok(replies.some(({ body }) => body.code === 'TOO_MANY_SAVED_QUERIES'));
    assert.equal((await call('POST', '', undefined, { name: 'Other', statement: 'SELECT 1' })).status, 200);
  });

  test('saved queries survive a cancelled deletion of the project, and are removed with it', async () => {
    const made = (await app.call('POST', '/v1/projects', { body: { name: newId() } })).body.id;
    const list = `/v1/projects/${made}/saved-queries`;
    const { id } = (await app.call('POST', list, { body: { name: 'Kept', statement: 'SELECT 1' } })).body;
    assert.equal((await app.call('DELETE', `/v1/projects/${made}`)).status, 204);
    await app.call('PATCH', `/v1/projects/${made}`, { body: { deletionDate: '' } });
    assert.equal((await app.call('GET', `${list}/${id}`)).status, 200);
    assert.equal((await app.call('DELETE', `/v1/projects/${made}?force=true`)).status, 204);
    assert.equal((await app.call('GET', `${list}/${id}`)).status, 404);
    const rows = () =>
      app.people.records.read.selectFrom('saved_queries').select('id').where('id', '=', id).execute();
    await until(async () => (await rows()).length === 0, 'the removal of the saved query');
  });
});
