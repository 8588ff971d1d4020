/** One thing of a list on the command line: shown, changed, read in part, removed. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { bamBytes } from '../support/bam.ts';
import { commandLine } from '../support/command-line.ts';
import { startServer, type TestServer } from '../support/server.ts';

const { home, run, json, remove } = commandLine();
let server: TestServer;

/** Writes a file of the user. Returns its path. */
function written(name: string, content: string | Uint8Array): string {
  const path = join(home, name);
  writeFileSync(path, content);
  return path;
}

before(async () => {
  server = await startServer();
  await json('login', '--first-run', server.folder, '--address', server.baseUrl);
  await json('projects', 'create', 'First', '--use');
});

after(async () => {
  await server.stop();
  remove();
});

test('a project has another name, and a taken one is refused', async () => {
  const { id } = await json('projects', 'create', 'Second');
  assert.equal((await json('projects', 'rename', 'Second', 'Third')).name, 'Third');
  assert.equal((await json('projects', 'show', id)).name, 'Third');
  assert.equal((await run('projects', 'rename', 'Third', 'First')).code, 1);
});

test('a query is shown with its statement, and its result is removed; one that ended is not cancelled', async () => {
  await json('query', 'SELECT 7 AS n', '--keep');
  const [{ id }] = await json('queries', 'ls');
  assert.match((await run('queries', 'show', id)).out, /SELECT 7 AS n/);
  assert.notEqual((await run('queries', 'cancel', id)).code, 0);
  assert.equal((await run('queries', 'rm', id)).code, 0);
  assert.equal((await run('queries', 'show', 'no-query')).code, 4);
});

test('samples have the patients of a list', async () => {
  const list = written('samples.csv', 'sample_id,patient_id\nS1,p1\nS2,p2\n');
  assert.deepEqual(await json('samples', 'set', list), { samples: 2 });
  await json('samples', 'set', written('one.csv', 'sample_id,patient_id\nS2,p3\n'));
  const pairs = (await json('samples', 'ls')).map((one: Record<string, string>) => [
    one['sampleId'],
    one['patientId'],
  ]);
  assert.deepEqual(pairs, [
    ['S1', 'p1'],
    ['S2', 'p3'],
  ]);
  assert.equal((await run('samples', 'set', written('none.csv', 'x\n1\n'))).code, 2);
});

test('a cohort is shown with its patients', async () => {
  const made = await json('cohorts', 'create', 'Two', '--subject', 'p1', '--subject', 'p2');
  assert.equal((await json('cohorts', 'show', 'Two')).id, made.id);
  assert.equal((await run('cohorts', 'show', 'Three')).code, 4);
});

test('reads and bases of a region are printed', async () => {
  const reads = written(
    'reads.bam',
    bamBytes({ text: '@HD\tVN:1.6\n', reads: [{ reference: 0, position: 4 }] }),
  );
  const genome = written('tiny.fa', '>chr1\nACGTACGTAC\n>chr2\nTTTT\n');
  for (const { state } of await json('files', 'put', reads, genome, '--ingest'))
    assert.equal(state, 'succeeded');
  const [set] = await json('reads', 'ls');
  const part = join(home, 'part.bam');
  assert.equal((await run('reads', 'get', set.id, 'chr1:1-100', '-o', part)).code, 0);
  assert.deepEqual([...readFileSync(part).subarray(0, 2)], [0x1f, 0x8b]);
  const [reference] = await json('references', 'ls');
  assert.equal((await run('references', 'bases', reference.id, 'chr1:3-6')).out, '>chr1:3-6\nGTAC\n');
  assert.equal((await run('references', 'bases', reference.id, 'chr9:1-2')).code, 4);
});

test('clients are listed, and the identity provider of one is set and removed', async () => {
  const { id } = await json(
    'clients',
    'create',
    'Portal',
    '--callback',
    'https://p.example/',
    '--flow',
    'code',
  );
  const names = (await json('clients', 'ls')).map((one: { name: string }) => one.name);
  assert.ok(names.includes('Portal'));
  assert.equal((await run('clients', 'provider', id)).code, 2);
  assert.deepEqual((await json('clients', 'provider', id, '--none')).identityProviders, ['PASSWORD']);
});

test('a system of records is added and removed', async () => {
  const { name } = await json('ehrs', 'add', 'North', 'https://fhir.north.example/r4');
  assert.equal(name, 'North');
  assert.equal((await run('ehrs', 'rm', 'North')).code, 0);
  assert.equal((await run('ehrs', 'rm', 'North')).code, 4);
});
