import { type Header, textAt } from '../../delimited/index.ts';
import type { OpenFile, TabularFormat } from '../format.ts';
import { SampleColumn } from '../sample-column.ts';
import { SegmentColumns } from './segment-columns.ts';
import { copiesAt } from './status.ts';

/** A program that tells the copies of both alleles of a segment. Its positions count from 1. */
interface Caller {
  name: string;
  /** Columns by which it is known beside those below. */
  recognised: readonly string[];
  chromosome: string;
  /** The names that its versions have for a column; the first that there is counts. */
  start: readonly string[];
  end: readonly string[];
  /** What is added up: the total, or both alleles. Of several names the first counts that has something in a line. */
  copies: readonly (readonly string[])[];
}

const callers: readonly Caller[] = [
  {
    name: 'ASCAT',
    recognised: ['sample'],
    chromosome: 'chr',
    start: ['startpos'],
    end: ['endpos'],
    copies: [['nMajor'], ['nMinor']],
  },
  {
    name: 'Sequenza',
    recognised: ['depth.ratio', 'A', 'B'],
    chromosome: 'chromosome',
    start: ['start.pos'],
    end: ['end.pos'],
    copies: [['CNt']],
  },
  {
    name: 'FACETS',
    recognised: ['cnlr.median'],
    chromosome: 'chrom',
    start: ['loc.start', 'start'],
    end: ['loc.end', 'end'],
    copies: [['tcn.em', 'tcn']],
  },
];

/** ASCAT's `segments.txt`, Sequenza's `segments.txt`, FACETS' `cncf`. Their samples are in `sample`, in none, and in `ID` or none. */
export const alleleSpecificFormats: readonly TabularFormat[] = callers.map((caller) => ({
  type: 'copynumber',
  name: caller.name,
  open: ({ header }) => {
    const columns = [[caller.chromosome], caller.start, caller.end, ...caller.copies];
    const isCaller =
      header.has(...caller.recognised) && columns.every((alternatives) => header.hasOne(...alternatives));
    return isCaller ? opened(header, caller) : undefined;
  },
}));

function opened(header: Header, caller: Caller): OpenFile {
  const [chromosome, start, end] = [[caller.chromosome], caller.start, caller.end].map((names) =>
    header.place(...names),
  ) as [number, number, number];
  const copies = caller.copies.map((names) =>
    names.map((name) => header.place(name)).filter((place) => place >= 0),
  );
  const sample = new SampleColumn(header, ['sample_id', 'sample', 'ID', 'SampleID'], { isQuoted: true });
  const segments = new SegmentColumns(header, sample, { chromosome, start, end, told: [] }, 1);
  let emptyCount = 0;
  return {
    isOneSample: sample.isMissing,
    rows(fields) {
      const told = copies.map((places) => places.find((place) => textAt(fields, place) !== undefined) ?? -1);
      const isEmpty = told.includes(-1);
      const row = segments.row(fields, (line) => (isEmpty ? undefined : sumAt(line, told)));
      if (isEmpty) emptyCount += 1;
      return [row];
    },
    remarks: () =>
      emptyCount === 0
        ? []
        : [`${emptyCount} segments have no number of copies: their copy_number and status are NULL.`],
  };
}

function sumAt(fields: readonly string[], places: readonly number[]): number {
  return places.reduce((sum, place) => sum + (copiesAt(fields, place) ?? 0), 0);
}
