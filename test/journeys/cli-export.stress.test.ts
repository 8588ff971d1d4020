/** `ploidy ingest --type table` and `ploidy export`: import of a list as a table, and export of a project as files. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fhirText, vcfText } from '../inputs/texts.ts';
import { commandLine } from '../support/command-line.ts';
import { keptSql } from '../support/kept-sql.ts';
import { startServer, type TestServer } from '../support/server.ts';

const { run, json, remove } = commandLine();
const folder = mkdtempSync(join(tmpdir(), 'ploidy-cli-export-'));
const sent = fhirText('p', 3, 1);
let service: TestServer;

before(async () => {
  service = await startServer();
  await json('login', '--first-run', service.folder, '--address', service.baseUrl);
  await json('projects', 'create', 'Ward', '--use');
  writeFileSync(join(folder, 'patients.ndjson'), sent);
  writeFileSync(join(folder, 'tubes.csv'), 'Donor;Tube;Volume\np-0;007;1.5\np-1;008;2\n');
  await json('files', 'put', join(folder, 'patients.ndjson'), join(folder, 'tubes.csv'));
});
after(async () => {
  await service.stop();
  remove();
  rmSync(folder, { recursive: true, force: true });
});

test('a list becomes a table with the key, types and masks of the options', async () => {
  await json('ingest', 'patients.ndjson');
  const options = ['--type', 'table', '--table', 'tubes', '--patient-column', 'Donor'];
  const { code, err } = await run('ingest', 'tubes.csv', ...options, '--column', 'Volume=float,none');
  assert.equal(code, 0, err);
  const { columns } = await json('schema', 'tubes');
  assert.deepEqual(
    columns.map(({ name, type }: { name: string; type: string }) => `${name}:${type}`),
    ['patient_id:string', 'tube:string', 'volume:float'],
  );
  const wrong = await run('ingest', 'tubes.csv', '--type', 'table', '--column', 'Volume');
  assert.notEqual(wrong.code, 0);
});

test('a project is saved as a Parquet file for each table', async () => {
  const target = join(folder, 'tables');
  const { code, err } = await run('export', target);
  assert.equal(code, 0, err);
  assert.ok(readdirSync(target).includes('patient.parquet'));
  const sql = await keptSql(256 << 20);
  const rows = await sql.rows(
    `SELECT tube, volume FROM read_parquet('${join(target, 'tubes.parquet')}') ORDER BY 1`,
  );
  assert.deepEqual(rows, [
    { tube: '007', volume: 1.5 },
    { tube: '008', volume: 2 },
  ]);
});

test('resources are saved as FHIR Bulk Data, as they were sent, with a manifest', async () => {
  const target = join(folder, 'fhir');
  const { code, err } = await run('export', target, '--format', 'fhir');
  assert.equal(code, 0, err);
  const { output } = JSON.parse(readFileSync(join(target, 'manifest.json'), 'utf8'));
  assert.deepEqual(output, [
    { type: 'Observation', url: 'Observation.ndjson', count: 3 },
    { type: 'Patient', url: 'Patient.ndjson', count: 3 },
  ]);
  const parsed = (text: string): { resourceType: string; id: string }[] =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  const byId = (one: { id: string }, other: { id: string }): number => one.id.localeCompare(other.id);
  const patients = parsed(readFileSync(join(target, 'Patient.ndjson'), 'utf8'));
  const expected = parsed(sent).filter(({ resourceType }) => resourceType === 'Patient');
  assert.deepEqual(patients.sort(byId), expected.sort(byId));
});

test('a repeated export saves what is missing, and a folder of something else is left alone', async () => {
  const target = join(folder, 'again');
  await json('export', target, '--format', 'ndjson');
  const manifest = JSON.parse(readFileSync(join(target, 'manifest.json'), 'utf8'));
  const missing = manifest.output.pop();
  writeFileSync(join(target, 'manifest.json'), JSON.stringify(manifest));
  rmSync(join(target, missing.url));
  const kept = join(target, manifest.output[0].url);
  writeFileSync(kept, 'not fetched again');
  await json('export', target, '--format', 'ndjson');
  assert.ok(readdirSync(target).includes(missing.url));
  assert.equal(readFileSync(kept, 'utf8'), 'not fetched again');
  assert.equal((await run('export', target, '--format', 'fhir')).code, 2);
  assert.equal((await run('export', folder)).code, 2);
});

test('variants are saved as a VCF for each sample', async () => {
  writeFileSync(join(folder, 's.vcf'), vcfText('s', 2));
  await json('files', 'put', join(folder, 's.vcf'));
  await json('ingest', 's.vcf');
  const target = join(folder, 'vcf');
  const { output } = await json('export', target, '--format', 'vcf');
  assert.deepEqual(
    output.map(({ type }: { type: string }) => type),
    ['VCF'],
  );
  const text = readFileSync(join(target, output[0].url), 'utf8');
  assert.equal(text.split('\n').filter((line) => /^chr1\t/.test(line)).length, 2);
});
