import { join } from 'node:path';
import type {
  ConversionOptions,
  ConversionTask,
  ConvertedTable,
  Reporter,
  SampleLink,
  Sql,
} from '@ploidy/engine';
import { InputError, storedTable } from '@ploidy/formats';
import { TableFile } from './table-file.ts';

export interface NamedSamples {
  /** Names in the lake, in the order of the file. */
  ids: string[];
  /** Patients and specimens by name in the lake. */
  links: ReadonlyMap<string, Partial<SampleLink>>;
}

/** Applies the sample options of a request: another name for the only sample, patients, specimens. */
export function namedSamples(names: string[], options: ConversionOptions, report: Reporter): NamedSamples {
  if (options.sampleId !== undefined && names.length > 1) throw severalSamples(names.length);
  const ids = options.sampleId === undefined ? names : [options.sampleId];
  if ((options.patientId ?? options.specimenId) !== undefined && ids.length !== 1) {
    throw new InputError(
      ids.length === 0
        ? 'The file names no sample: give sampleId together with patientId.'
        : `patientId and specimenId are for files with one sample, but this file has ${ids.length}: use samples instead.`,
    );
  }
  return { ids, links: sampleLinks(names, ids, options, report) };
}

/** Creates the error for one name of several samples. */
export function severalSamples(count: number | string): InputError {
  return new InputError(`sampleId is for files with one sample, but this file has ${count}: omit it.`);
}

function sampleLinks(
  names: string[],
  ids: string[],
  options: ConversionOptions,
  report: Reporter,
): NamedSamples['links'] {
  const links = new Map<string, Partial<SampleLink>>();
  const [only] = ids;
  if (ids.length === 1 && only !== undefined) {
    const { patientId, specimenId } = options;
    links.set(only, {
      ...(patientId !== undefined && { patientId }),
      ...(specimenId !== undefined && { specimenId }),
    });
  }
  const idOfName = new Map(names.map((name, place) => [name, ids[place]]));
  for (const id of ids) idOfName.set(id, id);
  const linked = new Set<string>();
  for (const link of options.samples ?? []) {
    const id = idOfName.get(link.sampleId);
    if (id === undefined) {
      report.warn({ message: 'A sample that the request links to a patient is not in the file.' });
      continue;
    }
    if (linked.has(id)) throw new InputError('The request links the same sample twice.');
    linked.add(id);
    links.set(id, link);
  }
  return links;
}

/** Writes the table `sequence`: a row for each sample. */
export async function writeSequence(
  task: ConversionTask,
  sql: Sql,
  { ids, links }: NamedSamples,
): Promise<ConvertedTable> {
  const path = join(task.outputFolder, 'sequence.parquet');
  const file = new TableFile(path, { ...storedTable('sequence'), orderBy: [] });
  try {
    for (const id of ids) {
      const link = links.get(id);
      file.add({
        patient_id: link?.patientId,
        id,
        specimen_id: link?.specimenId,
        test_type: task.options.testType,
        sequence_type: task.options.sequenceType,
      });
    }
    await file.end(sql);
  } finally {
    file.close();
  }
  return { table: 'sequence', path, rows: file.rowCount };
}
