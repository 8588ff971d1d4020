/** The command line in scripts: JSON output, pipes, credentials from the environment. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { bamBytes } from '../support/bam.ts';
import { commandLine } from '../support/command-line.ts';
import { People } from '../support/people.ts';
import { cleanEnvironment, startServer, type TestServer } from '../support/server.ts';

const { home, start, run, json, remove } = commandLine();
const program = join(import.meta.dirname, '../../bin/ploidy.js');
const sample = join(import.meta.dirname, '../../samples/data/vcf/SYN0001.vcf');
const stored = join(home, 'ploidy/credentials.json');
let server: TestServer;
let project: string;

before(async () => {
  server = await startServer();
  await json('login', '--first-run', server.folder, '--address', server.baseUrl);
  project = (await json('projects', 'create', 'Scripts', '--use')).id;
});

after(async () => {
  await server.stop();
  remove();
});

test('JSON holds every row, and distinguishes NULL from the empty string', async () => {
  const few = await json('query', `SELECT '' AS empty, NULL AS "null", '007' AS id, 'a"b,c' AS text`);
  assert.deepEqual(few.rows, [{ empty: '', null: null, id: '007', text: 'a"b,c' }]);
  const many = await json('query', 'SELECT i FROM range(5000) t(i) ORDER BY i');
  assert.equal(many.rows.length, 5000);
  assert.equal(many.rowCount, 5000);
  const none = await json('query', 'SELECT 1 AS a WHERE false');
  assert.deepEqual([none.columns, none.rows], [[{ name: 'a', type: 'INTEGER' }], []]);
});

test('a reader that has seen enough is no failure', async () => {
  const { child, ended } = start(['query', 'SELECT i FROM range(3000000) t(i)']);
  child.stdout?.once('data', () => child.stdout?.destroy());
  const { code, err } = await ended;
  assert.deepEqual([code, err], [0, '']);
});

test('a table on a terminal shows the first rows with all digits, and leaves no query', async () => {
  const before = await json('queries', 'ls');
  const sql = 'SELECT 9007199254740993 AS n, NULL AS t, [1, 2] AS l FROM range(3)';
  const command = `'${process.execPath}' '${program}' query '${sql}' --rows 2`;
  const { stdout } = spawnSync('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    encoding: 'utf8',
    env: { ...cleanEnvironment(), XDG_CONFIG_HOME: home },
  });
  const lines = stdout.split(/\r?\n/);
  assert.deepEqual(lines.filter((line) => /^9007199254740993 +\[1,2\]$/.test(line)).length, 2, stdout);
  assert.match(stdout, /… more rows/);
  assert.deepEqual(await json('queries', 'ls'), before);
});

test('--format chooses the format of the saved file, and the ending of its name', async () => {
  const path = join(home, 'one.parquet');
  const sql = 'SELECT 1 AS n';
  const saved = await json('query', sql, '--format', 'parquet', '--save', path);
  assert.match(saved.outputFileName, /^queries\/\S+\.parquet$/);
  assert.equal(readFileSync(path).subarray(0, 4).toString(), 'PAR1');
  assert.equal((await run('query', sql, '--format', 'ndjson')).out, '{"n":1}\n');
  const refused = await run('query', sql, '--format', 'arrow', '--json');
  assert.deepEqual([refused.code, /--save/.test(refused.err)], [2, true]);
});

test('a statement may be read from standard input', async () => {
  const { ended } = start(['query', '-'], { input: 'SELECT 40 + 2 AS n' });
  assert.equal((await ended).out, 'n\n42\n');
});

test('files are put and ingested in one command, and their ingestions can be looked at', async () => {
  const [ingestion] = await json('files', 'put', sample, '--ingest');
  assert.equal(ingestion.state, 'succeeded');
  const started = await json('ingest', 'SYN0001.vcf', '--pass-only', '--of', 'SYN0001=p1', '--no-wait');
  assert.ok(['queued', 'running', 'succeeded'].includes(started[0].state));
  assert.deepEqual(started[0].samples, [{ sampleId: 'SYN0001', patientId: 'p1' }]);
  const listed: { id: string }[] = await json('ingestions', 'ls');
  assert.deepEqual(
    listed.map(({ id }) => id),
    [started[0].id, ingestion.id],
  );
  assert.equal((await json('ingestions', 'show', ingestion.id)).fileName, 'SYN0001.vcf');
  assert.equal((await run('ingestions', 'cancel', ingestion.id)).code, 1);
});

test('nothing is sent unless all that was named can be', async () => {
  const here = join(home, 'alone.txt');
  writeFileSync(here, 'alone');
  for (const [second, message] of [
    [home, /is a folder; -r/],
    [join(home, 'not-there.txt'), /is not a file that can be read/],
    [here, /would both be alone\.txt/],
  ] as const) {
    const { code, err } = await run('files', 'put', here, second);
    assert.deepEqual([code, message.test(err)], [2, true], err);
  }
  assert.deepEqual(await json('files', 'ls', 'alone'), []);
});

test('the reads of a project are listed, with their samples and counts', async () => {
  const path = join(home, 'tumour.bam');
  const text = '@HD\tVN:1.6\n@RG\tID:a\tSM:S1\n@RG\tID:b\tSM:S2\n';
  const list = [0, 4].map((flags, position) => ({ reference: 0, position, flags, group: 'a' }));
  writeFileSync(path, bamBytes({ text, reads: list }));
  assert.deepEqual(await json('reads', 'ls'), []);
  assert.deepEqual(await json('references', 'ls'), []);
  const [file] = await json('files', 'put', path, '--ingest');
  assert.equal(file.state, 'succeeded');
  const [set, ...others] = await json('reads', 'ls', '--project', 'Scripts');
  assert.deepEqual([set.name, set.status, others], ['tumour', 'ACTIVE', []]);
  assert.deepEqual(
    set.readGroups.map(({ name }: { name: string }) => name),
    ['a', 'b'],
  );
  const { out } = await run('reads', 'ls');
  assert.match(out, /tumour +active +S1 S2 +1 +1 +/);
  assert.equal((await run('reads', 'ls', '--project', 'None of these')).code, 4);
});

test('the environment is enough: address and key; nothing of it is stored', async () => {
  const before = readFileSync(stored, 'utf8');
  const other = commandLine();
  const env = { PLOIDY_ADDRESS: `${server.baseUrl}/v1`, PLOIDY_API_KEY: server.apiKey };
  const listed = await other.start(['projects', 'ls', '--json'], { env }).ended;
  assert.equal(JSON.parse(listed.out)[0].id, project);
  const use = await other.start(['projects', 'use', 'Scripts'], { env }).ended;
  assert.equal(use.code, 2);
  assert.match(use.err, /--project/);
  assert.ok(!existsSync(join(other.home, 'ploidy')));
  assert.equal(readFileSync(stored, 'utf8'), before);
  other.remove();
});

test('a project is deleted, kept after all, and removed at once; its account as well, which ends the key', async () => {
  const { id } = await json('projects', 'create', 'Short-lived');
  const deleted = await json('projects', 'rm', 'Short-lived');
  assert.equal(deleted.id, id);
  assert.match((await run('projects', 'ls', 'short')).out, new RegExp(deleted.deletionDate));
  assert.match((await run('projects', 'rm', id)).out, /projects restore/);
  assert.equal((await json('projects', 'restore', id)).deletionDate, undefined);
  assert.deepEqual(await json('projects', 'rm', id, '--force'), { id, removed: true });
  assert.equal((await run('projects', 'restore', id)).code, 4);
  assert.equal((await run('projects', 'rm', 'Short-lived')).code, 4);

  const people = await People.open({ PLOIDY_DATA_DIR: server.folder });
  const { key, account } = await people.owner('short-lived');
  await people.close();
  const other = commandLine();
  const env = { PLOIDY_ADDRESS: server.baseUrl, PLOIDY_API_KEY: key };
  const asOwner = (...words: string[]) => other.start([...words, '--json'], { env }).ended;
  assert.match((await asOwner('accounts', 'rm', account)).out, /deletionDate/);
  assert.match((await asOwner('accounts', 'ls')).out, /deletionDate/);
  assert.doesNotMatch((await asOwner('accounts', 'restore', account)).out, /deletionDate/);
  assert.deepEqual(JSON.parse((await asOwner('accounts', 'rm', account, '--force')).out), {
    id: account,
    removed: true,
  });
  assert.equal((await asOwner('accounts', 'ls')).code, 3);
  assert.equal((await run('accounts', 'rm', 'nobody-has-this')).code, 4);
  other.remove();
});

test('the stored key is sent to no other address', async () => {
  const seen: (string | undefined)[] = [];
  const stranger = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.end('{}');
  });
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
  const { code } = await start(['projects', 'ls'], { env: { PLOIDY_ADDRESS: address } }).ended;
  stranger.close();
  assert.equal(code, 3);
  assert.deepEqual(seen, []);
});

test('a key that is refused is not stored, and what was stored stays', async () => {
  const before = readFileSync(stored, 'utf8');
  assert.equal((await run('login', '--address', server.baseUrl, '--key', 'wrong')).code, 3);
  assert.equal((await run('login', '--address', server.baseUrl, '--key', 'not\na key')).code, 2);
  assert.equal(
    (await run('login', '--first-run', server.folder, '--address', server.baseUrl, '--account', 'other'))
      .code,
    3,
  );
  assert.equal((await run('login')).code, 2);
  assert.equal(readFileSync(stored, 'utf8'), before);
});

test('a download into a pipe or a device never replaces it', {
  skip: process.platform === 'win32' && 'no /dev/null',
}, async () => {
  await json('files', 'put', sample, '--name', 'pipe.vcf');
  const got = await run('files', 'get', 'pipe.vcf', '/dev/null');
  assert.equal(got.code, 0, got.err);
  assert.ok(statSync('/dev/null').isCharacterDevice());
});

test('text of others cannot act on the terminal', async () => {
  const name = 'x\u202egnp.\u2066vcf';
  await json('files', 'put', sample, '--name', name);
  const listed = await run('files', 'ls', 'x');
  assert.match(listed.out, /x·gnp\.·vcf/);
  assert.equal((await run('files', 'rm', name)).code, 0);
});

test('damaged credentials are reported with a remedy', async () => {
  const before = readFileSync(stored, 'utf8');
  writeFileSync(stored, '{');
  const { code, err } = await run('whoami');
  writeFileSync(stored, before);
  assert.equal(code, 3);
  assert.match(err, /ploidy login/);
});
