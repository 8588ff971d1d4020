import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { PloidyClient } from './client.ts';
import { ClientError } from './client-error.ts';
import { breakOff, json, scriptedServer, type Turn } from './scripted-server.fixture.ts';

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

/** Sends the content from the start of `Range`, under this tag; breaks off after some bytes on request. */
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

test('a download outlasts a restart of the service, and that it is busy', async () => {
  const problem = (status: number, retryAfter?: string) =>
    json(
      status,
      { error: 'Later.', code: 'OVERLOADED', requestId: 'r' },
      retryAfter === undefined ? {} : { 'retry-after': retryAfter },
    );
  const proxy: Turn = (_request, response) => response.writeHead(502).end('<html></html>');
  await using server = await scriptedServer(
    problem(503, '0'),
    sending('"a"', 1_000_000),
    ...Array.from({ length: 8 }, () => breakOff),
    proxy,
    problem(503, '1'),
    problem(429, '0'),
    sending('"a"'),
  );
  const path = join(folder, 'patient.bin');
  await clientOf(server.address).download('f', path);
  assert.ok(readFileSync(path).equals(content));
  assert.equal(server.seen.length, 14);
});

test('a download waits also while its token cannot be replaced', async () => {
  await using server = await scriptedServer(sending('"a"', 1_000_000), sending('"a"'));
  const away = new ClientError('Nothing answers.', { status: 0, code: 'UNREACHABLE' });
  let asked = 0;
  const apiKey = () => {
    asked += 1;
    return asked === 2 ? Promise.reject(away) : Promise.resolve('key');
  };
  const path = join(folder, 'token.bin');
  await new PloidyClient({ address: server.address, apiKey, account: 'main' }).download('f', path);
  assert.ok(readFileSync(path).equals(content));
  assert.equal(asked, 3);
});

test('a refusal during a download is final', async () => {
  for (const status of [401, 403, 404, 412, 500]) {
    const refusal = json(status, { error: 'No.', code: 'X', requestId: 'r' }, { 'retry-after': '0' });
    await using server = await scriptedServer(sending('"a"', 1000), refusal, sending('"a"'));
    await assert.rejects(clientOf(server.address).download('f', join(folder, 'none.bin')), { status });
    assert.equal(server.seen.length, 2);
  }
});

test('bytes of two versions are never mixed, even by a server that passes over If-Range', async () => {
  const careless: Turn = (_request, response) =>
    response.writeHead(206, { etag: '"b"' }).end(content.subarray(1000));
  await using server = await scriptedServer(sending('"a"', 1000), careless);
  const path = join(folder, 'mixed.bin');
  await assert.rejects(clientOf(server.address).download('f', path), { code: 'FILE_CHANGED' });
  assert.equal(server.seen[1]?.headers['if-range'], '"a"');
  assert.equal(statSync(path, { throwIfNoEntry: false }), undefined);
});

test('a download keeps the mode of the file that it replaces; a new file has that of the umask', {
  skip: process.platform === 'win32' && 'no modes',
}, async () => {
  await using server = await scriptedServer(sending('"a"'));
  const modeAfter = async (before?: number): Promise<number> => {
    const path = join(folder, `mode-${before}`);
    if (before !== undefined) {
      writeFileSync(path, '');
      chmodSync(path, before);
    }
    await clientOf(server.address).download('f', path);
    return statSync(path).mode & 0o777;
  };
  for (const mode of [0o600, 0o640, 0o664]) assert.equal(await modeAfter(mode), mode);
  assert.equal(await modeAfter(), 0o666 & ~process.umask());
});

test('a download accepts a name of the maximum length', async () => {
  await using server = await scriptedServer(sending('"a"'));
  const path = join(folder, `${'ä'.repeat(125)}a.bam`);
  await clientOf(server.address).download('f', path);
  assert.ok(readFileSync(path).equals(content));
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

test('an error of the progress callback is thrown at once', async () => {
  await using server = await scriptedServer(sending('"a"'), sending('"a"'));
  const error = new TypeError('the bar is too narrow');
  const path = join(folder, 'callback.bin');
  const onBytes = () => {
    throw error;
  };
  await assert.rejects(clientOf(server.address).download('f', path, { onBytes }), error);
  const apiKey = () => Promise.reject(error);
  const client = new PloidyClient({ address: server.address, apiKey, account: 'main' });
  await assert.rejects(client.download('f', path), error);
  assert.equal(server.seen.length, 1);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('callback') || name.endsWith('.part')),
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

/** Name of the unfinished download of a process that has ended. */
function leftOf(etag: string, bytes: Buffer): string {
  const noProcess = 2 ** 30;
  return written(`ploidy-f-${Buffer.from(etag).toString('base64url')}-${noProcess}.part`, bytes);
}

const parts = () => readdirSync(folder).filter((name) => name.endsWith('.part'));

test('a download goes on where a killed process was', async () => {
  const etag = `"${createHash('sha256').update(content).digest('hex')}"`;
  leftOf(etag, content.subarray(0, 2_000_000));
  await using server = await scriptedServer(sending(etag));
  const path = join(folder, 'resumed.bin');
  await clientOf(server.address).download('f', path);
  assert.ok(readFileSync(path).equals(content));
  assert.deepEqual(
    [server.seen[0]?.headers.range, server.seen[0]?.headers['if-range']],
    ['bytes=2000000-', etag],
  );
  assert.deepEqual(parts(), []);
});

test('bytes of another version, or damaged ones, that a killed process left are not used', async () => {
  const etag = `"${createHash('sha256').update(content).digest('hex')}"`;
  for (const [name, of, bytes] of [
    ['other.bin', '"other"', content.subarray(0, 1000)],
    ['damaged.bin', etag, Buffer.alloc(1000, 'x')],
  ] as const) {
    leftOf(of, bytes);
    await using server = await scriptedServer(sending(etag));
    const path = join(folder, name);
    await clientOf(server.address).download('f', path);
    assert.ok(readFileSync(path).equals(content), name);
    assert.deepEqual(parts(), []);
  }
});

test('bytes that are not those of the file leave nothing', async () => {
  await using server = await scriptedServer(sending(`"${'0'.repeat(64)}"`));
  const path = join(folder, 'wrong.bin');
  await assert.rejects(clientOf(server.address).download('f', path), /were damaged on the way/);
  assert.ok(!readdirSync(folder).includes('wrong.bin'));
  assert.deepEqual(parts(), []);
});

test('an error of htsget and of FHIR keeps its words and its code', async () => {
  for (const [body, message, code] of [
    [
      { htsget: { error: 'NotFound', message: 'The file has no sequence of this name.' } },
      /no sequence/,
      'NotFound',
    ],
    [
      { resourceType: 'OperationOutcome', issue: [{ code: 'invalid', diagnostics: 'No such code.' }] },
      /No such/,
      'invalid',
    ],
  ] as const) {
    await using server = await scriptedServer(json(404, body));
    const call = Array.fromAsync(clientOf(server.address).bytes('f'));
    await assert.rejects(
      call,
      (error) => error instanceof ClientError && message.test(error.message) && error.code === code,
    );
  }
});
