import { attributesOf, type Header, RecordFault, textAt } from '../../delimited/index.ts';
import { InputError } from '../../input-error.ts';
import type { Row } from '../../parquet/index.ts';
import type { OpenFile, Opening, TabularFormat } from '../format.ts';
import { checkSegment, chromosomeNeeded, positionFrom1, positionNeeded } from '../genome.ts';
import { type CopyNumberProfile, isRecognised, listed, ProfileColumns } from '../profile.ts';
import { SampleColumn } from '../sample-column.ts';
import { Copies } from './copies.ts';
import { type CopyNumberStatus, calledStatus, statusBy } from './status.ts';

type Fields = readonly string[];

/** Reads tables of copy numbers as a profile describes them. */
export function copyNumberFormat(profile: CopyNumberProfile): TabularFormat {
  return {
    type: 'copynumber',
    name: profile.program,
    marksHeader: true,
    open: (opening) => (isRecognised(profile, opening.header) ? opened(opening, profile) : undefined),
  };
}

/** Names of columns with the program's own call, such as `Corrected_Call`, `CNV_State`, `TITAN_call`. */
const called =
  /(?:^|[\s._-])(?:call|status|state|(?:cnv?|segment|alteration)?[\s._-]?type|event|class(?:ification)?)$/i;

function opened({ header, records, comments }: Opening, profile: CopyNumberProfile): OpenFile {
  const columns = new ProfileColumns(header, profile);
  // R writes names in quotation marks by default.
  const sample = SampleColumn.of(header, profile.sample, { isQuoted: true });
  const { sampleAbove } = profile;
  const above = sampleAbove && comments.map((line) => sampleAbove.exec(line)?.[1]).find((name) => name);
  const copies = new Copies(columns, profile);
  const genes = columns.places(profile.gene);
  columns.used.push(...genes.slice(0, 1));
  const { placeOf, startsAt0 } = placeReader(columns, records, profile);
  const calls = callColumns(header, profile);
  const normal = header.place(...normalCopies);
  const attributes = attributesOf(header, [sample.place, ...columns.used]);
  const noGene = new Set(profile.noGene);
  return {
    isOneSample: sample.isMissing && above === undefined,
    ...(above !== undefined && { samples: [above] }),
    remarks: () => [...copies.remarks(), ...(startsAt0 ? [zeroStarts] : [])],
    doubts: () => copies.doubts(['copy_number', ...(calls.length === 0 ? ['status'] : [])]),
    rows(fields) {
      header.check(fields);
      const copyNumber = copies.at(fields);
      const isUnknown = copyNumber === undefined && profile.isOfGenes;
      // The place is not checked: such a gene has no row.
      if (isUnknown) return [];
      const place = placeOf(fields);
      const segment = {
        sample_id: above ?? sample.at(fields),
        copy_number: copyNumber,
        status: statusBy(callOf(fields, calls), place['chromosome'], copyNumber, normalAt(fields, normal)),
        attributes: attributes(fields),
        ...place,
      };
      const text = genes.map((place) => columns.text(fields, place)).find((gene) => gene !== undefined);
      const names = new Set((text ?? '').split(/[,;]/).map((name) => name.trim()));
      const found = [...names].filter((name) => name !== '' && !noGene.has(name));
      if (found.length === 0 && profile.isOfGenes)
        throw new RecordFault('the gene is missing', (genes[0] ?? 0) + 1);
      return found.length === 0 ? [segment] : found.map((gene) => ({ ...segment, gene }));
    },
  };
}

/** Columns with the copies that a chromosome normally has in the sample (DRAGEN). */
const normalCopies = ['Ploidy', 'Expected_Ploidy', 'Normal_Copy_Number', 'Reference_Copy_Number'];

/** Returns 1 for one sex chromosome; other numbers may be the ploidy of a tumor. */
function normalAt(fields: Fields, place: number): 1 | undefined {
  return textAt(fields, place) === '1' ? 1 : undefined;
}

/** Columns with a word of the program for the segment. */
function callColumns(header: Header, { call = [] }: CopyNumberProfile): number[] {
  const own = header.place(...listed(call));
  const { names } = header;
  return [...names.keys()].filter((place) => place === own || called.test(names[place] ?? ''));
}

/** Returns the status of the first known word. */
function callOf(fields: Fields, places: readonly number[]): CopyNumberStatus | undefined {
  for (const place of places) {
    const status = calledStatus(fields[place] ?? '');
    if (status !== undefined) return status;
  }
  return undefined;
}

/** `22:18898402-18913235` */
const interval = /^(\S+):([1-9]\d{0,14})-([1-9]\d{0,14})$/;

/** Builds the reader of the place of a segment. It throws `RecordFault` where the place is missing or impossible. */
function placeReader(
  columns: ProfileColumns,
  records: Opening['records'],
  profile: CopyNumberProfile,
): { placeOf: (fields: Fields) => Row; startsAt0: boolean } {
  const places = [profile.chromosome, profile.start, profile.end].map((names) => columns.place(names));
  const [chromosome = -1, start = -1, end = -1] = places;
  const whole = columns.place(profile.interval);
  const firstBase = firstBaseOf(records, { chromosome, start, end }, profile);
  const placeOf = (fields: Fields): Row => {
    const parts = whole < 0 ? undefined : interval.exec(columns.text(fields, whole) ?? '')?.slice(1);
    if (whole >= 0 && !parts) throw new RecordFault('the place is not like chr1:100-200', whole + 1);
    const [of, from, to] = parts ? [0, 1, 2] : [chromosome, start, end];
    const source = parts ?? fields;
    if (firstBase === 1) positionFrom1(source, from as number);
    const startPosition = positionNeeded(source, from as number) + 1 - firstBase;
    const endPosition = positionNeeded(source, to as number);
    checkSegment(startPosition, endPosition, whole < 0 ? end : whole);
    const name = chromosomeNeeded(source, of as number);
    return { chromosome: name, start_position: startPosition, end_position: endPosition };
  };
  return { placeOf, startsAt0: firstBase === 0 && profile.firstBase === 1 };
}

const zeroStarts =
  'Starts of 0, and starts that repeat the end before them, show that this file counts from 0: start_position is one higher.';

/** Places of the columns of a segment. */
interface SegmentPlaces {
  chromosome: number;
  start: number;
  end: number;
}

/**
 * Returns the number of the first base in the starts of segments. A profile may know it; starts of 0 beside starts that repeat the
 * end before them show that another program wrote the file. Otherwise the file itself has to show it, or `InputError` is thrown.
 */
function firstBaseOf(
  records: readonly (readonly string[])[],
  places: SegmentPlaces,
  { firstBase: known }: CopyNumberProfile,
): 0 | 1 {
  const hasZero = records.some((fields) => textAt(fields, places.start) === '0');
  const gaps = gapsBefore(records, places);
  const from1 = gaps.has(1);
  if (known !== 'seen') return hasZero && gaps.has(0) && !from1 ? 0 : known;
  const from0 = hasZero || gaps.has(0);
  // A table without records has no segment to place.
  if (records.length > 0 && from0 === from1) throw new InputError(unknownBase, { line: 1 });
  return from0 ? 0 : 1;
}

/** Returns 0 if a start repeats the end before it, and 1 if one follows the end before it. */
function gapsBefore(
  records: readonly (readonly string[])[],
  { chromosome, start, end }: SegmentPlaces,
): ReadonlySet<number> {
  const gaps = new Set<number>();
  for (const [index, fields] of records.entries()) {
    const from = textAt(fields, start);
    const before = records[index - 1];
    if (from !== undefined && before?.[chromosome] === fields[chromosome])
      gaps.add(Number(from) - Number(textAt(before ?? [], end)));
  }
  return gaps;
}

const unknownBase =
  'This is a table of segments, but nothing shows whether its starts count from 0 or from 1: no start is 0, and no segment begins where the one before ends. Name the columns sample_id, chromosome, start_position, end_position and copy_number, with starts that count from 1.';
