import { type Header, numberAt, textAt } from '../../delimited/index.ts';
import type { OpenFile, TabularFormat } from '../format.ts';
import { SampleColumn } from '../sample-column.ts';
import { SegmentColumns } from './segment-columns.ts';
import { copiesAt } from './status.ts';

/** Program with copy numbers of both alleles of a segment. Its positions count from 1. */
interface Caller {
  name: string;
  /** Columns by which it is known beside those below. */
  recognised: readonly string[];
  chromosome: string;
  /** Names of a column by version; the first present counts. */
  start: readonly string[];
  end: readonly string[];
  /** Columns to add up: the total, or both alleles. The first of several names with a value in a line counts. */
  copies: readonly (readonly string[])[];
  /** Lower bound: its estimates fall below 0, which means none. */
  isBelowZero?: true;
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
  {
    name: 'PURPLE',
    recognised: ['minorAlleleCopyNumber', 'bafCount'],
    chromosome: 'chromosome',
    start: ['start'],
    end: ['end'],
    copies: [['copyNumber']],
    isBelowZero: true,
  },
];

/** Segments of ASCAT, Sequenza, FACETS (`cncf`) and PURPLE (`*.purple.cnv.somatic.tsv`). */
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
  const chromosome = header.place(caller.chromosome);
  const start = header.place(...caller.start);
  const end = header.place(...caller.end);
  const copies = caller.copies.map((names) =>
    names.map((name) => header.place(name)).filter((place) => place >= 0),
  );
  const sample = new SampleColumn(header, ['sample_id', 'sample', 'ID', 'SampleID'], { isQuoted: true });
  const segments = new SegmentColumns(header, sample, { chromosome, start, end, reported: [] }, 1);
  let emptyCount = 0;
  return {
    isOneSample: sample.isMissing,
    rows(fields) {
      const reported = copies.map(
        (places) => places.find((place) => textAt(fields, place) !== undefined) ?? -1,
      );
      const isEmpty = reported.includes(-1);
      const row = segments.row(fields, (line) => (isEmpty ? undefined : sumAt(line, reported, caller)));
      if (isEmpty) emptyCount += 1;
      return [row];
    },
    remarks: () =>
      emptyCount === 0
        ? []
        : [`${emptyCount} segments have no copy number: their copy_number and status are NULL.`],
  };
}

function sumAt(fields: readonly string[], places: readonly number[], { isBelowZero }: Caller): number {
  const at = (place: number): number =>
    (isBelowZero ? Math.max(0, numberAt(fields, place) ?? 0) : copiesAt(fields, place)) ?? 0;
  return places.reduce((sum, place) => sum + at(place), 0);
}
