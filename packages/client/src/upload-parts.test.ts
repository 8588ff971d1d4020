import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { PloidyClient } from './client.ts';
import type { RetryPolicy } from './retry.ts';
import { scriptedServer, type Turn } from './scripted-server.fixture.ts';
import { inPartsFromBytes } from './upload.ts';
import { type PartedUpload, partBytesOf } from './upload-parts.ts';

let folder: string;
let path: string;
const size = inPartsFromBytes + 5;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'ploidy-parts-'));
  path = join(folder, 'big.bin');
  writeFileSync(path, 'the beginning');
  truncateSync(path, size - 3);
  appendFileSync(path, 'end');
});

after(() => rmSync(folder, { recursive: true, force: true }));

const clientOf = (address: string) => new PloidyClient({ address, apiKey: 'key', account: 'main' });

/** Service that accepts uploads in parts; `fault` may replace the answer to a request. */
class PartTaker {
  readonly parts = new Map<number, { bytes: number; sha256: string }>();
  completions = 0;
  readonly #fault: (request: IncomingMessage, response: ServerResponse) => boolean;

  constructor(fault: (request: IncomingMessage, response: ServerResponse) => boolean = () => false) {
    this.#fault = fault;
  }

  readonly turn: Turn = async (request, response) => {
    if (this.#fault(request, response)) return;
    const { method = '', url = '', headers } = request;
    const number = Number(/\d+$/.exec(url)?.[0]);
    const json = (body: object) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (method === 'POST') {
      await buffer(request);
      json({ id: 'f', uploadId: 'u' });
    } else if (method === 'GET') json({ uploadUrl: `http://${headers.host}/put/${number}` });
    else if (method === 'DELETE') {
      this.completions += 1;
      response.writeHead(204).end();
    } else {
      // Broken off when another part has failed.
      const bytes = await buffer(request).catch(() => undefined);
      if (bytes === undefined) return;
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      this.parts.set(number, { bytes: bytes.length, sha256 });
      json({ number, size: bytes.length, sha256 });
    }
  };
}

test('a big file goes in parts, and only those that broke off are sent again', async () => {
  const broken = new Set<string>();
  const taker = new PartTaker((request) => {
    const what = `${request.method} ${request.url}`;
    if (!/^PUT \/put\/[23]$|^GET .*\/4$|^DELETE/.test(what) || broken.has(what)) return false;
    broken.add(what);
    if (request.method === 'PUT') request.once('data', () => request.socket.destroy());
    else request.socket.destroy();
    return true;
  });
  await using server = await scriptedServer(taker.turn);
  const reported: number[] = [];
  const id = await clientOf(server.address).upload('p', 'big.bin', path, {
    onBytes: (bytes, total) => {
      assert.equal(total, size);
      reported.push(bytes);
    },
  });
  assert.equal(id, 'f');
  assert.deepEqual([...taker.parts.keys()].sort(), [1, 2, 3, 4, 5]);
  assert.equal(
    [...taker.parts.values()].reduce((sum, { bytes }) => sum + bytes, 0),
    size,
  );
  const last = createHash('sha256').update(Buffer.from('\0\0end')).digest('hex');
  assert.deepEqual(taker.parts.get(5), { bytes: 5, sha256: last });
  const puts = server.seen.filter(({ method }) => method === 'PUT');
  assert.equal(puts.length, 7, 'five parts, two of them twice');
  assert.ok(puts.every(({ headers }) => headers.authorization === undefined));
  assert.equal(taker.completions, 1);
  assert.equal(broken.size, 4);
  assert.equal(reported.at(-1), size, 'what was sent twice counts once');
  assert.ok(reported.every((bytes) => bytes <= size));
});

test('a refusal of one part ends the upload with that answer, and it is never completed', async () => {
  const refusal = JSON.stringify({ error: 'Too large.', code: 'TOO_LARGE', requestId: 'r' });
  const taker = new PartTaker((request, response) => {
    if (request.url !== '/put/2') return false;
    request.once('data', () => response.writeHead(413).end(refusal));
    return true;
  });
  await using server = await scriptedServer(taker.turn);
  const upload = clientOf(server.address).upload('p', 'big.bin', path);
  await assert.rejects(upload, { status: 413, code: 'TOO_LARGE' });
  assert.equal(taker.completions, 0);
});

test('a file that is changed while its parts are sent is never completed', async () => {
  const changing = join(folder, 'changing.bin');
  writeFileSync(changing, '');
  truncateSync(changing, size);
  const taker = new PartTaker((request) => {
    if (request.url === '/put/5') appendFileSync(changing, 'more');
    return false;
  });
  await using server = await scriptedServer(taker.turn);
  const upload = clientOf(server.address).upload('p', 'changing.bin', changing);
  await assert.rejects(upload, { code: 'FILE_CHANGED' });
  assert.equal(taker.completions, 0);
});

test('a service that took another number of bytes than were sent is not believed', async () => {
  const taker = new PartTaker((request, response) => {
    if (request.url !== '/put/1') return false;
    request.resume().on('end', () => response.end('{"number":1,"size":7}'));
    return true;
  });
  await using server = await scriptedServer(taker.turn);
  const upload = clientOf(server.address).upload('p', 'big.bin', path);
  await assert.rejects(upload, { code: 'SIZE_MISMATCH' });
});

/** Bytes of a browser, in two parts. */
const blob = new Blob(['first', new Uint8Array(partBytesOf(0)), 'end']);

test('a Blob goes in parts, and an upload that was cut off sends only the parts that are missing', async () => {
  let fails = true;
  const first = Promise.withResolvers<void>();
  const taker = new PartTaker((request, response) => {
    if (request.url !== '/put/2' || !fails) return false;
    void first.promise.then(() => request.resume().on('end', () => response.writeHead(400).end('{}')));
    return true;
  });
  await using server = await scriptedServer(taker.turn);
  const client = clientOf(server.address);
  let state: PartedUpload | undefined;
  const reported: number[] = [];
  const options = {
    onPart: (next: PartedUpload) => {
      state = next;
      first.resolve();
    },
    onBytes: (bytes: number) => void reported.push(bytes),
  };
  await assert.rejects(client.upload('p', 'big.bin', blob, options), { status: 400 });
  assert.deepEqual(state?.parts, [1]);
  fails = false;
  assert.equal(await client.upload('p', 'big.bin', blob, { ...options, resume: state }), 'f');
  const last = createHash('sha256').update('\0\0\0\0\0end').digest('hex');
  assert.deepEqual(taker.parts.get(2), { bytes: 8, sha256: last });
  const began = server.seen.filter(({ method }) => method === 'POST');
  const sent = server.seen.filter(({ url }) => url === '/put/1');
  assert.deepEqual([began.length, sent.length, taker.completions], [1, 1, 1]);
  assert.equal(reported.at(-1), blob.size);
});

test('an upload in parts that the service no longer has begins anew', async () => {
  let begun = 0;
  const taker = new PartTaker(({ method, url = '' }, response) => {
    if (method === 'POST') begun += 1;
    if (!url.startsWith('/v1/uploads/old')) return false;
    response.writeHead(404).end(JSON.stringify({ error: 'Gone.', code: 'NOT_FOUND', requestId: 'r' }));
    return true;
  });
  await using server = await scriptedServer(taker.turn);
  const resume = { id: 'o', uploadId: 'old', parts: [1] };
  assert.equal(await clientOf(server.address).upload('p', 'big.bin', blob, { resume }), 'f');
  assert.deepEqual([begun, [...taker.parts.keys()].sort(), taker.completions], [1, [1, 2], 1]);
});

test('a caller with patience waits for a service that is away before the upload began', async () => {
  let away = 4;
  const taker = new PartTaker(({ method, socket }) => {
    if (method !== 'POST' || away === 0) return false;
    away -= 1;
    socket.destroy();
    return true;
  });
  await using server = await scriptedServer(taker.turn);
  const upload = (patience?: RetryPolicy) =>
    clientOf(server.address).upload('p', 'big.bin', blob, { patience });
  await assert.rejects(upload(), { code: 'UNREACHABLE' });
  assert.equal(await upload({ outageMaxMs: 60_000 }), 'f');
});

test('parts are whole MiB, at least 16, and never more than ten thousand', () => {
  const mebibyte = 2 ** 20;
  assert.equal(partBytesOf(inPartsFromBytes), 16 * mebibyte);
  for (const bytes of [2 ** 36, 2 ** 40, 5 * 2 ** 40 - 1, 5 * 2 ** 40]) {
    const part = partBytesOf(bytes);
    assert.ok(part % mebibyte === 0 && Math.ceil(bytes / part) <= 10_000, String(bytes));
  }
});
