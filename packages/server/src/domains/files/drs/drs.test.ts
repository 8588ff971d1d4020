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

  test('one request answers for many objects, each with its own rights', async () => {
    const project = await TestProject.make(app.call, 'Many');
    const [one, two] = [await project.upload('1.txt', 'one'), await project.upload('2.txt', 'two')];
    const own = await TestProject.make(app.call, 'Own');
    const rule = { 'resource.dataset': { comparison: 'equals', value: own.id } } as const;
    const visible = await own.upload('3.txt', 'three');
    const { key } = await app.people.member(app.account, ['readData'], rule);
    const ids = [one, two, visible, `${visible}.${digestOf('old')}`, 'nothing'];
    const ask = (path: string, body: object, by = app.key) =>
      app.call('POST', `${root}/${path}`, { body, key: by, account: undefined });
    const all = (await ask('objects', { bulk_object_ids: ids })).body;
    assert.deepEqual(
      all.resolved_drs_object.map(({ id }: { id: string }) => id.split('.')[0]),
      [one, two, visible],
    );
    assert.deepEqual(all.summary, { requested: 5, resolved: 3, unresolved: 2 });
    assert.deepEqual(all.unresolved_drs_objects, [{ error_code: 404, object_ids: ids.slice(3) }]);
    const some = (await ask('objects', { bulk_object_ids: ids.slice(0, 3) }, key)).body;
    assert.equal(some.resolved_drs_object.length, 1);
    const alone = await app.call('GET', `${root}/objects/${one}`, { key });
    assert.deepEqual(some.unresolved_drs_objects, [{ error_code: alone.status, object_ids: [one, two] }]);
    const wanted = ids.map((id) => ({ bulk_object_id: id, bulk_access_ids: ['https', 'other'] }));
    const access = (await ask('objects/access', { bulk_object_access_ids: wanted }, key)).body;
    const [address, ...more] = access.resolved_drs_object_access_urls;
    assert.deepEqual([address.drs_object_id, address.drs_access_id, more], [visible, 'https', []]);
    assert.equal(await (await fetch(address.url)).text(), 'three');
    assert.equal(access.summary.unresolved, 9);
    const tooMany = { bulk_object_ids: Array.from({ length: 101 }, () => one) };
    const refused = await ask('objects', tooMany);
    assert.deepEqual([refused.status, refused.body.status_code], [400, 400]);
    const injected = (await ask('objects', { bulk_object_ids: ['../../../v1/user', `${one}/access/https`] }))
      .body;
    assert.equal(injected.summary.resolved, 0);
    assert.equal((await ask('objects', { bulk_object_ids: [one] }, '')).status, 401);
  });

  test('service-info is public and names the standard', async () => {
    const info = await app.call('GET', `${root}/service-info`, { key: undefined });
    assert.equal(info.status, 200);
    assert.deepEqual(info.body.type, { group: 'org.ga4gh', artifact: 'drs', version: '1.4.0' });
  });
});
