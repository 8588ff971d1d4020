import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp, type Reply } from '../../../../../test/support/app.ts';

describeApp('ids announced under a name', (app) => {
  let project: string;

  before(async () => {
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Announced' } })).body.id;
  });

  const begin = async (body: object): Promise<Reply> => {
    const reply = await app.call('POST', '/v1/files', { body: { datasetId: project, ...body } });
    assert.equal(reply.status, 200, reply.text);
    return reply;
  };
  const put = async ({ body }: Reply, content: string): Promise<void> =>
    assert.equal((await fetch(body.uploadUrl, { method: 'PUT', body: content })).status, 200);
  const textOf = async (id: string) => (await app.call('GET', `/v1/files/${id}`)).text;

  test('the id of an uploaded and deleted file is not reused for its name', async () => {
    const body = { name: 'deleted.txt', overwrite: true };
    const first = await begin(body);
    await put(first, 'first');
    assert.equal((await app.call('DELETE', `/v1/files/${first.body.id}`)).status, 204);
    const second = await begin(body);
    assert.notEqual(second.body.id, first.body.id);
    await put(second, 'second');
    assert.equal((await app.call('GET', `/v1/files/${first.body.id}`)).status, 404);
  });

  test('the id of a file moved away and deleted there is not reused for its name', async () => {
    const elsewhere = (await app.call('POST', '/v1/projects', { body: { name: 'Where it went' } })).body.id;
    const body = { name: 'left.txt', overwrite: true };
    const [first, second] = [await begin(body), await begin(body)];
    const { id } = first.body;
    assert.equal(second.body.id, id);
    await put(first, 'first');
    const moved = await app.call('PATCH', `/v1/files/${id}`, { body: { datasetId: elsewhere } });
    assert.equal(moved.status, 200, moved.text);
    assert.equal((await app.call('DELETE', `/v1/files/${id}`)).status, 204);
    assert.notEqual((await begin(body)).body.id, id);
  });

  test('an overwrite of a name does not get the id of a file about to be renamed to it', async () => {
    const id = await app.put(project, 'old-name.txt', 'kept');
    const renaming = await begin({ id, name: 'new-name.txt' });
    const other = await begin({ name: 'new-name.txt', overwrite: true });
    assert.deepEqual([renaming.body.id, other.body.id === id], [id, false]);
    await put(other, 'another file');
    assert.deepEqual([await textOf(id), await textOf(other.body.id)], ['kept', 'another file']);
  });
});
