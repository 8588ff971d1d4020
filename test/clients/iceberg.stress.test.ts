/** pyiceberg reads every table of a project with the values of queries, from this service alone. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { pythonWith, root } from '../deploy/tools.ts';
import { TestProject } from '../inputs/project.ts';
import { openTestApp, type TestApp } from '../support/app.ts';

const run = promisify(execFile);
const packages = ['pyiceberg[pyarrow]==0.12.0'];
const samples = join(root, 'samples/data');
const sample = (name: string): Buffer => readFileSync(join(samples, name));

interface Read {
  columns: string[];
  rows: unknown[][];
}

/** Writes rows as texts in order: numbers have several spellings. */
const texts = (rows: unknown[][]): string[] =>
  rows.map((row) => row.map((value) => String(value ?? '')).join('|')).sort();

describe('the Iceberg catalogue', () => {
  let app: TestApp;
  let project: TestProject;

  before(async () => {
    app = await openTestApp({ PLOIDY_IDLE_WORKERS: '2' });
    project = await TestProject.make(app.call, 'Open tables');
    for (const name of ['Patient', 'Condition', 'Encounter', 'MedicationRequest', 'Specimen'])
      await project.take(`${name}.ndjson`, sample(`fhir/${name}.ndjson`));
    await project.take('SYN0001.vcf', sample('vcf/SYN0001.vcf'));
    await project.take('SYN0002.vcf', sample('vcf/SYN0002.vcf'));
    await project.take('copynumber.csv', sample('omic/copynumber.csv'));
    await project.take('visits.csv', 'patient,visit,score\nSYN-0001,2024-01-02,1.5\nSYN-0002,,7\n', {
      type: 'table',
      name: 'visits',
    });
  });
  after(() => app?.stop());

  async function readAll(): Promise<Record<string, Read>> {
    const env = { ...process.env, ADDRESS: app.address, KEY: app.key, PROJECT: 'open_tables' };
    const script = join(import.meta.dirname, 'iceberg_client.py');
    const { stdout } = await run(pythonWith(packages), [script], { env, maxBuffer: 1 << 28 });
    return JSON.parse(stdout);
  }

  /** Compares each table with the result of a query over it. */
  async function assertEqualToQueries(): Promise<string[]> {
    const tables = await readAll();
    for (const [name, { columns, rows }] of Object.entries(tables)) {
      const body = { datasetId: project.id, query: `SELECT * FROM "${name}"`, pageSize: 10_000 };
      const page = await app.call('POST', '/v1/analytics/data-lake/rows', { body });
      assert.equal(page.status, 200, page.text);
      const queried: Read = {
        columns: page.body.columns.map(({ name }: { name: string }) => name),
        rows: page.body.rows,
      };
      assert.deepEqual(columns, queried.columns, name);
      assert.equal(rows.length, queried.rows.length, name);
      assert.deepEqual(texts(rows), texts(queried.rows), name);
    }
    return Object.keys(tables);
  }

  test('every table has the rows of queries', async () => {
    const names = await assertEqualToQueries();
    for (const name of [
      'patient',
      'coding',
      'condition',
      'medication',
      'sequence',
      'variant',
      'variant_call',
      'copynumber',
      'resource',
      'visits',
    ])
      assert.ok(names.includes(name), `${name} is none of ${names}`);
  });

  test('versions, replacements and deletions show what queries show', async () => {
    const [first = '', ...others] = sample('fhir/Patient.ndjson').toString().trim().split('\n');
    const later = { ...JSON.parse(first), meta: { lastUpdated: '2030-01-01T00:00:00Z' }, gender: 'other' };
    const file = await project.take('later.ndjson', `${JSON.stringify(later)}\n${others[0]}\n`);
    await assertEqualToQueries();
    assert.equal((await app.call('DELETE', `/v1/files/${file}`)).status, 204);
    await assertEqualToQueries();
  });
});
