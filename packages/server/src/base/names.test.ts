import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeApp } from '../../../../test/support/app.ts';

describeApp('names', (app) => {
  const found = async (list: string, name: string): Promise<unknown[]> => {
    const { status, body } = await app.call('GET', `/v1/${list}name=${encodeURIComponent(name)}`);
    assert.equal(status, 200);
    return body.items.map((one: { id: string }) => one.id);
  };
  const make = async (path: string, body: object): Promise<string> => {
    const reply = await app.call('POST', `/v1/${path}`, { body });
    assert.ok(reply.status < 300, reply.text);
    return reply.body.id;
  };

  const upload = async (datasetId: string, name: string): Promise<string> => {
    const { body } = await app.call('POST', '/v1/files', { body: { name, datasetId } });
    assert.equal((await fetch(body.uploadUrl, { method: 'PUT', body: 'x' })).status, 200);
    return body.id;
  };

  test('every list finds Greek names by any prefix, in capitals and in small letters', async () => {
    const name = 'ΟΔΥΣΣΕΥΣ Σ';
    const project = await make('projects', { name });
    await make('projects', { name: 'ΟΔΥΣΕΙΑ' });
    const file = await upload(project, name);
    const policy = { rules: { readData: true } };
    const { id: user } = (await app.call('PATCH', '/v1/user', { body: { profile: { name } } })).body;
    const made: [string, string][] = [
      ['projects?', project],
      ['account/groups?', await make('account/groups', { name })],
      ['policies?', await make('policies', { name, policy })],
      [`cohorts?projectId=${project}&`, await make('cohorts', { name, ownerProject: project })],
      ['account/users?', user],
      [`files?datasetId=${project}&`, file],
    ];
    for (const [list, id] of made) {
      for (let length = 4; length <= name.length; length++) {
        const beginning = name.slice(0, length);
        const texts = [beginning, beginning.toLowerCase(), beginning.toLowerCase().replaceAll('ς', 'σ')];
        for (const text of texts) assert.ok((await found(list, text)).includes(id), `${list}${text}`);
      }
      assert.deepEqual(await found(list, 'ΟΔΥΣΣ'), [id], list);
      assert.deepEqual(await found(list, 'ΟΔΥΣΣΙ'), [], list);
    }
  });
});
