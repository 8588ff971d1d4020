import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** A resource as a FHIR server holds it. */
export interface Resource {
  resourceType: string;
  id: string;
  meta: { lastUpdated: string };
  subject?: { reference?: string };
}

const folder = join(import.meta.dirname, '../../../samples/data/fhir');

/** Times of the last changes of the sample project, for a server that reports them. */
export const sampleTime = '2026-01-02T03:04:05.000Z';

/** Returns the clinical resources of the sample project. */
export function sampleResources(): Resource[] {
  return readdirSync(folder)
    .filter((name) => name.includes('.ndjson'))
    .sort()
    .flatMap((name) => {
      const bytes = readFileSync(join(folder, name));
      const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
      return text.trimEnd().split('\n');
    })
    .map((line) => {
      const resource = JSON.parse(line) as Resource;
      return { ...resource, meta: { ...resource.meta, lastUpdated: sampleTime } };
    });
}

/** Returns a few patients with observations, for tests that count requests. */
export function smallResources(patients: number, observationsEach: number, word = 'small'): Resource[] {
  const meta = { lastUpdated: sampleTime };
  return Array.from({ length: patients }, (_, index) => `${word}-${index + 1}`).flatMap((id) => {
    const subject = { reference: `Patient/${id}` };
    const coding = [{ system: 'http://loinc.org', code: '718-7' }];
    const observations = Array.from({ length: observationsEach }, (_, index) => ({
      resourceType: 'Observation',
      id: `${id}-o${index + 1}`,
      meta,
      status: 'final',
      code: { coding },
      subject,
      valueQuantity: { value: index, unit: 'g/dL' },
    }));
    return [{ resourceType: 'Patient', id, meta, gender: 'female' }, ...observations];
  });
}
