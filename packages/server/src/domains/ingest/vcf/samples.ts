import { columnsBeforeSamples, engineTypes, InputError } from '@ploidy/formats';
import type { ConversionOptions, Reporter, SampleLink } from '../../../platform/engine/conversion.ts';
import type { Beginning } from './beginning.ts';
import { columnsOf } from './catalogue.ts';
import { literal } from './sql-text.ts';

export interface FileSamples {
  /** Sample columns of the file. */
  columnCount: number;
  /** Names in the lake, one a column; for a file without sample columns the one of the request, or none. */
  ids: string[];
  /** Patients and specimens by name in the lake. */
  links: ReadonlyMap<string, Partial<SampleLink>>;
}

/** Names and patients of a file's samples, from its header and the request. */
export function fileSamples(beginning: Beginning, options: ConversionOptions, report: Reporter): FileSamples {
  const names = beginning.header.samples ?? unnamedSamples(beginning.records[0]);
  if (options.sampleId !== undefined && names.length > 1) {
    throw new InputError(`sampleId names one sample, but the file has ${names.length}.`);
  }
  const ids = options.sampleId === undefined ? names : [options.sampleId];
  if ((options.patientId ?? options.specimenId) !== undefined && ids.length !== 1) {
    throw new InputError(
      ids.length === 0
        ? 'The file names no sample: give sampleId together with patientId.'
        : `patientId and specimenId are of one sample, but the file has ${ids.length}: give samples instead.`,
    );
  }
  return { columnCount: names.length, ids, links: sampleLinks(names, ids, options, report) };
}

/** Files without a #CHROM line still have sample columns; they are called sample1, sample2 … */
function unnamedSamples(record: string | undefined): string[] {
  const columns = record?.split('\t') ?? [];
  if (columns.at(-1) === '') columns.pop();
  return columns.slice(columnsBeforeSamples).map((_, index) => `sample${index + 1}`);
}

function sampleLinks(
  names: string[],
  ids: string[],
  options: ConversionOptions,
  report: Reporter,
): FileSamples['links'] {
  const links = new Map<string, Partial<SampleLink>>();
  const [only] = ids;
  if (ids.length === 1 && only !== undefined) {
    const { patientId, specimenId } = options;
    links.set(only, {
      ...(patientId !== undefined && { patientId }),
      ...(specimenId !== undefined && { specimenId }),
    });
  }
  const linked = new Set<string>();
  for (const link of options.samples ?? []) {
    const id = ids.includes(link.sampleId) ? link.sampleId : ids[names.indexOf(link.sampleId)];
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

/** The rows of `sequence` as a SELECT. */
export function sequenceRows(samples: FileSamples, options: ConversionOptions): string {
  const columns = columnsOf('sequence');
  const rows = samples.ids.map((id) => {
    const link = samples.links.get(id);
    const values: Record<string, string | undefined> = {
      patient_id: link?.patientId,
      id,
      specimen_id: link?.specimenId,
      test_type: options.testType,
      sequence_type: options.sequenceType,
    };
    return `(${columns.map((column) => literal(values[column.name])).join(', ')})`;
  });
  const names = columns.map((column) => column.name).join(', ');
  const typed = columns
    .map((column) => `CAST(${column.name} AS ${engineTypes[column.type]}) AS ${column.name}`)
    .join(', ');
  // A row that is left out again gives an empty table its columns.
  const values = rows.length > 0 ? rows.join(', ') : `(${columns.map(() => 'NULL').join(', ')})`;
  return `SELECT ${typed} FROM (VALUES ${values}) AS t(${names}) ${rows.length > 0 ? '' : 'WHERE false'}`;
}
