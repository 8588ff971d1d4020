import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp, type Reply } from '../../../../../test/support/app.ts';

interface Entry {
  type: string;
  name: string;
  id?: string;
}

describeApp('files by folder', (app) => {
  let project: string;

  before(async () => {
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Folders' } })).body.id;
    for (const name of [
      'a',
      'a/1.txt',
      'a/2/x',
      'a/2/y/z',
      'a.txt',
      'a0',
      'B/1',
      'b/1',
      '50%/_',
      'Ünï/ß',
      '\u{1f600}/x',
      'z',
    ]) {
      await app.put(project, name, name);
    }
  });

  const list = async (query = '', key?: string): Promise<string[]> => {
    const path = `/v1/projects/${project}/files?${query}`;
    const { status, body, text } = await app.call('GET', path, key ? { key } : {});
    assert.equal(status, 200, text);
    return body.items.map(({ type, name }: Entry) => `${type} ${name}`);
  };

  const root = [
    'FOLDER 50%/',
    'FOLDER B/',
    'FILE a',
    'FILE a.txt',
    'FOLDER a/',
    'FILE a0',
    'FOLDER b/',
    'FILE z',
    'FOLDER Ünï/',
    'FOLDER \u{1f600}/',
  ];

  test('a level shows its files, and each folder once, however much it holds', async () => {
    assert.deepEqual(await list(), root);
    assert.deepEqual(await list('prefix=a/'), ['FILE a/1.txt', 'FOLDER a/2/']);
    assert.deepEqual(await list('prefix=a/2/'), ['FILE a/2/x', 'FOLDER a/2/y/']);
    assert.deepEqual(await list('prefix=a/2/y/'), ['FILE a/2/y/z']);
    assert.deepEqual(await list('prefix=a/2'), ['FILE a/2/x', 'FOLDER a/2/y/'], 'nothing else begins so');
    assert.deepEqual(await list('prefix=/a/2'), ['FILE a/2/x', 'FOLDER a/2/y/']);
    assert.deepEqual(await list('prefix=a'), root.slice(2, 6));
    assert.deepEqual(await list('prefix=nothing/'), []);
    const { body } = await app.call('GET', `/v1/projects/${project}/files?prefix=z`);
    const { id, ...file } = body.items[0];
    assert.deepEqual([file.type, file.size, file.datasetId], ['FILE', 1, project]);
    assert.equal((await app.call('GET', `/v1/files/${id}`)).text, 'z');
  });

  test('a prefix is case-sensitive, and %, _ and \\ in it are literal', async () => {
    assert.deepEqual(await list('prefix=50%25/'), ['FILE 50%/_']);
    assert.deepEqual(await list('prefix=_'), []);
    assert.deepEqual(await list('prefix=%5C'), []);
    assert.deepEqual(await list('prefix=%25'), []);
    assert.deepEqual(await list('prefix=B'), ['FILE B/1']);
    assert.deepEqual(await list(`prefix=${encodeURIComponent('\u{1f600}/')}`), ['FILE \u{1f600}/x']);
  });

  test('pages of every size show every entry once', async () => {
    for (let size = 1; size <= root.length + 1; size += 1) {
      const seen: string[] = [];
      let path: string | undefined = `/v1/projects/${project}/files?pageSize=${size}`;
      while (path) {
        const { body }: Reply = await app.call('GET', path);
        assert.ok(body.items.length <= size);
        seen.push(...body.items.map(({ type, name }: Entry) => `${type} ${name}`));
        path = body.links.next;
        assert.ok(path === undefined || path.startsWith(`/v1/projects/${project}/files?`));
      }
      assert.deepEqual(seen, root, `pages of ${size}`);
    }
  });

  test('files and folders without readable content are not shown', async () => {
    const { body } = await app.call('GET', `/v1/files?datasetId=${project}&name=a/2/x`);
    const id = body.items[0].id;
    const one = { 'resource.id': { comparison: 'equals', value: id } };
    const reader = await app.people.member(app.account, ['readData'], one);
    assert.deepEqual(await list('', reader.key), ['FOLDER a/']);
    assert.deepEqual(await list('prefix=a/', reader.key), ['FOLDER a/2/']);
    assert.deepEqual(await list('prefix=a/2/', reader.key), ['FILE a/2/x']);
    const none = await app.people.member(app.account, ['createData']);
    assert.deepEqual(await list('', none.key), []);
  });

  test('an unknown project is 404, and a token of another level is 400', async () => {
    const unknown = '/v1/projects/01990000-0000-7000-8000-00000000000f/files';
    assert.equal((await app.call('GET', unknown)).status, 404);
    const { body } = await app.call('GET', `/v1/projects/${project}/files?pageSize=1`);
    const token = new URL(body.links.next, app.address).searchParams.get('nextPageToken');
    const other = `/v1/projects/${project}/files?prefix=a/&nextPageToken=${token}`;
    assert.equal((await app.call('GET', other)).status, 400);
  });
});
