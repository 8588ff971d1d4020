/** The command line from login to logout; its other commands are in `*.stress.test.ts`. */
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { commandLine } from '../support/command-line.ts';
import { startServer, type TestServer } from '../support/server.ts';

const samples = join(import.meta.dirname, '../../samples/data');
let server: TestServer;
const { home, run, json, remove } = commandLine();

before(async () => {
  server = await startServer();
});

after(async () => {
  await server.stop();
  remove();
});

test('a person goes from login to the answer', async () => {
  assert.equal((await run('projects', 'ls')).code, 3);
  const login = await run('login', '--first-run', server.folder, '--address', server.baseUrl);
  assert.equal(login.code, 0, login.err);
  assert.equal(statSync(join(home, 'ploidy/credentials.json')).mode & 0o777, 0o600);
  const project = await json('projects', 'create', 'Journey', '--use');
  assert.deepEqual(
    (await json('projects', 'ls', 'jour')).map(({ id }: { id: string }) => id),
    [project.id],
  );

  const files = ['fhir/Patient.ndjson', 'fhir/Specimen.ndjson', 'vcf/SYN0001.vcf'].map((file) =>
    join(samples, file),
  );
  const put = await json('files', 'put', ...files, '--prefix', 'in');
  assert.equal(put.length, 3);
  assert.equal((await json('files', 'ls', 'IN/')).length, 3);
  const got = join(home, 'got.vcf');
  assert.equal((await run('files', 'get', 'in/SYN0001.vcf', got)).code, 0);
  assert.ok(readFileSync(got).equals(readFileSync(join(samples, 'vcf/SYN0001.vcf'))));

  const ingested = await json('ingest', 'in/Patient.ndjson', 'in/Specimen.ndjson', put[2].id);
  assert.deepEqual(
    ingested.map(({ state, type }: { state: string; type: string }) => `${type} ${state}`),
    ['fhir succeeded', 'fhir succeeded', 'vcf succeeded'],
  );
  const tables = (await json('schema')).map(({ table }: { table: string }) => table);
  assert.deepEqual(tables, [
    'alteration',
    'coding',
    'demographic',
    'patient',
    'resource',
    'sample_profile',
    'sequence',
    'specimen',
    'variant',
    'variant_call',
  ]);
  assert.equal((await json('schema', 'patient')).columns.length, 3);

  const sql =
    'SELECT s.patient_id, count(*) AS n FROM variant v JOIN sequence s ON s.id = v.sample_id GROUP BY 1';
  const csv = await run('query', sql);
  assert.match(csv.out, /^patient_id,n\nsyn-0001,\d+\n$/);
  const query = await json('query', sql);
  assert.deepEqual(
    query.rows.map((row: { patient_id: string }) => row.patient_id),
    ['syn-0001'],
  );
  const saved = join(home, 'saved.csv');
  writeFileSync(join(home, 'q.sql'), sql);
  assert.equal((await run('query', '-f', join(home, 'q.sql'), '--save', saved)).code, 0);
  assert.equal(readFileSync(saved, 'utf8'), csv.out);
  assert.equal((await json('queries', 'ls')).length, 3);
});

test('nothing is left after logout', async () => {
  assert.equal((await run('logout')).code, 0);
  assert.equal((await run('whoami')).code, 3);
});
