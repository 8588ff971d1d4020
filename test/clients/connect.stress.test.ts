/** The lines of the page Connect run as they are shown: samtools, bcftools, the command line, Python, R and curl. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { type Connection, connectionsOf } from '../../packages/console/src/connect/lines.ts';
import { pythonWith, root } from '../deploy/tools.ts';
import { TestProject } from '../inputs/project.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { missing } from './missing.ts';

const run = promisify(execFile);
const samples = join(root, 'samples/data');
const patientsCount = 19;

/** Programs that lines need, the packages of those in Python, and what they print. */
const proofs: Record<string, { programs: string[]; packages?: string[]; prints: RegExp }> = {
  cli: { programs: ['bash'], prints: /./ },
  python: { programs: ['python3'], packages: ['pandas==3.1.1', 'pyarrow==26.0.1'], prints: /^19$/m },
  r: { programs: ['Rscript'], prints: /19$/m },
  duckdb: { programs: ['python3'], packages: ['duckdb==2.0.1'], prints: /\b19\b/ },
  samtools: { programs: ['samtools'], prints: /^@SQ[\s\S]*^\d+$/m },
  bcftools: { programs: ['bcftools'], prints: /^chr\w+\t\d+/m },
  'trino-python': { programs: ['python3'], packages: ['trino==0.340.0'], prints: /^19$/m },
  iceberg: { programs: ['python3'], packages: ['pyiceberg[pyarrow]==0.12.0'], prints: /^19$/m },
  drs: { programs: ['curl'], prints: /"checksums"[\s\S]*"url"/ },
  beacon: { programs: ['curl'], prints: /beaconId/ },
  fhir: { programs: ['curl'], prints: /"resourceType":\s*"Bundle"[\s\S]*"Patient"/ },
  mcp: { programs: ['curl'], prints: /"list_projects"/ },
};
/** Addresses and settings that other tests use: `trino.stress.test.ts`, `iceberg.stress.test.ts`, `test/trino`. */
const notRun = ['igv', 'trino-cli', 'jdbc', 'superset', 'spark'];

describe('the lines of the page Connect', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-connect-'));
  let app: TestApp;
  let connections: Connection[];

  before(async () => {
    app = await openTestApp({ PLOIDY_BEACON: 'true' });
    const opened = await app.call('PATCH', `/v1/accounts/${app.account}`, { body: { assistants: 'read' } });
    assert.equal(opened.status, 200, opened.text);
    const project = await TestProject.make(app.call, 'Connect');
    const take = (path: string) => project.take(path, readFileSync(join(samples, path)));
    await take('fhir/Patient.ndjson');
    await take('vcf/SYN0013-SYN0020.vcf.gz');
    const files = (await app.call('GET', `/v1/files?datasetId=${project.id}&name=vcf`)).body.items;
    const bam = 'bam/SYN0001.bam';
    await take(bam);
    const body = { datasetIds: [project.id] };
    const sets = await app.call('POST', `/${app.account}/v1/readgroupsets/search`, { body });
    const ids = { reads: sets.body.readGroupSets[0].id, variants: files[0].id, file: files[0].id };
    connections = connectionsOf({ origin: app.address, account: app.account, project: project.id, ...ids });
    mkdirSync(join(folder, 'bin'));
    symlinkSync(join(root, 'bin/ploidy.js'), join(folder, 'bin/ploidy'));
  });
  after(async () => {
    await app?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function outputOf({ id, language, lines }: Connection): Promise<string> {
    const path = `${join(folder, 'bin')}:${process.env['PATH']}`;
    const env = { ...process.env, PATH: path, PLOIDY_API_KEY: app.key, XDG_CONFIG_HOME: folder };
    const python = () => pythonWith(proofs[id]?.packages ?? []);
    const [program, flag] = { python: [python, '-c'], r: [() => 'Rscript', '-e'] }[String(language)] ?? [
      () => 'bash',
      '-euc',
    ];
    const { stdout } = await run((program as () => string)(), [String(flag), lines], { cwd: folder, env });
    return stdout;
  }

  test('every connection is run here or by a test of its own', () => {
    assert.deepEqual(connections.map(({ id }) => id).sort(), [...Object.keys(proofs), ...notRun].sort());
    assert.ok(connections.every(({ lines }) => !lines.includes(app.key)));
  });

  // In this order: R and DuckDB read what the command line saves.
  for (const [id, { programs, prints }] of Object.entries(proofs))
    test(`the lines of ${id} work as they stand`, async (context) => {
      const reason = await missing(...programs);
      if (reason) return context.skip(reason);
      const connection = connections.find((one) => one.id === id);
      assert.ok(connection);
      assert.match(await outputOf(connection), prints);
    });

  test('the command line saves every row', () => {
    const lines = readFileSync(join(folder, 'patients.csv'), 'utf8').trimEnd().split('\n');
    assert.equal(lines.length, patientsCount + 1);
  });
});
