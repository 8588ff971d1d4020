import { createWriteStream } from 'node:fs';
import { mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ConversionTask, ConvertedTable, Sql } from '@ploidy/engine';
import { convertFhir } from '../fhir/convert.ts';
import type { StudyPatient } from './clinical-tables.ts';

/** Version of the patients of a study: older than any of a hospital, whose record of the same patient has more. */
const lastUpdated = '1800-01-01T00:00:00Z';
const extensions = 'http://hl7.org/fhir/us/core/StructureDefinition';

/** Writes the tables of patients, as FHIR resources have them: studies and records of hospitals have the same patients. */
export async function patientTables(
  { outputFolder, options, ...task }: ConversionTask,
  sql: Sql,
  patients: ReadonlyMap<string, StudyPatient>,
): Promise<ConvertedTable[]> {
  if (patients.size === 0) return [];
  const path = join(outputFolder, 'patients.ndjson');
  await pipeline(Readable.from(lines(patients)), createWriteStream(path, { mode: 0o600 }));
  const folder = join(outputFolder, 'patients');
  await mkdir(folder, { mode: 0o700 });
  const { size: sourceSize } = await stat(path);
  const { source } = options;
  const made = await convertFhir(
    {
      ...task,
      ...{ type: 'fhir', sourcePath: path, sourceSize, outputFolder: folder },
      options: source === undefined ? {} : { source },
    },
    sql,
    // Patients are accounted for in the clinical files.
    { progress: () => undefined, warn: () => undefined, account: () => undefined },
  );
  // Files are published from the output folder itself.
  return Promise.all(
    made.map(async (table) => {
      const published = join(outputFolder, `patients-${table.table}.parquet`);
      await rename(table.path, published);
      return { ...table, path: published };
    }),
  );
}

function* lines(patients: ReadonlyMap<string, StudyPatient>): Generator<string> {
  for (const [id, patient] of patients) yield `${JSON.stringify(resourceOf(id, patient))}\n`;
}

function resourceOf(id: string, { gender, race, ethnicity, isDeceased }: StudyPatient): object {
  const extension = Object.entries({ race, ethnicity }).flatMap(([name, valueString]) =>
    valueString === undefined
      ? []
      : [{ url: `${extensions}/us-core-${name}`, extension: [{ url: 'text', valueString }] }],
  );
  return {
    resourceType: 'Patient',
    id,
    meta: { lastUpdated },
    ...(extension.length > 0 && { extension }),
    ...(gender !== undefined && { gender }),
    ...(isDeceased !== undefined && { deceasedBoolean: isDeceased }),
  };
}
