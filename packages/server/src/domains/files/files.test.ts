import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../test/support/app.ts';

describeApp('files', (app) => {
  let project: string;

  before(async () => {
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Files' } })).body.id;
  });

  const begin = (body: object) => app.call('POST', '/v1/files', { body: { datasetId: project, ...body } });
  const send = (url: string, bytes: string, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'PUT', body: bytes, headers });
  const read = (id: string, headers: Record<string, string> = {}) =>
    app.call('GET', `/v1/files/${id}`, { headers });

  test('a file is neither listed nor readable until its bytes are complete', async () => {
    const { body } = await begin({ name: 'later.txt' });
    assert.equal((await read(body.id)).status, 404);
    const list = () => app.call('GET', `/v1/files?datasetId=${project}&name=later`);
    assert.equal((await list()).body.items.length, 0);
    await send(body.uploadUrl, 'now');
    assert.equal((await read(body.id)).text, 'now');
    assert.equal((await list()).body.items[0].size, 3);
  });

  test('an upload needs no credentials and ignores its content type', async () => {
    const { body } = await begin({ name: 'typed.txt', contentType: 'text/plain' });
    const sent = await send(body.uploadUrl, 'x', { 'content-type': 'application/json' });
    assert.equal(sent.status, 200);
    assert.equal((await read(body.id)).headers.get('content-type'), 'text/plain');
  });

  test('an upload may be repeated, and an overwrite shows the old bytes until the new ones are complete', async () => {
    const { body } = await begin({ name: 'again.txt' });
    await send(body.uploadUrl, 'one');
    assert.equal((await send(body.uploadUrl, 'one')).status, 200);
    const second = await begin({ name: 'again.txt', overwrite: true });
    assert.equal(second.body.id, body.id);
    assert.equal((await read(body.id)).text, 'one');
    await send(second.body.uploadUrl, 'two');
    assert.equal((await read(body.id)).text, 'two');
  });

  test('a name that exists is refused without overwrite, with the words "already exists"', async () => {
    await app.put(project, 'taken.txt', 'x');
    const reply = await begin({ name: 'taken.txt' });
    assert.equal(reply.status, 409);
    assert.match(reply.body.error, /already exists/);
  });

  test('an id chosen by the client names the new file, and overwrites it the next time', async () => {
    const id = '0198c1de-7777-4abc-8def-0123456789ab';
    const first = await begin({ id: id.toUpperCase(), name: 'own-id.txt' });
    assert.equal(first.body.id, id);
    await send(first.body.uploadUrl, 'a');
    const second = await begin({ id, name: 'own-id.txt' });
    assert.equal(second.status, 200);
    await send(second.body.uploadUrl, 'b');
    assert.equal((await read(id)).text, 'b');
    const other = (await app.call('POST', '/v1/projects', { body: { name: 'Elsewhere' } })).body.id;
    assert.equal((await begin({ id, name: 'x', datasetId: other })).status, 404);
  });

  test('bytes that do not match the promised MD5 or size are refused and leave nothing', async () => {
    const md5 = createHash('md5').update('right').digest('base64');
    const { body } = await begin({ name: 'md5.txt', contentMD5: md5, size: 5 });
    assert.equal((await send(body.uploadUrl, 'wrong')).status, 400);
    assert.equal((await send(body.uploadUrl, 'right and more')).status, 400);
    assert.equal((await read(body.id)).status, 404);
    assert.equal((await send(body.uploadUrl, 'right')).status, 200);
    const plain = await begin({ name: 'md5-header.txt' });
    assert.equal((await send(plain.body.uploadUrl, 'wrong', { 'content-md5': md5 })).status, 400);
  });

  test('an empty file can be uploaded', async () => {
    const id = await app.put(project, 'empty.txt', '');
    const reply = await read(id);
    assert.equal(reply.status, 200);
    assert.equal(reply.text, '');
  });

  test('a signed address changed in any part is refused', async () => {
    const { body } = await begin({ name: 'signed.txt' });
    const url = new URL(body.uploadUrl);
    const changes = [
      (it: URL) => it.searchParams.set('expires', '9999999999'),
      (it: URL) =>
        it.searchParams.set('signature', `${url.searchParams.get('signature')}`.replace(/^./, '~')),
      (it: URL) => it.searchParams.delete('signature'),
      (it: URL) => it.searchParams.append('more', '1'),
      (it: URL) => {
        it.pathname = it.pathname.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
      },
    ];
    for (const change of changes) {
      const changed = new URL(url);
      change(changed);
      assert.equal((await send(changed.href, 'x')).status, 403);
    }
    assert.equal((await fetch(url, { method: 'GET' })).status, 405);
  });

  test('ranges, conditions and HEAD follow RFC 9110', async () => {
    const id = await app.put(project, 'range.txt', '0123456789');
    const etag = (await read(id)).headers.get('etag') ?? '';
    const cases: [string, number, string, string | null][] = [
      ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
      ['bytes=5-', 206, '56789', 'bytes 5-9/10'],
      ['bytes=-3', 206, '789', 'bytes 7-9/10'],
      ['bytes=-99', 206, '0123456789', 'bytes 0-9/10'],
      ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
      ['bytes=0-1,3-4', 200, '0123456789', null],
      ['bytes=4-2', 200, '0123456789', null],
      ['lines=0-1', 200, '0123456789', null],
      ['Bytes=1-1', 206, '1', 'bytes 1-1/10'],
      ['BYTES=-1', 206, '9', 'bytes 9-9/10'],
      ['bytes=8-99999999999999999999', 206, '89', 'bytes 8-9/10'],
      ['bytes=-99999999999999999999', 206, '0123456789', 'bytes 0-9/10'],
      ['bytes=-', 200, '0123456789', null],
    ];
    for (const [range, status, text, contentRange] of cases) {
      const reply = await read(id, { range });
      assert.deepEqual(
        [reply.status, reply.text, reply.headers.get('content-range')],
        [status, text, contentRange],
      );
    }
    for (const range of [
      'bytes=10-',
      'bytes=-0',
      'bytes=999999999999-',
      'bytes=9999999999999999-',
      `bytes=${'9'.repeat(400)}-`,
    ]) {
      const outside = await read(id, { range });
      assert.deepEqual([outside.status, outside.headers.get('content-range')], [416, 'bytes */10']);
    }
    const date = new Date().toUTCString();
    assert.equal((await read(id, { range: 'bytes=0-1', 'if-range': date })).status, 200);
    assert.equal((await read(id, { range: 'bytes=0-1', 'if-range': etag })).status, 206);
    assert.equal((await read(id, { 'if-none-match': etag })).status, 304);
    assert.equal((await read(id, { 'if-none-match': '"other"' })).status, 200);
    assert.equal((await read(id, { range: 'bytes=0-1', 'if-range': '"other"' })).status, 200);
    const head = await app.call('HEAD', `/v1/files/${id}`);
    assert.deepEqual([head.status, head.headers.get('content-length'), head.text], [200, '10', '']);
    // Ranges are defined for GET only (§14.2).
    for (const range of ['bytes=0-3', 'bytes=10-']) {
      const { status, headers } = await app.call('HEAD', `/v1/files/${id}`, { headers: { range } });
      const reported = ['content-length', 'content-range', 'accept-ranges'].map((name) => headers.get(name));
      assert.deepEqual([status, ...reported], [200, '10', null, 'bytes']);
    }
  });

  // asvs: 1.3.4, 3.2.1, 5.3.1, 5.4.1, 5.4.2
  test('a file is always served as a sandboxed attachment', async () => {
    const { body } = await begin({ name: 'a/b/"page" ü.html', contentType: 'text/html' });
    await send(body.uploadUrl, '<script>alert(1)</script>');
    const { headers } = await read(body.id);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.match(headers.get('content-security-policy') ?? '', /sandbox/);
    const disposition = headers.get('content-disposition');
    assert.equal(
      disposition,
      `attachment; filename="_page_ _.html"; filename*=UTF-8''%22page%22%20%C3%BC.html`,
    );
  });

  test('a download address works without credentials, for its file only', async () => {
    const id = await app.put(project, 'download.txt', 'bytes');
    const { body } = await app.call('GET', `/v1/files/${id}?include=downloadUrl`);
    assert.equal(await (await fetch(body.downloadUrl)).text(), 'bytes');
    const other = await app.put(project, 'download-2.txt', 'other');
    assert.equal((await fetch(body.downloadUrl.replace(id, other))).status, 403);
    assert.equal((await fetch(body.downloadUrl, { method: 'PUT', body: 'x' })).status, 405);
  });

  test('a download address serves ranges, concurrent requests and HEAD', async () => {
    const bytes = Array.from({ length: 64 }, (_, at) => `${at},`.repeat(3000)).join('');
    const id = await app.put(project, 'ranges.txt', bytes);
    const { body } = await app.call('GET', `/v1/files/${id}?include=downloadUrl`);
    const step = Math.ceil(bytes.length / 16);
    const pieces = await Promise.all(
      Array.from({ length: 16 }, async (_, at) => {
        const headers = { range: `bytes=${at * step}-${(at + 1) * step - 1}` };
        const reply = await fetch(body.downloadUrl, { headers });
        assert.equal(reply.status, 206);
        return reply.text();
      }),
    );
    assert.equal(pieces.join(''), bytes);
    const head = await fetch(body.downloadUrl, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(bytes.length)]);
  });

  // asvs: 5.3.2
  test('invalid paths are refused as names', async () => {
    for (const name of [
      '',
      '/',
      'a//b',
      'a/',
      '../a',
      'a/./b',
      'a/../b',
      'a\nb',
      'a\u0000b',
      'ü'.repeat(513),
    ]) {
      assert.equal((await begin({ name })).status, 400, JSON.stringify(name));
    }
    for (const name of [
      '/leading',
      'a.b/..c',
      '.hidden',
      'ü/ß/漢字',
      '%2e%2e/x',
      "'; drop table files; --",
    ]) {
      assert.equal((await begin({ name })).status, 200, name);
    }
    const absolute = await begin({ name: '/data/run7/a.bam' });
    assert.deepEqual([absolute.status, absolute.body.name], [200, 'data/run7/a.bam']);
  });

  test('a deleted file is gone at once, also at its download address', async () => {
    const id = await app.put(project, 'gone.txt', 'x');
    const { body } = await app.call('GET', `/v1/files/${id}?include=downloadUrl`);
    const deleted = await app.call('DELETE', `/v1/files/${id}`);
    assert.deepEqual([deleted.status, deleted.text], [204, '']);
    assert.equal((await app.call('DELETE', `/v1/files/${id}`)).status, 404);
    assert.equal((await fetch(body.downloadUrl)).status, 404);
  });
});
