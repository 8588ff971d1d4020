import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../test/support/app.ts';
import type { Person } from '../../../../../../test/support/people.ts';
import { keyHolders } from '../../authentication/credentials/holders.fixture.ts';
import { Callers } from '../../identity/callers/index.ts';
import { UploadRights } from './upload-rights.ts';

describeApp('rights of uploads that take the name of another file', (app) => {
  let project: string;

  before(async () => {
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Two files' } })).body.id;
  });

  const textOf = async (id: string) => (await app.call('GET', `/v1/files/${id}`)).text;
  const updating = ['updateData', 'createData', 'apiKeyUser'];
  /** Grants a user these privileges on projects not granted or withdrawn before. */
  const allow = async ({ userId }: Person, resource: object, privileges = updating): Promise<void> => {
    const rule = { 'user.id': { comparison: 'equals', value: userId } };
    const rules = privileges.map((name) => [name, [name === 'apiKeyUser' ? rule : { ...rule, ...resource }]]);
    const policy = {
      name: `rights ${Object.keys(resource)} of ${userId}`,
      policy: { rules: Object.fromEntries(rules) },
    };
    const made = await app.call('POST', '/v1/policies', { body: policy });
    assert.ok(made.status < 300, made.text);
  };
  const only = (what: string, value: string) => ({ [`resource.${what}`]: { comparison: 'equals', value } });

  test('a file under another file’s name replaces both only with rights to both when the bytes arrive', async () => {
    const [id, named] = [
      await app.put(project, 'own.txt', 'old'),
      await app.put(project, 'theirs.txt', 'theirs'),
    ];
    const sender = await app.people.member(app.account, ['updateData', 'createData']);
    const body = { id, name: 'theirs.txt', datasetId: project, overwrite: true };
    const begun = await app.call('POST', '/v1/files', { key: sender.key, body });
    assert.equal(begun.status, 200, begun.text);
    const put = () => fetch(begun.body.uploadUrl, { method: 'PUT', body: 'new' });
    await app.people.withdraw(sender);
    await allow(sender, only('id', id));
    assert.equal((await put()).status, 403);
    assert.deepEqual([await textOf(id), await textOf(named)], ['old', 'theirs']);
    await allow(sender, {});
    assert.equal((await put()).status, 200);
    assert.equal(await textOf(id), 'new');
    assert.equal((await app.call('GET', `/v1/files/${named}`)).status, 404);
  });

  test('an upload without overwrite gets 409 for a name taken meanwhile, not 403', async () => {
    const id = await app.put(project, 'before.txt', 'old');
    const sender = await app.people.member(app.account, ['updateData'], only('id', id));
    const body = { id, name: 'after.txt', datasetId: project };
    const begun = await app.call('POST', '/v1/files', { key: sender.key, body });
    await app.put(project, 'after.txt', 'first');
    const sent = await fetch(begun.body.uploadUrl, { method: 'PUT', body: 'new' });
    const { code } = (await sent.json()) as { code: string };
    assert.deepEqual([sent.status, code, await textOf(id)], [409, 'FILE_EXISTS', 'old']);
  });

  const sendParts = async (sender: Person, body: object): Promise<{ id: string; uploadId: string }> => {
    const { key } = sender;
    const begun = await app.call('POST', '/v1/uploads', { key, body: { datasetId: project, ...body } });
    assert.equal(begun.status, 200, begun.text);
    const part = await app.call('GET', `/v1/uploads/${begun.body.uploadId}/parts/1`, { key });
    assert.equal((await fetch(part.body.uploadUrl, { method: 'PUT', body: 'new' })).status, 200);
    return begun.body;
  };

  test('parts under another file’s name replace both only with rights to both at completion', async () => {
    const sender = await app.people.member(app.account, ['updateData', 'createData']);
    const begun = await app.call('POST', '/v1/files', {
      key: sender.key,
      body: { name: 'own-parts.txt', datasetId: project },
    });
    assert.equal((await fetch(begun.body.uploadUrl, { method: 'PUT', body: 'old' })).status, 200);
    const { id } = begun.body;
    const named = await app.put(project, 'their-parts.txt', 'theirs');
    const { uploadId } = await sendParts(sender, { id, name: 'their-parts.txt', overwrite: true });
    const complete = () => app.call('DELETE', `/v1/uploads/${uploadId}`, { key: sender.key });
    await app.people.withdraw(sender);
    await allow(sender, only('ownerId', sender.userId));
    assert.equal((await complete()).status, 403);
    assert.deepEqual([await textOf(id), await textOf(named)], ['old', 'theirs']);
    await allow(sender, {});
    assert.equal((await complete()).status, 204);
    assert.equal(await textOf(id), 'new');
    assert.equal((await app.call('GET', `/v1/files/${named}`)).status, 404);
  });

  test('parts that overwrite delete no file created under their name after the right was withdrawn', async () => {
    const sender = await app.people.member(app.account, ['updateData', 'createData']);
    const { uploadId } = await sendParts(sender, { name: 'free.txt', overwrite: true });
    const came = await app.put(project, 'free.txt', 'came');
    await app.people.withdraw(sender);
    await allow(sender, {}, ['createData', 'apiKeyUser']);
    const path = `/v1/uploads/${uploadId}`;
    assert.equal((await app.call('DELETE', path, { key: sender.key })).status, 403);
    assert.equal(await textOf(came), 'came');
    assert.equal((await app.call('DELETE', path)).status, 204, 'who may replace it joins them');
  });

  test('an upload to a file renamed meanwhile needs no right to the file that has the old name', async () => {
    const id = await app.put(project, 'first-name.txt', 'old');
    const sender = await app.people.member(app.account, ['updateData', 'createData']);
    const body = { id, name: 'first-name.txt', datasetId: project, overwrite: true };
    assert.equal((await app.call('POST', '/v1/files', { key: sender.key, body })).status, 200);
    const { records } = app.people;
    const ofFile = records.read.selectFrom('uploads').selectAll().where('file_id', '=', id);
    const begun = await ofFile.orderBy('id', 'desc').executeTakeFirstOrThrow();
    await app.people.withdraw(sender);
    await allow(sender, only('id', id));
    const renamed = await app.call('PATCH', `/v1/files/${id}`, { body: { name: 'second-name.txt' } });
    assert.equal(renamed.status, 200, renamed.text);
    await app.put(project, 'first-name.txt', 'another');
    const rights = new UploadRights(records, new Callers(records), keyHolders(app.app.core));
    await rights.require(begun, begun.via);
  });
});
