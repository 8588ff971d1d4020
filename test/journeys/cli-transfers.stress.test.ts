/** Files, reads and requests on the command line: synchronised by their bytes, named by patterns, several at once. */
import assert from 'node:assert/strict';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { commandLine } from '../support/command-line.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
const { home, start, run, json, remove } = commandLine();
const samples = join(import.meta.dirname, '../../samples/data');

before(async () => {
  server = await startServer();
  await json('login', '--first-run', server.folder, '--address', server.baseUrl);
  await json('projects', 'create', 'Transfers', '--use');
});

after(async () => {
  await server.stop();
  remove();
});

test('a file with other bytes of the same size is sent again, whatever its time', async () => {
  const folder = join(home, 'run');
  mkdirSync(folder);
  for (let number = 0; number < 12; number += 1) writeFileSync(join(folder, `${number}.csv`), `p7,${number}`);
  const first = await json('files', 'sync', folder, 'run', '--jobs', '3');
  assert.deepEqual([first.uploaded.length, first.unchanged], [12, 0]);
  writeFileSync(join(folder, '7.csv'), 'p7,8');
  utimesSync(join(folder, '7.csv'), 1, 1);
  const second = await json('files', 'sync', folder, 'run');
  assert.deepEqual([second.uploaded, second.unchanged], [['run/7.csv'], 11]);
  assert.equal((await run('files', 'cat', 'run/7.csv')).out, 'p7,8');
  const third = await run('files', 'sync', folder, 'run');
  assert.match(third.out, /^12 of 12 files were already there\.$/m);
});

test('--delete leaves files outside the folder, hidden ones, and all when one cannot be read', async () => {
  const folder = join(home, 'kept');
  mkdirSync(folder);
  writeFileSync(join(folder, 'a.csv'), 'a');
  for (const name of ['kept/.b', 'Kept/c', 'kept/d'])
    await run('files', 'put', join(folder, 'a.csv'), '--name', name);
  symlinkSync('nothing', join(folder, 'd'));
  const refused = await run('files', 'sync', folder, 'kept', '--delete');
  assert.deepEqual([refused.code, /kept\/d cannot be read/.test(refused.err)], [1, true]);
  rmSync(join(folder, 'd'));
  const { deleted, uploaded } = await json('files', 'sync', folder, 'kept', '--delete');
  assert.deepEqual([deleted, uploaded], [['kept/d'], ['kept/a.csv']]);
});

test('a file that the service refuses is named, with those that were sent', async () => {
  const folder = join(home, 'refused');
  mkdirSync(folder);
  for (const name of ['a.csv', 'b\u0001.csv']) writeFileSync(join(folder, name), name);
  const { code, out, err } = await run('files', 'sync', folder, 'refused', '--jobs', '1');
  assert.equal(code, 1);
  assert.match(err, /refused\/b.*\.csv was not uploaded/);
  assert.match(out, /^upload {2}refused\/a\.csv$/m);
});

test('patterns name the files of every command', async () => {
  assert.equal((await run('files', 'cat', 'run/1*.csv')).out.length, 'p7,1'.length + 2 * 'p7,10'.length);
  const here = join(home, 'here');
  mkdirSync(here);
  assert.equal((await run('files', 'get', 'run/*.csv', here, '--jobs', '4')).code, 0);
  assert.equal(readdirSync(join(here, 'run')).length, 12);
  const { removed } = await json('files', 'rm', 'run/1*.csv', 'run/1.csv');
  assert.equal(removed.length, 3, 'a file that two words name is removed once');
  const none = await run('files', 'rm', 'run/nothing*');
  assert.deepEqual([none.code, /No file of the project matches run\/nothing\*/.test(none.err)], [4, true]);
});

test('many ingestions end with their sums, and one summary line each', async () => {
  const put = await run('files', 'put', join(samples, 'vcf/SYN000*.vcf'), '--prefix', 'vcf', '--ingest');
  assert.equal(put.code, 0, put.err);
  const lines = put.out.trimEnd().split('\n');
  assert.match(lines.at(-1) ?? '', /^(\d+) of \1, \d+ rows/);
  const again = await run('ingest', 'vcf/SYN0001.vcf');
  assert.match(again.out, /^ {2}samples: SYN0001$/m, 'one is described in full');
});

test('head shows the lines of a gzipped file', async () => {
  const path = join(home, 'lines.txt.gz');
  const text = Array.from({ length: 5000 }, (_, line) => `line ${line}`).join('\n');
  writeFileSync(path, gzipSync(text));
  await json('files', 'put', path);
  assert.equal((await run('files', 'head', 'lines.txt.gz', '-n', '2')).out, 'line 0\nline 1\n');
});

test('a link needs no key', async () => {
  const { downloadUrl } = await json('files', 'link', 'lines.txt.gz');
  assert.deepEqual(
    Buffer.from(await (await fetch(downloadUrl)).arrayBuffer()),
    readFileSync(join(home, 'lines.txt.gz')),
  );
});

test('requests have fields, headers, pages and picked values, and go nowhere else', async () => {
  const made = await run('api', '/v1/projects', '--field', 'name=By the API', '--pick', '.name');
  assert.deepEqual([made.code, made.out], [0, 'By the API\n'], made.err);
  const names = await run('api', 'v1/projects?pageSize=1', '--paginate', '--pick', '.[].name');
  assert.deepEqual(names.out.trim().split('\n').toSorted(), ['By the API', 'Transfers']);
  const shown = await run('api', 'GET', '/v1/projects', '-i', '-H', 'accept: application/json');
  assert.match(shown.out, /^HTTP 200 [\s\S]*\ncontent-type: application\/json[\s\S]*\n\n\{/);
  assert.ok(shown.out.endsWith('\n'));
  for (const [words, says] of [
    [['api', 'GET', 'https://other.example/v1/account'], /is not a path of/],
    [['api', 'FOO', '/v1/projects'], /FOO is not a method/],
    [['api', 'GET', '/v1/projects', '-d', '{}'], /GET takes no body/],
    [['api', '/v1/projects', '-H', 'broken'], /is not a header/],
  ] as const) {
    const { code, err } = await run(...words);
    assert.equal(code, 2, err);
    assert.match(err, says);
  }
});

test('statements of one line run one after the other', async () => {
  const { code, out } = await start(['sql'], { input: "SELECT 1 AS a; SELECT ';' AS b;\n" }).ended;
  assert.equal(code, 0);
  assert.match(out, /^a\n1\nb\n;\n$/);
});

test('usage counts files and bytes of each project', async () => {
  const usage = await json('usage');
  const transfers = usage.find(({ name }: { name: string }) => name === 'Transfers');
  assert.ok(transfers.files > 10 && transfers.bytes > 0);
  assert.equal((await run('open', '--no-browser')).out.startsWith(`${server.baseUrl}/projects/`), true);
});

test('an invitation without a mail server names where its e-mail is', async () => {
  const { out } = await run('invitations', 'send', 'jane@example.org');
  assert.match(out, /No mail server is set: .* folder outbox/);
});

test('a finished ingestion and query are watched', async () => {
  const [ingestion] = await json('ingestions', 'ls');
  assert.equal((await json('ingestions', 'watch', ingestion.id)).state, 'succeeded');
  const unknown = await run('queries', 'watch', '0192d3a1-5b7c-7e2a-9d40-6c1f2e3a4b5c');
  assert.equal(unknown.code, 4);
});
