import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { describeApp } from '../../../../../../test/support/app.ts';

const root = '/ga4gh/drs/v1';
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

describeApp('DRS', (app) => {
  test('an object has size and checksum, and its address returns the bytes without a key', async () => {
    const project = await TestProject.make(app.call, 'Objects');
    const file = await project.upload('folder/a.txt', 'some bytes');
    const { status, body } = await app.call('GET', `${root}/objects/${file}`);
    assert.equal(status, 200);
    const id = `${file}.${digestOf('some bytes')}`;
    assert.deepEqual(
      [body.id, body.name, body.size, body.checksums],
      [id, 'a.txt', 10, [{ type: 'sha-256', checksum: digestOf('some bytes') }]],
    );
    assert.match(body.self_uri, new RegExp(`^drs://[^/]+/${id}$`));
    const [{ access_id: way }] = body.access_methods;
    const access = await app.call('GET', `${root}/objects/${id}/access/${way}`);
    assert.equal(await (await fetch(access.body.url)).text(), 'some bytes');
    assert.equal((await app.call('GET', `${root}/objects/${id}/access/other`)).status, 404);
  });

  test('an id with a digest names its bytes only: after an overwrite it is gone', async () => {
    const project = await TestProject.make(app.call, 'Overwritten');
    const file = await project.upload('a.txt', 'first');
    const id = `${file}.${digestOf('first')}`;
    assert.equal((await app.call('GET', `${root}/objects/${id}`)).status, 200);
    await project.upload('a.txt', 'second');
    const gone = await app.call('GET', `${root}/objects/${id}`);
    assert.deepEqual([gone.status, gone.body.status_code, typeof gone.body.msg], [404, 404, 'string']);
    assert.equal((await app.call('GET', `${root}/objects/${id}/access/https`)).status, 404);
  });

  test('policies decide: strangers get 404, members without readData 403', async () => {
    const project = await TestProject.make(app.call, 'Guarded');
    const file = await project.upload('a.txt', 'text');
    const ask = async (key: string, path = '') =>
      (await app.call('GET', `${root}/objects/${file}${path}`, { key })).status;
    const stranger = await app.people.owner('drs-strangers');
    const member = await app.people.member(app.account, ['createData']);
    const reader = await app.people.member(app.account, ['readData']);
    for (const path of ['', '/access/https'])
      assert.deepEqual(
        [await ask(stranger.key, path), await ask(member.key, path), await ask(reader.key, path)],
        [404, 403, 200],
      );
  });

  test('service-info is public and names the standard', async () => {
    const info = await app.call('GET', `${root}/service-info`, { key: undefined });
    assert.equal(info.status, 200);
    assert.deepEqual(info.body.type, { group: 'org.ga4gh', artifact: 'drs', version: '1.4.0' });
  });
});
