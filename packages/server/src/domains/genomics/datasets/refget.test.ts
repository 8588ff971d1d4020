/** GA4GH refget 2.0: the requests of its compliance suite, and rights. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { describeApp } from '../../../../../../test/support/app.ts';

const bases = 'ACGTACGTNNACGTTTGACA';
const md5 = createHash('md5').update(bases).digest('hex');
const ga4gh = createHash('sha512').update(bases).digest().subarray(0, 24).toString('base64url');

describeApp('refget', (app) => {
  let root = '';
  before(async () => {
    const project = await TestProject.make(app.call, 'Refget');
    await project.take(
      'r.fa',
      `>chrR AC:CM000663.2\n${bases.slice(0, 12).toLowerCase()}\n${bases.slice(12)}\n>other\nAC\n`,
    );
    root = `/${app.account}/v1/refget/sequence`;
  });
  const get = (path: string, headers: Record<string, string> = {}, key = app.key) =>
    app.call('GET', `${root}/${path}`, { headers, key });

  test('a sequence is found by the digest of GA4GH and by its MD5, in upper case', async () => {
    for (const name of [`ga4gh:SQ.${ga4gh}`, `SQ.${ga4gh}`, md5, md5.toUpperCase(), `md5:${md5}`]) {
      const reply = await get(name);
      assert.deepEqual([reply.status, reply.text], [200, bases], name);
      assert.equal(reply.headers.get('content-type'), 'text/vnd.ga4gh.refget.v2.0.0+plain; charset=us-ascii');
    }
    for (const name of ['wibble', `SQ.${'A'.repeat(32)}`, 'f'.repeat(32), `sha1:${md5}`])
      assert.equal((await get(name)).status, 404, name);
  });

  test('parts are given by start and end, or by a range, and parts outside are refused', async () => {
    const asked: [query: string, range: string | undefined, status: number, text?: string][] = [
      ['?start=0&end=5', undefined, 200, bases.slice(0, 5)],
      ['?start=15', undefined, 200, bases.slice(15)],
      ['?end=5', undefined, 200, bases.slice(0, 5)],
      ['?start=5&end=5', undefined, 200, ''],
      ['?start=20', undefined, 416],
      ['?start=0&end=21', undefined, 416],
      ['?start=5&end=4', undefined, 416],
      ['?start=-1', undefined, 400],
      ['?start=abc&end=5', undefined, 400],
      ['', 'bytes=5-9', 206, bases.slice(5, 10)],
      ['', 'bytes=10-100', 206, bases.slice(10)],
      ['', 'bytes=20-30', 416],
      ['?start=0&end=5', 'bytes=0-4', 400],
    ];
    for (const [query, range, status, text] of asked) {
      const reply = await get(`${md5}${query}`, range === undefined ? {} : { range });
      assert.equal(reply.status, status, `${query} ${range}: ${reply.text}`);
      if (text !== undefined) assert.equal(reply.text, text, query);
      if (status === 200 && query !== '') assert.equal(reply.headers.get('accept-ranges'), 'none');
    }
    const part = await get(md5, { range: 'bytes=5-9' });
    assert.equal(part.headers.get('content-range'), 'bytes 5-9/20');
  });

  test('metadata and capabilities are JSON of refget, and other formats are refused', async () => {
    const { text, headers } = await get(`${md5}/metadata`, { accept: 'application/json' });
    assert.deepEqual(JSON.parse(text).metadata, {
      ...{ md5, ga4gh: `SQ.${ga4gh}`, length: 20 },
      aliases: [
        { alias: 'chrR', naming_authority: 'file' },
        { alias: 'CM000663.2', naming_authority: 'accession' },
      ],
    });
    assert.match(headers.get('content-type') ?? '', /^application\/vnd\.ga4gh\.refget\.v2\.0\.0\+json/);
    const info = JSON.parse((await get('service-info', {}, '')).text);
    assert.deepEqual([info.type.artifact, info.refget.algorithms], ['refget', ['ga4gh', 'md5']]);
    for (const [path, accept] of [
      [md5, 'text/html'],
      [`${md5}/metadata`, 'text/plain'],
      ['service-info', 'text/plain'],
    ] as const)
      assert.equal((await get(path, { accept })).status, 406, path);
  });

  test('a member without the right gets 403, a stranger 404', async () => {
    const member = await app.people.member(app.account, ['createData']);
    assert.equal((await get(md5, {}, member.key)).status, 403);
    const reader = await app.people.member(app.account, ['readData']);
    assert.equal((await get(md5, {}, reader.key)).text, bases);
    const stranger = await app.people.owner('strangers of refget');
    assert.equal((await get(md5, {}, stranger.key)).status, 404);
  });
});
