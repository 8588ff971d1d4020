import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import type { DirectTransfers } from '../blobs.ts';
import { onS3, openS3 } from '../stores.fixture.ts';

const place = 'main/0198c0de/0198c0df';
const inAnHour = () => Date.now() + 3_600_000;
const md5Of = (text: string) => createHash('md5').update(text).digest('base64');

async function open(context: TestContext) {
  const { store, server, folder } = await onS3(context);
  const direct = store.blobs.direct as DirectTransfers;
  assert.ok(direct);
  return { ...store, direct, server, folder };
}

const put = (url: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'PUT', body: body as never, headers });

test('an upload address works by itself, as often as wanted, and for one place only', async (context) => {
  const { direct } = await open(context);
  const url = await direct.uploadUrl(place, { expiresAt: inAnHour() });
  assert.equal(await direct.arrival(place), undefined);
  for (const body of ['one', 'other', '']) {
    assert.equal((await put(url, body, { 'content-type': 'means/nothing' })).status, 200);
    assert.equal((await direct.arrival(place))?.size, body.length);
  }
  assert.equal((await put(url.replace('0198c0df', '0198c0d0'), 'x')).status, 403);
  assert.equal((await fetch(url)).status, 403);
  assert.equal((await put(url.replace(/Expires=\d+/, 'Expires=604800'), 'x')).status, 403);
});

test('size and MD5 that were promised are part of the signature: other bytes are refused by the store', async (context) => {
  const { direct } = await open(context);
  const url = await direct.uploadUrl(place, { expiresAt: inAnHour(), md5: md5Of('right'), size: 5 });
  assert.equal((await put(url, 'right')).status, 403);
  assert.equal((await put(url, 'wrong', { 'content-md5': md5Of('wrong') })).status, 403);
  assert.equal((await put(url, 'wrong', { 'content-md5': md5Of('right') })).status, 400);
  assert.equal((await put(url, 'long one', { 'content-md5': md5Of('right') })).status, 403);
  assert.equal(await direct.arrival(place), undefined);
  assert.equal((await put(url, 'right', { 'content-md5': md5Of('right') })).status, 200);
});

test('a download address returns the bytes as an attachment of the stored type, also in ranges, and nothing else', async (context) => {
  const { direct, blobs } = await open(context);
  const [info, other] = [
    await blobs.put(Readable.from(['<html>'])),
    await blobs.put(Readable.from(['other'])),
  ];
  const disposition = `attachment; filename="a b.html"; filename*=UTF-8''a%20b.html`;
  const terms = { expiresAt: inAnHour(), contentType: 'text/html', disposition };
  const url = await direct.downloadUrl(info.key, terms);
  const whole = await fetch(url);
  assert.equal(await whole.text(), '<html>');
  assert.equal(whole.headers.get('content-disposition'), disposition);
  assert.equal(whole.headers.get('content-type'), 'text/html');
  assert.equal(whole.headers.get('cache-control'), 'private, no-cache');
  const part = await fetch(url, { headers: { range: 'bytes=1-3' } });
  assert.deepEqual([part.status, await part.text()], [206, 'htm']);
  for (const changed of [
    url.replace(info.key, other.key),
    url.replace('attachment', 'inline'),
    url.replace('text%2Fhtml', 'text%2Fplain'),
    `${url}&response-content-encoding=gzip`,
  ]) {
    assert.equal((await fetch(changed)).status, 403);
  }
  assert.equal((await put(url, 'x')).status, 403);
});

test('an arrival becomes a blob of its own, which later bytes under its address do not change', async (context) => {
  const { direct, blobs } = await open(context);
  const url = await direct.uploadUrl(place, { expiresAt: inAnHour() });
  const body = randomBytes(100_000);
  await put(url, body);
  const arrival = await direct.arrival(place);
  assert.ok(arrival);
  const info = await direct.take(arrival, { size: 100_000 });
  assert.equal(info.sha256, createHash('sha256').update(body).digest('hex'));
  await put(url, 'later');
  assert.ok((await buffer(await blobs.open(info.key))).equals(body));
  await assert.rejects(direct.take(arrival, {}), { status: 409, code: 'OVERTAKEN' });
  await direct.discard([place]);
  assert.equal(await direct.arrival(place), undefined);
  await assert.rejects(direct.take(arrival, {}), { code: 'OVERTAKEN' });
});

test('an arrival other than promised is refused and leaves no blob', async (context) => {
  const { direct, holdings } = await open(context);
  await put(await direct.uploadUrl(place, { expiresAt: inAnHour() }), 'twelve bytes');
  const arrival = await direct.arrival(place);
  assert.ok(arrival);
  await assert.rejects(direct.take(arrival, { sizeMax: 11 }), { code: 'TOO_LARGE' });
  await assert.rejects(direct.take(arrival, { size: 11 }), { code: 'SIZE_MISMATCH' });
  await assert.rejects(direct.take(arrival, { md5: md5Of('x') }), { code: 'DIGEST_MISMATCH' });
  assert.equal((await holdings()).length, 1);
});

test('all that has arrived below a folder is listed, page after page', async (context) => {
  const { direct } = await open(context);
  const places = Array.from({ length: 23 }, (_, index) => `main/p${index % 2}/u${index}`);
  const send = async (one: string) => put(await direct.uploadUrl(one, { expiresAt: inAnHour() }), one);
  await Promise.all(places.map(send));
  const listed = await Array.fromAsync(direct.arrivals(''));
  assert.deepEqual(listed.map((one) => one.place).sort(), places.sort());
  assert.equal((await Array.fromAsync(direct.arrivals('main/p1/'))).length, 11);
  for (const arrival of listed) assert.deepEqual(arrival, await direct.arrival(arrival.place));
});

test('a place is never a path out of its folder', async (context) => {
  const { direct } = await open(context);
  for (const hostile of ['', '..', 'a/../../blobs/x', 'a//b', '/a', 'a/', 'ä', 'a b', 'a/b/c/d/e']) {
    await assert.rejects(direct.uploadUrl(hostile, { expiresAt: inAnHour() }), { status: 404 });
  }
});

test('an address names the endpoint that clients reach, and the bucket by path or by host', async (context) => {
  const { server, folder } = await open(context);
  const given = server.settings['PLOIDY_BLOBS'] ?? '';
  const urlWith = async (more: string) => {
    const blobs = await openS3(folder, { ...server.settings, PLOIDY_BLOBS: `${given}&${more}` });
    context.after(() => blobs.close());
    return (await blobs.direct?.uploadUrl(place, { expiresAt: inAnHour() }))?.split('?')[0];
  };
  const end = `some/prefix/incoming/${place}`;
  assert.equal(
    await urlWith('publicEndpoint=https://s3.example.org/s3'),
    `https://s3.example.org/s3/test-bucket/${end}`,
  );
  assert.equal(
    await urlWith('publicEndpoint=https://s3.example.org&pathStyle=false'),
    `https://test-bucket.s3.example.org/${end}`,
  );
});
