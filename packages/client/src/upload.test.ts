import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { PloidyClient } from './client.ts';
import { breakOff, json, scriptedServer, type Turn } from './scripted-server.fixture.ts';
import { localFile, putStream, putTo } from './upload.ts';
import { type PartsOptions, uploadWhole } from './upload-parts.ts';

let folder: string;
const content = Buffer.alloc(3_000_000, 'ploidy ');

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'ploidy-client-'));
});

after(() => rmSync(folder, { recursive: true, force: true }));

const clientOf = (address: string) => new PloidyClient({ address, apiKey: 'key', account: 'main' });

function written(name: string, bytes: Buffer): string {
  writeFileSync(join(folder, name), bytes);
  return join(folder, name);
}

async function putFile(url: string, path: string, options: PartsOptions = {}): Promise<void> {
  const content = await localFile(path);
  await (content ? uploadWhole(url, content, options) : putTo(url, path, options));
}

/** Takes a body whole and keeps it. */
function taking(bodies: Buffer[]): Turn {
  return async (request, response) => {
    bodies.push(await buffer(request));
    response.end('{}');
  };
}

/** Returns a clock on which a minute has passed at each look. */
function minutesPass(): () => number {
  let now = 0;
  return () => {
    now += 60_000;
    return now;
  };
}

const breakWhileReading: Turn = (request) => request.once('data', () => request.socket.destroy());

test('an upload whose connection breaks is sent again, whole', async () => {
  const bodies: Buffer[] = [];
  await using server = await scriptedServer(breakWhileReading, breakOff, taking(bodies));
  const reported: unknown[] = [];
  const path = written('up.bin', content);
  await putFile(`${server.address}/put`, path, {
    onBytes: (bytes, bytesTotal) => reported.push([bytes, bytesTotal]),
  });
  assert.ok(bodies[0]?.equals(content));
  assert.equal(server.seen[2]?.headers['content-length'], String(content.length));
  assert.deepEqual(reported.at(-1), [content.length, content.length]);
});

test('an upload outlasts a restart of the service, and a proxy that reports one', async () => {
  const bodies: Buffer[] = [];
  const away = [502, 504, 503, 429].map((status) => json(status, 'away', { 'content-type': 'text/html' }));
  await using server = await scriptedServer(...away, breakOff, breakWhileReading, breakOff, taking(bodies));
  await putFile(`${server.address}/put`, written('outlasting.bin', content));
  assert.ok(bodies[0]?.equals(content));
  assert.equal(server.seen.length, 8);
});

test('an upload waits for as long as the service requests', async () => {
  const busy = json(429, { error: 'Later.', code: 'TOO_MANY_REQUESTS' }, { 'retry-after': '7' });
  await using server = await scriptedServer(busy, taking([]));
  const waits: number[] = [];
  const clock = { now: () => 0, wait: async (ms: number) => void waits.push(ms) };
  await putFile(`${server.address}/put`, written('asked.bin', Buffer.from('a')), { patience: { clock } });
  assert.deepEqual(waits, [7000]);
});

test('an upload gives up after four attempts when nothing has answered for a minute', async () => {
  await using server = await scriptedServer(breakOff);
  const clock = { now: minutesPass(), wait: async () => undefined };
  const upload = putFile(`${server.address}/put`, written('given-up.bin', content), { patience: { clock } });
  await assert.rejects(upload, { code: 'UNREACHABLE' });
  assert.equal(server.seen.length, 4);
});

test('an empty file and a stream of unknown length arrive as they are', async () => {
  const bodies: Buffer[] = [];
  await using server = await scriptedServer(taking(bodies));
  await putFile(`${server.address}/put`, written('empty', Buffer.alloc(0)));
  await putStream(`${server.address}/put`, Readable.from([content, Buffer.from('end')]));
  assert.deepEqual(bodies, [Buffer.alloc(0), Buffer.concat([content, Buffer.from('end')])]);
});

/** Folders that buffer streams. */
function temporaryNames(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('ploidy-upload-'));
}

test('a stream for a store that needs its length is sent with it, and never kept under a name', {
  skip: process.platform === 'win32' && 'what is open keeps its name',
}, async () => {
  const bodies: Buffer[] = [];
  await using store = await scriptedServer(breakWhileReading, taking(bodies));
  const uploadUrl = `${store.address}/bucket/key?X-Amz-Signature=0a`;
  await using server = await scriptedServer(json(200, { id: 'x', uploadUrl }));
  const before = temporaryNames();
  const seen: string[] = [];
  const source = Readable.from(
    (async function* () {
      for (let chunk = 0; chunk < 2; chunk++) {
        yield content;
        seen.push(...temporaryNames());
      }
    })(),
  );
  assert.equal(await clientOf(server.address).upload('d', 'n', source), 'x');
  assert.ok(bodies[0]?.equals(Buffer.concat([content, content])));
  assert.equal(store.seen[1]?.headers['content-length'], String(2 * content.length));
  assert.deepEqual([...new Set([...seen, ...temporaryNames()])], before);
});

test('a stream is forwarded to the service as it arrives, under any name of the address', async () => {
  const bodies: Buffer[] = [];
  await using transfers = await scriptedServer(taking(bodies));
  const uploadUrl = `${transfers.address}/v1/transfers/uploads/u?signature=0a`;
  await using server = await scriptedServer(json(200, { id: 'x', uploadUrl }));
  const before = temporaryNames();
  const seen: string[] = [];
  const source = Readable.from(
    (async function* () {
      yield content;
      seen.push(...temporaryNames());
      yield content;
    })(),
  );
  await clientOf(server.address).upload('d', 'n', source);
  assert.ok(bodies[0]?.equals(Buffer.concat([content, content])));
  assert.equal(transfers.seen[0]?.headers['transfer-encoding'], 'chunked');
  assert.deepEqual(seen, before);
});

test('an upload that is aborted ends at once, also while it waits for the next bytes of a stream', async () => {
  for (const query of ['', '?X-Amz-Signature=0a']) {
    await using store = await scriptedServer((request) => void request.resume());
    const made = json(200, { id: 'x', uploadUrl: `${store.address}/put${query}` });
    await using server = await scriptedServer(made);
    const before = temporaryNames();
    const controller = new AbortController();
    let asked = 0;
    const source = new Readable({
      read() {
        asked += 1;
        if (asked === 1) this.push(content);
        else setImmediate(() => controller.abort());
      },
    });
    const upload = clientOf(server.address).upload('d', 'n', source, { signal: controller.signal });
    await assert.rejects(upload, { name: 'AbortError' });
    assert.ok(source.destroyed);
    assert.deepEqual(temporaryNames(), before);
  }
});

test('an upload that fails waits for no more of its stream', async ({ mock }) => {
  mock.method(Date, 'now', minutesPass());
  for (const query of ['', '?X-Amz-Signature=0a']) {
    await using store = await scriptedServer(breakWhileReading);
    const made = json(200, { id: 'x', uploadUrl: `${store.address}/put${query}` });
    await using server = await scriptedServer(made);
    const source = new Readable({ read: () => undefined });
    source.push(content);
    // An upload whose length is unknown is sent when the stream has ended; the other one stays open.
    if (query !== '') source.push(null);
    await assert.rejects(clientOf(server.address).upload('d', 'n', source), { code: 'UNREACHABLE' });
    assert.ok(source.destroyed);
  }
});

test('a refusal before the last byte is the answer', async () => {
  const refusal = { error: 'Too large.', code: 'TOO_LARGE', requestId: 'r' };
  const early: Turn = (request, response) =>
    void request.once('data', () => response.writeHead(413).end(JSON.stringify(refusal)));
  await using server = await scriptedServer(early);
  const path = written('large.bin', Buffer.alloc(50_000_000));
  await assert.rejects(putFile(`${server.address}/put`, path), { status: 413, code: 'TOO_LARGE' });
  assert.equal(server.seen.length, 1);
});

test('a file that becomes shorter while it is uploaded is an error and no whole file', async () => {
  const path = written('shrinks.bin', Buffer.alloc(50_000_000));
  const bodies: (Buffer | undefined)[] = [];
  const shrink: Turn = async (request: IncomingMessage) => {
    request.once('data', () => truncateSync(path, 10));
    bodies.push(await buffer(request).catch(() => undefined));
  };
  await using server = await scriptedServer(shrink);
  await assert.rejects(putFile(`${server.address}/put`, path), { code: 'FILE_CHANGED' });
  assert.deepEqual(
    bodies.filter((body) => body !== undefined),
    [],
  );
});

test('a file that is rewritten while it is uploaded is an error and no whole file', async () => {
  const received: number[] = [];
  const count: Turn = (request) => request.on('data', (chunk: Buffer) => received.push(chunk.length));
  await using server = await scriptedServer(count);
  const path = written('rewritten.bin', content);
  const onBytes = (bytes: number): void => utimesSync(path, bytes, bytes);
  await assert.rejects(putFile(`${server.address}/put`, path, { onBytes }), { code: 'FILE_CHANGED' });
  const sum = received.reduce((total, length) => total + length, 0);
  assert.ok(sum < content.length, `${sum} bytes would be a mixture of two states`);
});

test('a local file that cannot be read is no fault of the network', async () => {
  await using server = await scriptedServer(json(200, {}));
  await assert.rejects(putFile(`${server.address}/put`, join(folder, 'none')), { code: 'ENOENT' });
  await assert.rejects(putFile(`${server.address}/put`, folder), { code: 'EISDIR' });
});
