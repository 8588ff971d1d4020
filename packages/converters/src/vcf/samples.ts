import type { ConversionOptions, Reporter } from '@ploidy/engine';
import { columnsBeforeSamples } from '@ploidy/formats';
import { type NamedSamples, namedSamples } from '../tables/samples.ts';
import type { Beginning } from './beginning.ts';

/** `ids`: one a column; for a file without sample columns that of the request, or none. */
export interface FileSamples extends NamedSamples {
  /** Sample columns of the file. */
  columnCount: number;
}

/** Names and patients of a file's samples, from its header and the request. */
export function fileSamples(beginning: Beginning, options: ConversionOptions, report: Reporter): FileSamples {
  const names = beginning.header.samples ?? unnamedSamples(beginning.records[0]);
  return { columnCount: names.length, ...namedSamples(names, options, report) };
}

/** Files without a #CHROM line still have sample columns; they are called sample1, sample2 … */
function unnamedSamples(record: string | undefined): string[] {
  const columns = record?.split('\t') ?? [];
  if (columns.at(-1) === '') columns.pop();
  return columns.slice(columnsBeforeSamples).map((_, index) => `sample${index + 1}`);
}
