import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TestProject } from '../inputs/project.ts';
import { fhirText, vcfText } from '../inputs/texts.ts';
import { untilSwept } from './disk.ts';
import { MortalService } from './mortal-service.ts';

const patients = 1500;
const observationsEach = 6;
const records = 60_000;
const moments = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

let service: MortalService;
let project: TestProject;

before(async () => {
  service = await MortalService.start({ PLOIDY_INGESTIONS_MAX: '2' });
  project = await TestProject.make(service.call, 'Ingestions');
});
after(() => service.end());

/** The clinical and the omic file of a round; they replace those of the round before. */
async function uploadRound(round: string): Promise<[string, string]> {
  const fhir = await project.upload('patients.ndjson', fhirText(round, patients, observationsEach));
  return [fhir, await project.upload('sample.vcf', vcfText(round, records))];
}

/** What each table shows, as `round: rows`: never more than one round. */
async function visible(): Promise<Record<string, string[]>> {
  const counts = (table: string, column: string) =>
    project.ask(`select split_part(${column}, '-', 1), count(*) from ${table} group by 1`);
  return {
    patient: await counts('patient', 'patient_id'),
    observation: await counts('observation', 'patient_id'),
    variant: await counts('variant', 'sample_id'),
  };
}

const clinical = (round: string) => ({
  patient: [`${round},${patients}`],
  observation: [`${round},${patients * observationsEach}`],
});
const omic = (round: string) => ({ variant: [`${round},${records}`] });

test('a crash at any moment of an ingestion shows all of its rows or none, and the ingestion goes on by itself', async () => {
  for (const file of await uploadRound('r0')) await project.ingest(file);
  const startedAt = performance.now();
  const first = await Promise.all((await uploadRound('r0')).map((file) => project.startIngestion(file)));
  for (const id of first) assert.equal((await project.endOfIngestion(id)).state, 'succeeded');
  const durationMs = performance.now() - startedAt;
  process.stderr.write(`ingestions ${durationMs}\n`);
  let previous = 'r0';
  for (const [index, moment] of [...moments, undefined].entries()) {
    const round = `r${index + 1}`;
    const files = await uploadRound(round);
    const ids = await Promise.all(files.map((file) => project.startIngestion(file)));
    if (moment === undefined) for (const id of ids) await project.endOfIngestion(id);
    const before = moment === undefined ? ['succeeded', 'succeeded'] : [];
    await service.interrupt(Promise.resolve(), durationMs * (moment ?? 0));

    const seen = await visible();
    assert.ok(
      [previous, round].some((one) => {
        const { variant: _, ...rows } = seen;
        return JSON.stringify(rows) === JSON.stringify(clinical(one));
      }),
      `clinical rows in round ${round}: ${JSON.stringify(seen)}`,
    );
    assert.ok(
      [previous, round].some((one) => JSON.stringify(seen['variant']) === JSON.stringify(omic(one).variant)),
      `omic rows in round ${round}: ${JSON.stringify(seen)}`,
    );
    for (const id of ids) {
      const end = await project.endOfIngestion(id);
      assert.equal(end.state, 'succeeded', `${round}: ${JSON.stringify(end.error)}`);
    }
    assert.deepEqual(await visible(), { ...clinical(round), ...omic(round) });
    await untilSwept(service);
    assert.ok(before);
    previous = round;
  }
  await service.assertAuditWhole();
});
