import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { request } from 'node:http';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../test/support/app.ts';
import type { Person } from '../../../../../../test/support/people.ts';
import { imageTypeOf } from './image-type.ts';

const images = {
  'image/png': Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
  'image/jpeg': Buffer.from('ffd8ffe000104a464946', 'hex'),
  'image/gif': Buffer.from('GIF89a of something'),
  'image/webp': Buffer.from('RIFF\x10\0\0\0WEBPVP8 ', 'latin1'),
};

// asvs: 1.3.4
test('the first bytes identify an image, and other bytes are none', () => {
  for (const [type, bytes] of Object.entries(images)) assert.equal(imageTypeOf(bytes.subarray(0, 12)), type);
  for (const text of ['', 'GIF88a', '<svg xmlns="', 'RIFF0000WAVE', '\x89PNG', '%PDF-1.7', '<!doctype ht']) {
    assert.equal(imageTypeOf(Buffer.from(text, 'latin1')), undefined, text);
  }
});

describeApp('pictures', (app) => {
  let one: Person;
  let two: Person;
  const path = (person = one) => `/v1/users/${person.userId}/picture`;
  const put = async (bytes: Buffer, type: string | undefined, person = one, as = one) => {
    const reply = await fetch(`${app.address}${path(person)}`, {
      method: 'PUT',
      body: bytes as never,
      headers: { authorization: as.key, ...(type !== undefined && { 'content-type': type }) },
    });
    return { status: reply.status, body: (await reply.json()) as Record<string, string> };
  };
  const get = (key = one.key, person = one) => app.call('GET', path(person), { key, account: undefined });
  const blobs = () => globSync('blobs/[0-9a-f][0-9a-f]/*', { cwd: app.folder });

  before(async () => {
    one = await app.people.member(app.account, []);
    two = await app.people.member(app.account, []);
  });

  test('each kind of image is accepted and served as its bytes identify it, without sniffing', async () => {
    assert.equal((await get()).status, 404);
    for (const [type, bytes] of Object.entries(images)) {
      const { status, body } = await put(bytes, 'image/png; a=b');
      assert.equal(status, 200);
      const served = await fetch(body.downloadUrl ?? '');
      assert.equal(served.headers.get('content-type'), type);
      assert.equal(served.headers.get('x-content-type-options'), 'nosniff');
      assert.match(served.headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'$/);
      assert.match(
        served.headers.get('content-disposition') ?? '',
        /^attachment; filename="picture\.[a-z]+"$/,
      );
      assert.deepEqual(Buffer.from(await served.arrayBuffer()), bytes);
    }
  });

  test('users who share an account see the picture, in the profile under a stable address', async () => {
    await put(images['image/png'], 'image/png');
    const { downloadUrl } = (await get(two.key)).body;
    assert.equal((await fetch(downloadUrl)).status, 200);
    assert.equal((await fetch(downloadUrl, { method: 'HEAD' })).headers.get('content-length'), '16');
    const seen = await app.call('GET', `/v1/users/${one.userId}`, { key: two.key });
    assert.equal(seen.body.profile.picture, path());
    const own = await app.call('GET', '/v1/user', { key: one.key });
    const again = await app.call('PATCH', '/v1/user', { key: one.key, body: { profile: own.body.profile } });
    assert.deepEqual(again.body, own.body);
    const stranger = await app.people.owner('strangers');
    assert.equal((await get(stranger.key)).status, 404);
  });

  test('only its owner sets or removes it', async () => {
    assert.equal((await put(images['image/gif'], 'image/gif', one, two)).status, 403);
    const removed = await app.call('DELETE', path(), { key: two.key });
    assert.deepEqual([removed.status, removed.body.code], [403, 'ONLY_ONESELF']);
    const stranger = await app.people.owner('more-strangers');
    assert.equal((await put(images['image/gif'], 'image/gif', one, stranger)).status, 404);
    assert.equal((await app.call('DELETE', path(), { key: stranger.key })).status, 404);
    assert.equal((await get()).status, 200);
  });

  test('a picture that is no image, too large, or without type or length is refused, and the old one stays', async () => {
    const before = blobs();
    const large = Buffer.alloc(5 * 1024 * 1024 + 1, images['image/png']);
    for (const [status, bytes, type] of [
      [415, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/png'],
      [415, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml'],
      [415, images['image/png'], 'text/html'],
      [415, Buffer.alloc(0), 'image/png'],
      [415, Buffer.from('GIF'), 'image/gif'],
      [400, images['image/png'], undefined],
      [413, large, 'image/png'],
    ] as const) {
      assert.equal((await put(bytes, type)).status, status, `${type} ${bytes.length}`);
    }
    assert.equal(await chunked(), 411);
    assert.equal((await put(large.subarray(1), 'image/jpg')).status, 415, 'not from its beginning');
    assert.equal((await put(large.subarray(0, -1), 'image/jpg')).status, 200, 'exactly 5 MiB');
    assert.equal(blobs().length, before.length);
  });

  test('a new picture replaces the old one with its bytes and addresses; so does a removal', async () => {
    const first = (await put(images['image/png'], 'image/png')).body.downloadUrl ?? '';
    const count = blobs().length;
    const second = (await put(images['image/gif'], 'image/gif')).body.downloadUrl ?? '';
    assert.equal(blobs().length, count);
    assert.equal((await fetch(first)).status, 404);
    assert.equal((await fetch(second)).status, 200);
    assert.equal((await app.call('DELETE', path(), { key: one.key })).status, 204);
    assert.equal((await app.call('DELETE', path(), { key: one.key })).status, 404);
    assert.equal((await fetch(second)).status, 404);
    assert.equal((await get()).status, 404);
    assert.equal(blobs().length, count - 1);
  });

  test('a changed or invented address is refused', async () => {
    const address = (await put(images['image/png'], 'image/png')).body.downloadUrl ?? '';
    const mine = (await put(images['image/png'], 'image/png', two, two)).body.downloadUrl ?? '';
    const id = /pictures\/([^?]+)/.exec(address)?.[1] ?? '';
    for (const wrong of [
      address.replace(id, /pictures\/([^?]+)/.exec(mine)?.[1] ?? ''),
      address.replace('pictures', 'files'),
      `${address}&more=1`,
      address.replace(/expires=\d+/, 'expires=9999999999'),
      address.slice(0, -1),
    ]) {
      assert.equal((await fetch(wrong)).status, 403, wrong);
    }
  });

  test('one of 20 pictures set concurrently stays, with its bytes only', async () => {
    await app.call('DELETE', path(), { key: one.key });
    const count = blobs().length;
    const all = Array.from({ length: 20 }, (_, at) => Buffer.from(`GIF89a number ${at}`));
    const replies = await Promise.all(all.map((bytes) => put(bytes, 'image/gif')));
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
    const served = await fetch((await get()).body.downloadUrl);
    assert.match(await served.text(), /^GIF89a number \d+$/);
    assert.equal(blobs().length, count + 1);
  });

  /** Sends a picture without saying how long it is. */
  function chunked(): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: one.key, 'content-type': 'image/png', 'transfer-encoding': 'chunked' };
      const sent = request(`${app.address}${path()}`, { method: 'PUT', headers }, (reply) => {
        reply.resume();
        resolve(reply.statusCode);
      });
      sent.on('error', reject);
      sent.end(images['image/png']);
    });
  }
});
