import { type QueryTask, type ResultFormat, resultFormats, type TimestampForm } from '@ploidy/engine';

/** Format of a result file. Exports write the lines of a statement as `fhir`, `vcf` or `text`. */
export type FileFormat = ResultFormat | 'fhir' | 'vcf' | 'text';

/** Media type of a result, and the ending that tools expect of its name; the specification puts nothing behind that of a CSV. */
const forms: Readonly<Record<FileFormat, { contentType: string; ending?: string }>> = {
  csv: { contentType: 'text/csv; charset=utf-8; header=present' },
  parquet: { contentType: 'application/vnd.apache.parquet', ending: '.parquet' },
  arrow: { contentType: 'application/vnd.apache.arrow.stream', ending: '.arrows' },
  ndjson: { contentType: 'application/x-ndjson', ending: '.ndjson' },
  fhir: { contentType: 'application/fhir+ndjson', ending: '.ndjson' },
  vcf: { contentType: 'text/plain; charset=utf-8', ending: '.vcf' },
  text: { contentType: 'text/plain; charset=utf-8', ending: '.txt' },
};

export const contentTypeOf = (format: FileFormat): string => forms[format].contentType;

/**
 * Splits a name where the number of a repeated name goes: at the end for CSV (specification D.3), and before the ending of another
 * format, by which tools recognise a file.
 */
export function splitName(name: string, format: FileFormat): [stem: string, ending: string] {
  const dot = name.lastIndexOf('.');
  const hasEnding = forms[format].ending !== undefined && dot > name.lastIndexOf('/') + 1;
  return hasEnding ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
}

const fileFormats: readonly FileFormat[] = [...resultFormats, 'fhir', 'vcf', 'text'];

/** Reads the format that the job of a query names. */
export function formatOf(payload: Readonly<Record<string, string>>): FileFormat {
  return fileFormats.find((format) => format === payload['format']) ?? 'csv';
}

/** Reads the form of timestamps that the job of a query names. */
export const timestampsOf = (payload: Readonly<Record<string, string>>): TimestampForm =>
  payload['timestamps'] === 'exact' ? 'exact' : 'utc';

/** Returns the format in which the engine writes a file. */
export const engineFormatOf = (format: FileFormat): NonNullable<QueryTask['format']> =>
  format === 'fhir' || format === 'vcf' || format === 'text' ? 'lines' : format;
