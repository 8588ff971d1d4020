/** Every area of the API from the command line, and what scripts need of it. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { commandLine } from '../support/command-line.ts';
import { startServer, type TestServer } from '../support/server.ts';

const { home, start, run, json, remove } = commandLine();
const patients = join(import.meta.dirname, '../../samples/data/fhir/Patient.ndjson');
let server: TestServer;

before(async () => {
  server = await startServer();
  await json('login', '--first-run', server.folder, '--address', server.baseUrl);
  await json('projects', 'create', 'Whole', '--use');
  await json('files', 'put', patients, '--ingest');
});

after(async () => {
  await server.stop();
  remove();
});

test('a query leaves no file unless it is to be kept', async () => {
  const before = await json('files', 'ls');
  const sql = 'SELECT 1 AS n';
  assert.equal((await run('query', sql)).out, 'n\n1\n');
  await json('query', sql, '--save', join(home, 'n.parquet'));
  assert.equal(readFileSync(join(home, 'n.parquet')).subarray(0, 4).toString(), 'PAR1');
  assert.deepEqual(await json('files', 'ls'), before);
  await json('query', sql, '--output', 'kept/n.csv');
  await json('query', sql, '--keep');
  const kept = await json('files', 'ls');
  assert.equal(kept.length, before.length + 2);
});

test('each format writes its own values', async () => {
  const sql = `SELECT 7 AS n, 'a' || chr(9) || 'b' AS t, NULL AS x`;
  const of = async (format: string) => (await run('query', sql, '--format', format)).out;
  assert.equal(await of('tsv'), 'n\tt\tx\n7\ta\\tb\t\n');
  assert.equal(await of('ndjson'), '{"n":7,"t":"a\\tb","x":null}\n');
  assert.match(await of('table'), /^n {2}t/);
  const { columns, rows } = await json('query', sql);
  assert.deepEqual(rows, [{ n: 7, t: 'a\tb', x: null }]);
  assert.deepEqual(
    columns.map(({ name }: { name: string }) => name),
    ['n', 't', 'x'],
  );
});

test('an error is JSON under --json, with code, remedy, request id and exit code', async () => {
  const { code, out, err } = await run('files', 'get', '0192d3a1-5b7c-7e2a-9d40-6c1f2e3a4b5c', '--json');
  const error = JSON.parse(err);
  assert.deepEqual([code, out, error.code, error.exitCode], [4, '', 'NOT_FOUND', 4]);
  assert.match(error.remedy, /whoami/);
  assert.match(error.requestId, /./);
  const usage = JSON.parse((await run('files', 'gett', '--json')).err);
  assert.deepEqual([usage.code, usage.exitCode], ['USAGE', 2]);
});

test('a folder goes up whole, again without what is there, and down by a pattern', async () => {
  const folder = join(home, 'run7');
  mkdirSync(join(folder, 'deep'), { recursive: true });
  writeFileSync(join(folder, 'a.txt'), 'one\ntwo\nthree\n');
  writeFileSync(join(folder, 'deep/b.txt'), 'b');
  writeFileSync(join(folder, '.hidden'), 'no');
  const sent = await json('files', 'put', '-r', folder);
  assert.deepEqual(sent.map(({ name }: { name: string }) => name).sort(), ['run7/a.txt', 'run7/deep/b.txt']);
  const again = await json('files', 'put', '-r', folder, '--skip-existing');
  assert.deepEqual(
    again.map(({ skipped }: { skipped: boolean }) => skipped),
    [true, true],
  );
  writeFileSync(join(folder, 'deep/b.txt'), 'changed');
  const synced = await json('files', 'sync', folder, 'run7');
  assert.deepEqual([synced.uploaded, synced.unchanged], [['run7/deep/b.txt'], 1]);
  assert.equal((await run('files', 'head', 'run7/a.txt', '-n', '2')).out, 'one\ntwo\n');
  assert.equal((await run('files', 'cat', 'run7/a.txt', 'run7/deep/b.txt')).out, 'one\ntwo\nthree\nchanged');
  assert.equal((await run('files', 'get', 'run7/*.txt', join(home, 'down'))).code, 0);
  assert.equal(readFileSync(join(home, 'down/run7/a.txt'), 'utf8'), 'one\ntwo\nthree\n');
});

test('cohorts, keys, clients, attributes and raw requests are within reach', async () => {
  const cohort = await json('cohorts', 'create', 'All', '--sql', 'SELECT patient_id FROM patient');
  assert.ok(cohort.resultCount > 0);
  await json('cohorts', 'rename', 'All', 'Everybody');
  assert.deepEqual(
    (await json('cohorts', 'ls')).map(({ name }: { name: string }) => name),
    ['Everybody'],
  );
  assert.ok((await json('ask', 'SELECT patients FROM patient')).patients.length > 0);
  assert.ok((await json('ask', '{"target": "patient"}')).patients.length > 0);
  assert.equal((await run('ask', '{"target"')).code, 2);
  assert.equal((await run('cohorts', 'rm', 'Everybody')).code, 0);
  const { key, id } = await json('keys', 'create', 'Nightly', '--days', '7');
  assert.equal((await start(['whoami'], { env: { PLOIDY_API_KEY: key } }).ended).code, 0);
  assert.equal((await run('keys', 'rm', id)).code, 0);
  const client = await json(
    'clients',
    'create',
    'Portal',
    '--callback',
    'https://portal.example/',
    '--flow',
    'code',
  );
  assert.equal((await json('clients', 'show', client.id)).name, 'Portal');
  assert.equal((await run('clients', 'rm', client.id)).code, 0);
  const { user } = await json('whoami');
  const attributes = await json('users', 'attributes', user.id, 'department=cardiology', 'level=3');
  assert.deepEqual(attributes, { department: 'cardiology', level: 3 });
  assert.equal(JSON.parse((await run('api', 'GET', '/v1/projects?pageSize=5')).out).items.length, 1);
});

test('a patient is printed as a phenopacket, and an unknown one is not found', async () => {
  const { id, subject } = await json('phenopacket', 'syn-0001');
  assert.deepEqual([id, subject.id], ['syn-0001', 'syn-0001']);
  const { code, out } = await run('phenopacket', 'nobody');
  assert.deepEqual([code, out], [4, '']);
});

test('a prompt runs statements from standard input, one after the other', async () => {
  const refused = await run('sql', 'SELECT 1');
  assert.deepEqual([refused.code, /ploidy query/.test(refused.err)], [2, true]);
  const { ended } = start(['sql'], { input: 'SELECT 1 AS a;\nSELECT\n2 AS b;\n\\d patient\n' });
  const { code, out } = await ended;
  assert.equal(code, 0);
  assert.match(out, /^a\n1\nb\n2\ncolumn/);
});

test('profiles keep several sign-ins apart, and words are completed', async () => {
  await json('login', '--first-run', server.folder, '--address', server.baseUrl, '--profile', 'other');
  const names = (await json('profiles', 'ls')).map(({ name }: { name: string }) => name);
  assert.deepEqual(names.sort(), ['default', 'other']);
  assert.equal((await json('whoami', '--profile', 'other')).project, undefined);
  assert.match((await run('completion', 'bash')).out, /complete -o default -F _ploidy ploidy/);
  assert.equal((await run('completion', 'words', '--', 'files', 'sy')).out, 'sync\n');
  assert.equal((await run('completion', 'words', '--', 'query', '--project', 'Wh')).out, 'Whole\n');
});

test('releases of annotation sources are listed, and the filling is paused and resumed', async () => {
  const panel = join(home, 'breast.txt');
  writeFileSync(panel, 'gene\nBRCA1\nBRCA2\n');
  await json('files', 'put', panel, '--name', 'breast.txt');
  await json(
    'ingest',
    'breast.txt',
    '--type',
    'annotation',
    '--source-version',
    '2',
    '--released',
    '2026-11-08',
  );
  const [listed] = await json('annotations', 'ls');
  assert.deepEqual([listed.source, listed.version, listed.rows, listed.isUsed], ['breast', '2', 2, true]);
  assert.deepEqual(await json('annotations', 'changes', '--source', 'breast'), []);
  assert.equal((await json('annotations', 'pause')).state, 'done');
  assert.equal((await json('annotations', 'resume')).rowsTotal, 0);
});
