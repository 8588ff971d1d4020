import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { PloidyClient } from './client.ts';
import { breakOff, json, scriptedServer, type Turn } from './scripted-server.fixture.ts';
import { putFile, putStream } from './upload.ts';

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

/** Takes a body whole and keeps it. */
function taking(bodies: Buffer[]): Turn {
  return async (request, response) => {
    bodies.push(await buffer(request));
    response.end('{}');
  };
}

const breakWhileReading: Turn = (request) => request.once('data', () => request.socket.destroy());

test('an upload whose connection breaks is sent again, whole', async () => {
  const bodies: Buffer[] = [];
  await using server = await scriptedServer(breakWhileReading, breakOff, taking(bodies));
  const told: unknown[] = [];
  const path = written('up.bin', content);
  await putFile(`${server.address}/put`, path, (bytes, bytesTotal) => told.push([bytes, bytesTotal]));
  assert.ok(bodies[0]?.equals(content));
  assert.equal(server.seen[2]?.headers['content-length'], String(content.length));
  assert.deepEqual(told.at(-1), [content.length, content.length]);
});

test('an empty file and a stream of unknown length arrive as they are', async () => {
  const bodies: Buffer[] = [];
  await using server = await scriptedServer(taking(bodies));
  await putFile(`${server.address}/put`, written('empty', Buffer.alloc(0)));
  await putStream(`${server.address}/put`, Readable.from([content, Buffer.from('end')]));
  assert.deepEqual(bodies, [Buffer.alloc(0), Buffer.concat([content, Buffer.from('end')])]);
});

test('a stream for an address of a store goes with its length, and leaves nothing on the disk', async () => {
  const bodies: Buffer[] = [];
  await using store = await scriptedServer(breakWhileReading, taking(bodies));
  await using server = await scriptedServer(json(200, { id: 'x', uploadUrl: `${store.address}/bucket/key` }));
  const before = readdirSync(tmpdir()).filter((name) => name.startsWith('ploidy-upload-'));
  assert.equal(await clientOf(server.address).upload('d', 'n', Readable.from([content, content])), 'x');
  assert.ok(bodies[0]?.equals(Buffer.concat([content, content])));
  assert.equal(store.seen[1]?.headers['content-length'], String(2 * content.length));
  const left = readdirSync(tmpdir()).filter((name) => name.startsWith('ploidy-upload-'));
  assert.deepEqual(left, before);
});

test('a refusal that comes before the last byte is the answer', async () => {
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

test('a local file that cannot be read is no fault of the network', async () => {
  await using server = await scriptedServer(json(200, {}));
  await assert.rejects(putFile(`${server.address}/put`, join(folder, 'none')), { code: 'ENOENT' });
  await assert.rejects(putFile(`${server.address}/put`, folder), { code: 'EISDIR' });
});

/** Sends the content from where `Range` says, under this tag; breaks off after some bytes when told to. */
function sending(etag: string, breakAfter?: number): Turn {
  return (request, response) => {
    const [, from = '0'] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? [];
    const stale = request.headers['if-range'] !== undefined && request.headers['if-range'] !== etag;
    const body = stale ? content : content.subarray(Number(from));
    const partial = request.headers.range !== undefined && !stale;
    response.writeHead(partial ? 206 : 200, { etag, 'content-length': body.length });
    if (breakAfter === undefined) response.end(body);
    else response.write(body.subarray(0, breakAfter), () => request.socket.destroySoon());
  };
}

test('a download whose connection breaks goes on where it was', async () => {
  await using server = await scriptedServer(
    sending('"a"', 1_000_000),
    breakOff,
    sending('"a"', 1000),
    sending('"a"'),
  );
  const path = join(folder, 'down.bin');
  await clientOf(server.address).download('f', path);
  assert.ok(readFileSync(path).equals(content));
  assert.equal(server.seen.length, 4);
  assert.equal(server.seen[0]?.headers.authorization, 'Bearer key');
});

test('a download of a file that is replaced on the way fails, and leaves what was there', async () => {
  await using server = await scriptedServer(sending('"a"', 1000), sending('"b"'));
  const path = written('kept.bin', Buffer.from('before'));
  await assert.rejects(clientOf(server.address).download('f', path), { code: 'FILE_CHANGED' });
  assert.equal(readFileSync(path, 'utf8'), 'before');
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith('.part')),
    [],
  );
});

test('an error of whoever is told of a download comes out at once', async () => {
  await using server = await scriptedServer(sending('"a"'), sending('"a"'));
  const error = new TypeError('the bar is too narrow');
  const path = join(folder, 'told.bin');
  const onBytes = () => {
    throw error;
  };
  await assert.rejects(clientOf(server.address).download('f', path, { onBytes }), error);
  const apiKey = () => Promise.reject(error);
  const client = new PloidyClient({ address: server.address, apiKey, account: 'main' });
  await assert.rejects(client.download('f', path), error);
  assert.equal(server.seen.length, 1);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('told')),
    [],
  );
});

test('a download that is aborted leaves nothing', async () => {
  const slowly: Turn = (_request, response) => {
    response.writeHead(200, { etag: '"a"' });
    response.write(content.subarray(0, 1000));
  };
  await using server = await scriptedServer(slowly);
  const controller = new AbortController();
  const path = join(folder, 'aborted.bin');
  const download = clientOf(server.address).download('f', path, {
    signal: controller.signal,
    onBytes: () => controller.abort(),
  });
  await assert.rejects(download, { name: 'AbortError' });
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('aborted')),
    [],
  );
});
