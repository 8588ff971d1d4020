/** Command line that is interrupted, whose work is half refused, or whose target cannot be written. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { commandLine } from '../support/command-line.ts';
import { faultProxy } from '../support/fault-proxy.ts';
import { cleanEnvironment, startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const { home, start, run, json, remove } = commandLine();
const unknownId = '00000000-0000-4000-8000-000000000000';
let server: TestServer;

before(async () => {
  server = await startServer();
  await json('login', '--first-run', server.folder, '--address', server.baseUrl);
  await json('projects', 'create', 'Faults', '--use');
});

after(async () => {
  await server.stop();
  remove();
});

function folder(name: string): string {
  mkdirSync(join(home, name));
  return join(home, name);
}

function written(name: string): string {
  writeFileSync(join(home, name), name);
  return join(home, name);
}

/** Connects the same user through another address. */
const by = (address: string) => ({ PLOIDY_ADDRESS: address, PLOIDY_API_KEY: server.apiKey });
const isDownload = ({ method, url = '' }: IncomingMessage) =>
  method === 'GET' && /^\/v1\/files\/[0-9a-f-]+$/.test(url);

test('an interrupted download of a saved result leaves no file, and the error names the result', async () => {
  await using proxy = await faultProxy(server.baseUrl, (request) =>
    isDownload(request) ? 'stalled' : undefined,
  );
  const place = folder('interrupted');
  const words = ['query', 'SELECT i FROM range(1000) t(i)', '--save', join(place, 'out.csv'), '-p', 'Faults'];
  const { child, ended } = start(words, { env: by(proxy.address) });
  const begun = () => readdirSync(place).some((name) => statSync(join(place, name)).size > 0);
  await until(begun, 'a part of the result has come');
  child.kill('SIGINT');
  const { code, err } = await ended;
  assert.equal(code, 130, err);
  assert.match(err, /^The result is in the project: [0-9a-f-]{36} {2}queries\/\S+\.csv\nInterrupted; /m);
  assert.deepEqual(readdirSync(place), []);
});

test('standard input that is interrupted leaves nothing, here or in the project, whichever name the service has', async (t) => {
  const temporary = folder('temporary');
  const env = { ...by(server.baseUrl.replace('127.0.0.1', 'localhost')), TMPDIR: temporary };
  const words = ['files', 'put', '-', '--name', 'endless.bin', '-p', 'Faults'];
  const environment = { ...cleanEnvironment(), XDG_CONFIG_HOME: home, ...env };
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../bin/ploidy.js'), ...words], {
    env: environment,
  });
  t.after(() => child.kill('SIGKILL'));
  const ended = new Promise((resolve) => child.on('close', resolve));
  let taken = false;
  child.stdin.write(Buffer.alloc(5_000_000, 'health '), () => {
    taken = true;
  });
  await until(() => taken, 'the input is taken');
  assert.deepEqual(readdirSync(temporary), []);
  child.kill('SIGINT');
  assert.equal(await ended, 130);
  assert.deepEqual(readdirSync(temporary), []);
  assert.deepEqual(await json('files', 'ls', 'endless'), []);
});

test('standard input that ends because the whole pipe is ended replaces no file', async (t) => {
  await json('files', 'put', written('whole.txt'));
  const before = await json('files', 'ls', 'whole.txt');
  const environment = { ...cleanEnvironment(), XDG_CONFIG_HOME: home };
  const program = join(import.meta.dirname, '../../bin/ploidy.js');
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    const words = ['files', 'put', '-', '--name', 'whole.txt', '--overwrite'];
    const child = spawn(process.execPath, [program, ...words], { env: environment });
    t.after(() => child.kill('SIGKILL'));
    const ended = new Promise((resolve) => child.on('close', resolve));
    await new Promise((resolve) => child.stdin.write(Buffer.alloc(3_000_000, 'half '), resolve));
    // The program before it in the pipe has died of the same signal, a moment earlier.
    child.stdin.end(() => child.kill(signal));
    assert.equal(await ended, 130, signal);
  }
  assert.deepEqual(await json('files', 'ls', 'whole.txt'), before);
});

test('steps completed before an error are reported, as JSON too', async () => {
  const [first] = await json('files', 'put', written('first.txt'));
  const put = await run('files', 'put', written('second.txt'), join(home, 'first.txt'), '--json');
  assert.equal(put.code, 1);
  assert.match(put.err, /first\.txt already exists/);
  const [second, ...others] = JSON.parse(put.out);
  assert.deepEqual([second.name, others], ['second.txt', []]);

  const removed = await run('files', 'rm', first.id, unknownId, 'second.txt', '--json');
  assert.equal(removed.code, 4, removed.err);
  assert.deepEqual(JSON.parse(removed.out), { removed: [first.id] });
  const none = await run('files', 'put', join(home, 'second.txt'), '--json');
  assert.deepEqual([none.code, none.out], [1, '']);
});

test('no file is deleted when another one of those that were named is not there', async () => {
  await json('files', 'put', written('stays.txt'));
  const { code, out } = await run('files', 'rm', 'stays.txt', 'missing.txt', '--json');
  assert.deepEqual([code, out], [4, '']);
  assert.equal((await json('files', 'ls', 'stays.txt')).length, 1);
});

test('an uploaded file that cannot be ingested is named', async () => {
  await using proxy = await faultProxy(server.baseUrl, ({ method, url }) =>
    method === 'POST' && url === '/v1/ingestions' ? 'refused' : undefined,
  );
  const words = ['files', 'put', written('sent.txt'), '--ingest', '-p', 'Faults'];
  const { code, err } = await start(words, { env: by(proxy.address) }).ended;
  const [{ id }] = await json('files', 'ls', 'sent.txt');
  assert.deepEqual([code, err.includes(`${id}  sent.txt`)], [1, true], err);
});

test('a place where no result can be saved is refused before the statement is sent', async () => {
  const count = (await json('queries', 'ls')).length;
  const inTheWay = folder('in-the-way');
  mkdirSync(join(inTheWay, 'result.csv'));
  const places = [
    join(home, 'none/out.csv'),
    join(home, 'none/'),
    inTheWay,
    join(written('file'), 'out.csv'),
  ];
  for (const place of places) {
    const { code, err } = await run('query', 'SELECT 1', '--save', place);
    assert.deepEqual([code, /^.* cannot be written: .*\n$/.test(err)], [2, true], err);
  }
  assert.equal((await json('queries', 'ls')).length, count);
});

test('a result is saved into a folder under its name, and over a file with the mode of that', async () => {
  const place = folder('results');
  const saved = await run('query', 'SELECT 1 AS n', '--save', place, '--output', 'of/today.csv');
  assert.equal(saved.code, 0, saved.err);
  const path = join(place, 'today.csv');
  assert.equal(readFileSync(path, 'utf8'), 'n\n1\n');
  if (process.platform === 'win32') return;
  assert.equal(statSync(path).mode & 0o777, 0o666 & ~process.umask());
  chmodSync(path, 0o640);
  assert.equal((await run('files', 'get', 'of/today.csv', path)).code, 0);
  assert.equal(statSync(path).mode & 0o777, 0o640);
});

test('a result goes through a pipe that has no name of its own, and leaves what points at it', {
  skip: process.platform !== 'linux' && 'no /proc',
}, async () => {
  const pipe = join(home, 'pipe');
  symlinkSync('/proc/self/fd/1', pipe);
  const program = [process.execPath, join(import.meta.dirname, '../../bin/ploidy.js')];
  const words = [...program, 'query', 'SELECT 1 AS n', '--save', pipe];
  const child = spawn('sh', ['-c', '"$0" "$@" | cat', ...words], {
    env: { ...cleanEnvironment(), XDG_CONFIG_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  assert.match(await text(child.stdout), /^n\n1\n/);
  assert.ok(lstatSync(pipe).isSymbolicLink());
});

test('an error about a result that cannot be fetched names the result', async () => {
  await using proxy = await faultProxy(server.baseUrl, (request) =>
    isDownload(request) ? 'refused' : undefined,
  );
  const words = ['query', 'SELECT 1', '--output', 'far.csv', '-p', 'Faults'];
  const { code, err } = await start(words, { env: by(proxy.address) }).ended;
  const [{ id }] = await json('files', 'ls', 'far.csv');
  assert.deepEqual([code, err.split('\n')[0]], [1, `The result is in the project: ${id}  far.csv`], err);
});

test('standard output that cannot be written ends in one line', {
  skip: process.platform !== 'linux' && 'no /dev/full',
}, async () => {
  for (const words of [
    ['projects', 'ls'],
    ['query', 'SELECT 1'],
  ]) {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [join(import.meta.dirname, '../../bin/ploidy.js'), ...words], {
      env: { ...cleanEnvironment(), XDG_CONFIG_HOME: home },
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    assert.ok(child.stderr);
    const ended = new Promise((resolve) => child.on('close', resolve));
    const err = await text(child.stderr);
    assert.equal(await ended, 1);
    assert.match(err, /^Standard output cannot be written: ENOSPC.*\n$/);
  }
});

test('a change whose answer was lost is no failure', async () => {
  const lose = () => {
    let lost = 0;
    return ({ method }: IncomingMessage) =>
      method === 'PATCH' && lost++ === 0 ? ('lost' as const) : undefined;
  };
  const [file] = await json('files', 'put', written('before.txt'));
  const invitation = async (email: string) => (await json('invitations', 'send', email)).id;
  const changes = [
    async () => ['files', 'mv', file.id, 'after.txt'],
    async () => ['invitations', 'revoke', await invitation('jane@example.org')],
    async () => ['invitations', 'reject', await invitation('admin@localhost')],
    async () => ['invitations', 'accept', await invitation('admin@localhost')],
  ];
  for (const change of changes) {
    const words = await change();
    await using proxy = await faultProxy(server.baseUrl, lose());
    const { code, out, err } = await start([...words, '--json'], { env: by(proxy.address) }).ended;
    assert.equal(code, 0, `${words.join(' ')}: ${err}`);
    assert.match(out, /after\.txt|"(ACCEPTED|REJECTED|REVOKED)"/);
  }
});
