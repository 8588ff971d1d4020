/**
 * Ingestions, deletions, queries and the merging of files go on while the service and its processes are killed at random moments.
 * PLOIDY_TEST_CRASH_SECONDS: how long; PLOIDY_TEST_CRASH_SEED: of the moments.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { randomOf } from '../../samples/generator/random.ts';
import { TestProject } from '../inputs/project.ts';
import { fhirText, vcfText } from '../inputs/texts.ts';
import { cleanEnvironment } from '../support/server.ts';
import { until } from '../support/until.ts';
import { untilSwept } from './disk.ts';
import { MortalService } from './mortal-service.ts';
import { killWorkers } from './worker-processes.ts';

const seconds = Number(process.env['PLOIDY_TEST_CRASH_SECONDS'] ?? 15);
const seed = Number(process.env['PLOIDY_TEST_CRASH_SEED'] ?? 7);
const ploidy = join(import.meta.dirname, '../../bin/ploidy.js');
const longestLifeMs = 2500;

let service: MortalService;
let project: TestProject;

before(async () => {
  service = await MortalService.start({ PLOIDY_COMPACTION_FILES: '3', PLOIDY_INGESTIONS_MAX: '2' });
  project = await TestProject.make(service.call, 'Crashes');
});
after(() => service.end());

interface Taken {
  name: string;
  file: string;
  ingestion: string;
  rows: number;
}

async function verifyLake(): Promise<void> {
  const env = { ...cleanEnvironment(), PLOIDY_DATA_DIR: service.folder };
  const { stdout } = await promisify(execFile)(process.execPath, [ploidy, 'admin', 'verify-lake'], { env });
  assert.match(stdout, /^problems: 0$/m);
}

const linuxOnly = process.platform === 'linux' ? false : 'processes are found in /proc';
const timeout = seconds * 1000 + 240_000;

test('killed at random moments, it keeps all that it acknowledged and leaves nothing half-done', {
  skip: linuxOnly,
  timeout,
}, async () => {
  const { next: random } = randomOf(seed);
  const taken: Taken[] = [];
  const queries: string[] = [];
  const kills = { service: 0, query: 0, conversion: 0, rewrite: 0 };
  const endsAt = Date.now() + seconds * 1000;
  for (let round = 0; Date.now() < endsAt; round += 1) {
    const name = `r${round}`;
    const rows = 1 + Math.floor(random() * 4000);
    const vcf = await project.upload(`${name}.vcf`, vcfText(name, rows));
    taken.push({ name, file: vcf, ingestion: await project.startIngestion(vcf), rows });
    const fhir = await project.upload(`${name}.ndjson`, fhirText(name, 5, 2));
    taken.push({ name: `${name}-0`, file: fhir, ingestion: await project.startIngestion(fhir), rows: 2 });
    queries.push(
      await project.startQuery('select count(*) from range(30000000) t(i) where i % 7 = 3', 'crash.csv'),
    );
    if (random() < 0.2 && taken.length > 4) {
      const [gone] = taken.splice(Math.floor(random() * (taken.length - 2)), 1);
      assert.equal((await service.call('DELETE', `/v1/files/${gone?.file}`)).status, 204);
    }
    await delay(random() * longestLifeMs);
    const victim =
      (['service', 'service', 'query', 'conversion', 'rewrite'] as const)[Math.floor(random() * 5)] ??
      'service';
    if (victim === 'service') await service.dieAfter(0);
    kills[victim] += victim === 'service' ? 1 : killWorkers(service, victim);
  }
  const told = `seed ${seed}, killed: ${JSON.stringify(kills)}`;
  process.stdout.write(`# ${told}\n`);

  const seen = new Map<string, number>();
  const expected = new Map<string, number>();
  for (const { name, ingestion, rows } of taken) {
    const end = await project.endOfIngestion(ingestion);
    // An ingestion that was interrupted three times is given up, and says so.
    if (end.state === 'succeeded') expected.set(name, rows);
    else assert.equal(end.error?.code, 'INTERRUPTED', `${told}: ${JSON.stringify(end.error)}`);
  }
  const idle = () =>
    service.look((records) =>
      records
        .prepare('select 1 from lakes where version > compacted_version or compaction_job_id is not null')
        .all(),
    ).length === 0;
  await until(idle, 'all is merged');
  const lines = await project.ask(`select sample_id, count(*) from variant group by 1
    union all select patient_id, count(*) from observation group by 1`);
  for (const line of lines) seen.set(String(line.split(',')[0]), Number(line.split(',')[1]));
  for (const [name, rows] of expected) assert.equal(seen.get(name), rows, `${told}: rows of ${name}`);
  const mine = [...seen.keys()].filter((name) => !/-[1-4]$/.test(name));
  assert.deepEqual(mine.sort(), [...expected.keys()].sort(), told);

  for (const id of queries) {
    const { state, error } = await project.endOfQuery(id);
    const file = await service.call('GET', `/v1/files/${id}`);
    if (state === 'succeeded') assert.equal(file.text, 'count\n4285714\n', told);
    else assert.deepEqual([state, error?.code, file.status], ['failed', 'INTERRUPTED', 404], told);
  }
  await verifyLake();
  await service.dieAfter(0);
  await untilSwept(service);
  await verifyLake();
  await service.assertAuditWhole();
});
