import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../test/support/app.ts';

describeApp('uploads that are not complete', (app) => {
  let project: string;

  before(async () => {
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Unfinished' } })).body.id;
  });

  const begin = async (name: string, key?: string): Promise<string> => {
    const body = { name, datasetId: project, size: 9 };
    const reply = await app.call('POST', '/v1/uploads', { body, ...(key && { key }) });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.uploadId;
  };
  const partUrl = async (id: string, key?: string): Promise<string> =>
    (await app.call('GET', `/v1/uploads/${id}/parts/1`, key ? { key } : {})).body.uploadUrl;
  const abort = (id: string, key?: string) =>
    app.call('DELETE', `/v1/uploads/${id}/parts`, key ? { key } : {});
  const listed = async (key?: string) =>
    (await app.call('GET', `/v1/projects/${project}/uploads`, key ? { key } : {})).body.items;

  test('own ones are listed with what has arrived, until they are complete or removed', async () => {
    const id = await begin('a.bam');
    const url = await partUrl(id);
    assert.equal((await fetch(url, { method: 'PUT', body: 'four' })).status, 200);
    const [first] = await listed();
    assert.deepEqual(
      [first.uploadId, first.name, first.size, first.parts, first.bytes],
      [id, 'a.bam', 9, 1, 4],
    );
    const rows = await app.people.records.read.selectFrom('upload_parts').selectAll().execute();
    const [key = ''] = rows.map(({ blob_key }) => blob_key);
    const path = join(app.folder, 'blobs', key.slice(0, 2), key);
    assert.ok(existsSync(path));
    assert.equal((await abort(id)).status, 204);
    assert.equal(existsSync(path), false);
    assert.deepEqual(await listed(), []);
    for (const again of [
      await abort(id),
      await app.call('DELETE', `/v1/uploads/${id}`),
      await app.call('GET', `/v1/uploads/${id}/parts/1`),
    ])
      assert.equal(again.status, 404);
    assert.equal((await fetch(url, { method: 'PUT', body: 'late' })).status, 404);
    const { items } = (await app.call('GET', '/v1/audit-events?action=uploads.abort')).body;
    assert.equal(items.length, 1);
  });

  test('a user removes the own upload also without the right to go on; others need a right to delete', async () => {
    const uploader = await app.people.member(app.account, ['createData', 'readData']);
    const id = await begin('b.bam', uploader.key);
    assert.deepEqual(await listed(), []);
    const other = await app.people.member(app.account, ['createData', 'readData']);
    assert.equal((await abort(id, other.key)).status, 403);
    const policy = { rules: { readData: true, apiKeyUser: true } };
    await app.people.withdraw(uploader);
    await app.call('POST', '/v1/policies', { body: { name: 'Readers', policy } });
    assert.equal((await app.call('GET', `/v1/uploads/${id}/parts/1`, uploader)).status, 403);
    assert.equal((await abort(id, uploader.key)).status, 204);
    const second = await begin('c.bam');
    const deleting = await app.people.member(app.account, ['deleteData']);
    assert.equal((await abort(second, deleting.key)).status, 204);
  });
});
