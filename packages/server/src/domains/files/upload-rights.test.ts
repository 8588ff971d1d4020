import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../test/support/app.ts';

describeApp('rights of uploads that take the name of another file', (app) => {
  let project: string;

  before(async () => {
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Two files' } })).body.id;
  });

  const textOf = async (id: string) => (await app.call('GET', `/v1/files/${id}`)).text;

  test('a file under another’s name replaces both only if its sender may replace both when the bytes come', async () => {
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
    const allow = async (resource: object) => {
      const rule = { 'user.id': { comparison: 'equals', value: sender.userId }, ...resource };
      const rules = { updateData: [rule], createData: [rule], apiKeyUser: [rule] };
      const policy = { name: `rights ${Object.keys(resource)} of ${id}`, policy: { rules } };
      const made = await app.call('POST', '/v1/policies', { body: policy });
      assert.ok(made.status < 300, made.text);
    };
    await allow({ 'resource.id': { comparison: 'equals', value: id } });
    assert.equal((await put()).status, 403);
    assert.deepEqual([await textOf(id), await textOf(named)], ['old', 'theirs']);
    await allow({});
    assert.equal((await put()).status, 200);
    assert.equal(await textOf(id), 'new');
    assert.equal((await app.call('GET', `/v1/files/${named}`)).status, 404);
  });

  test('who did not ask to overwrite is told of a name that is taken by then, not of rights to who has it', async () => {
    const id = await app.put(project, 'before.txt', 'old');
    const only = { 'resource.id': { comparison: 'equals', value: id } };
    const sender = await app.people.member(app.account, ['updateData'], only);
    const body = { id, name: 'after.txt', datasetId: project };
    const begun = await app.call('POST', '/v1/files', { key: sender.key, body });
    await app.put(project, 'after.txt', 'first');
    const sent = await fetch(begun.body.uploadUrl, { method: 'PUT', body: 'new' });
    const { code } = (await sent.json()) as { code: string };
    assert.deepEqual([sent.status, code, await textOf(id)], [409, 'FILE_EXISTS', 'old']);
  });
});
