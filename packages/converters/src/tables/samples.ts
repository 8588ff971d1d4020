import { join } from 'node:path';
import type {
  ConversionOptions,
  ConversionTask,
  ConvertedTable,
  Reporter,
  SampleLink,
  Sql,
} from '@ploidy/engine';
import { InputError, isEveryones, storedTable } from '@ploidy/formats';
import { TableFile } from './table-file.ts';

export interface NamedSamples {
  /** Names in the lake, in the order of the file. */
  ids: string[];
  /** Patients and specimens by name in the lake. */
  links: ReadonlyMap<string, Partial<SampleLink>>;
}

/** Applies the sample options of a request: other names, patients, specimens. Warns of names that programs give to every sample. */
export function namedSamples(names: string[], options: ConversionOptions, report: Reporter): NamedSamples {
  const renamed = newNames(names, options);
  const ids = names.map((name) => renamed.get(name) ?? name);
  if (names.length === 0 && options.sampleId !== undefined) ids.push(options.sampleId);
  if (new Set(ids).size < ids.length)
    throw new InputError('Two samples of the file would have the same name.');
  if ((options.patientId ?? options.specimenId) !== undefined && ids.length !== 1) {
    throw new InputError(
      ids.length === 0
        ? 'The file names no sample: give sampleId together with patientId.'
        : `patientId and specimenId are for files with one sample, but this file has ${ids.length}: use samples instead.`,
    );
  }
  const nobodys = ids.filter(isEveryones);
  if (nobodys.length > 0)
    report.warn({
      message: `${nobodys.length === 1 ? 'A sample has the name' : 'Samples have the names'} ${nobodys.slice(0, 5).join(', ')}, which programs give to every sample. The same name in another file would be the same sample, perhaps of another patient. Name it with ${names.length > 1 ? 'sampleIds' : 'sampleId'}.`,
    });
  return { ids, links: sampleLinks(names, ids, options, report) };
}

/** New names by those in the file. Throws `InputError` for a name that the file does not have. */
function newNames(
  names: readonly string[],
  { sampleId, sampleIds = {} }: ConversionOptions,
): ReadonlyMap<string, string> {
  const unknown = Object.keys(sampleIds).filter((name) => !names.includes(name)).length;
  if (unknown > 0)
    throw new InputError(
      `${unknown} names of sampleIds are not in the file: use the names that the file has.`,
    );
  const renamed = new Map(Object.entries(sampleIds));
  const [first, second] = names;
  if (sampleId === undefined || first === undefined) return renamed;
  if (second === undefined) return renamed.set(first, sampleId);
  const normal = names.find((name) => /^normal$/i.test(name));
  const other = names.find((name) => name !== normal);
  if (names.length > 2 || normal === undefined || !/^tumou?r$/i.test(other ?? ''))
    throw severalSamples(names.length);
  // Somatic callers: the request names the tumour, and the normal sample is beside it.
  return renamed.set(other ?? '', sampleId).set(normal, `${sampleId}-NORMAL`);
}

/** Creates the error for one name that is given to several samples. */
export function severalSamples(count: number | string): InputError {
  return new InputError(
    `sampleId is for files with one sample, or with TUMOR and NORMAL, but this file has ${count}: name them with sampleIds.`,
  );
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
  return { table: 'sequence', path, rows: file.rowCount, values: file.values };
}
