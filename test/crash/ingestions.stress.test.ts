import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TestProject } from '../inputs/project.ts';
import { fhirText, vcfText } from '../inputs/texts.ts';
import { untilSwept } from './disk.ts';
import { MortalService } from './mortal-service.ts';

const patients = 900;
const observationsEach = 5;
const records = 30_000;
/** When the service dies, as part of the time that the ingestions take; 0 is right after they were accepted. */
const moments = [0, 0.25, 0.5, 0.75, 0.9, 1];

let service: MortalService;
let project: TestProject;

before(async () => {
  service = await MortalService.start({ PLOIDY_INGESTIONS_MAX: '2' });
  project = await TestProject.make(service.call, 'Ingestions');
});
after(() => service.end());

/** Replaces the clinical and the omic file by those of a round and begins to ingest them. */
async function beginRound(round: string): Promise<string[]> {
  const fhir = await project.upload('patients.ndjson', fhirText(round, patients, observationsEach));
  const vcf = await project.upload('sample.vcf', vcfText(round, records));
  return Promise.all([fhir, vcf].map((file) => project.startIngestion(file)));
}

async function finish(ids: string[]): Promise<void> {
  for (const id of ids) {
    const end = await project.endOfIngestion(id);
    assert.equal(end.state, 'succeeded', JSON.stringify(end.error));
  }
}

/** Counts rows by table and round: `table,round,rows`. */
async function visible(): Promise<{ clinical: string[]; omic: string[] }> {
  const rows = await project.ask(`
    select 'patient', split_part(patient_id, '-', 1) as round, count(*) from patient group by round union all
    select 'observation', split_part(patient_id, '-', 1) as round, count(*) from observation group by round union all
    select 'variant', sample_id as round, count(*) from variant group by round order by all`);
  const isOmic = (row: string): boolean => row.startsWith('variant');
  return { clinical: rows.filter((row) => !isOmic(row)), omic: rows.filter(isOmic) };
}

const whole = (round: string) => ({
  clinical: [`observation,${round},${patients * observationsEach}`, `patient,${round},${patients}`],
  omic: [`variant,${round},${records}`],
});

function assertOneOf<T>(found: T, allowed: T[]): void {
  const texts = allowed.map((one) => JSON.stringify(one));
  assert.ok(texts.includes(JSON.stringify(found)), `${JSON.stringify(found)} is none of ${texts.join(' ')}`);
}

test('a crash at any moment of an ingestion shows all of its rows or none, and it continues by itself', async () => {
  await finish(await beginRound('r0'));
  const warm = await beginRound('r0');
  const startedAt = performance.now();
  await finish(warm);
  const durationMs = performance.now() - startedAt;
  for (const [index, moment] of [...moments, undefined].entries()) {
    const round = `r${index + 1}`;
    const ids = await beginRound(round);
    if (moment === undefined) await finish(ids);
    await service.dieAfter(durationMs * (moment ?? 0));

    const seen = await visible();
    const possible = (moment === undefined ? [] : [whole(`r${index}`)]).concat(whole(round));
    assertOneOf(
      seen.clinical,
      possible.map(({ clinical }) => clinical),
    );
    assertOneOf(
      seen.omic,
      possible.map(({ omic }) => omic),
    );
    await finish(ids);
    assert.deepEqual(await visible(), whole(round));
    await untilSwept(service);
  }
  await service.assertAuditWhole();
});
