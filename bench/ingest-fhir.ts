import { ingestEndToEnd } from './end-to-end.ts';
import { fhirBenchFile } from './inputs.ts';

const resources = 500_000;
const rounds = 5;

/** FHIR NDJSON from POST /v1/ingestions to `succeeded`: resources of all types, and observations alone. */
export async function bench(): Promise<void> {
  await ingest(undefined, 50_000);
  await ingest('Observation', 100_000);
}

async function ingest(type: string | undefined, wantedPerSecond: number): Promise<void> {
  const file = await fhirBenchFile({ resources, ...(type !== undefined && { type }) });
  const ours = await ingestEndToEnd({ name: `${resources}.ndjson`, path: file.path }, rounds);
  const rates = ours.times.map((ms) => Math.round((resources / ms) * 1000));
  process.stdout.write(
    `${resources} ${type ?? 'mixed resources'}: best ${Math.max(...rates)}/s (${Math.min(...rates)}–${Math.max(...rates)}), ` +
      `wanted ≥ ${wantedPerSecond} · memory of all processes ${(ours.peakBytes / 1e6).toFixed(0)} MB\n`,
  );
}
