/** Reads and searches of the FHIR interface: of one patient, and over all. */
import { fhirBenchFile } from './inputs.ts';
import { ingest, median, upload } from './lake.ts';
import { type Service, startService } from './service.ts';

/** Patients that are asked about, one after the other. */
const rounds = 20;

/** Requests by name: the first ones are about one patient. */
const questions: Record<string, (patient: string) => string> = {
  'read a patient': (patient) => `Patient/${patient}`,
  'record of a patient, first page': (patient) => `Patient/${patient}/$everything`,
  'patient and code': (patient) => `Observation?patient=${patient}&code=http://loinc.org|718-7`,
  'patient, category and date': (patient) =>
    `Observation?patient=${patient}&category=laboratory&date=ge2015-01-01`,
  'conditions of a patient': (patient) => `Condition?patient=${patient}`,
  'first page of a code': () => 'Observation?code=http://loinc.org|718-7&_count=50',
  'number with a code': () => 'Observation?code=http://loinc.org|718-7&_summary=count',
};

/** `argument`: number of resources; 1,000,000 by default. */
export async function bench(argument = '1000000'): Promise<void> {
  const { path } = await fhirBenchFile({ resources: Number(argument) });
  const service = await startService();
  try {
    const { id } = await service.call<{ id: string }>('POST', '/v1/projects', { name: 'FHIR' });
    const { ms } = await ingest(service, id, await upload(service, id, 'all.ndjson', path));
    print(`${argument} resources ingested in ${(ms / 1000).toFixed(1)} s`);
    const { accounts } = await service.call<{ accounts: { id: string }[] }>('GET', '/v1/accounts');
    const base = `/${accounts[0]?.id}/v1/fhir/${id}`;
    const patients = await patientsOf(service, base);
    for (const [name, of] of Object.entries(questions)) {
      const times: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const from = performance.now();
        await service.call('GET', `${base}/${of(patients[round % patients.length] ?? '')}`);
        times.push(performance.now() - from);
      }
      print(`${name}: median ${median(times).toFixed(0)} ms, slowest ${Math.max(...times).toFixed(0)} ms`);
    }
  } finally {
    await service.stop();
  }
}

/** Lists patients of a page, evenly in the order of their ids. */
async function patientsOf(service: Service, base: string): Promise<string[]> {
  const page = await service.call<{ entry: { resource: { id: string } }[] }>(
    'GET',
    `${base}/Patient?_count=1000&_elements=id`,
  );
  const ids = page.entry.map(({ resource }) => resource.id);
  const step = Math.max(1, Math.floor(ids.length / rounds));
  return ids.filter((_, at) => at % step === 0);
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);
