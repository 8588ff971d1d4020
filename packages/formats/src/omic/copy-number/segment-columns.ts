import { attributesOf, type Header, textAt } from '../../delimited/index.ts';
import type { Row } from '../../parquet/index.ts';
import { checkSegment, chromosomeNeeded, positionFrom1, positionNeeded } from '../genome.ts';
import type { SampleColumn } from '../sample-column.ts';
import { calledStatus, statusBy } from './status.ts';

/** Columns of a table of genome positions. */
interface SegmentPlaces {
  chromosome: number;
  start: number;
  end: number;
  /** Further columns of a segment that have a column here, so that they are no attributes. */
  reported: readonly number[];
}

/** Names of columns with the program's own call, such as `Corrected_Call`, `CNV_State`, `TITAN_call`. */
const called =
  /(?:^|[\s._-])(?:call|status|state|(?:cnv?|segment|alteration)?[\s._-]?type|event|class(?:ification)?)$/i;

/** Rows of `copynumber` but for their gene. */
export class SegmentColumns {
  readonly #header: Header;
  readonly #sample: SampleColumn;
  readonly #places: SegmentPlaces;
  readonly #firstBase: 0 | 1;
  /** Columns with a word of the program for the segment; the first with a known word counts. */
  readonly #calls: readonly number[];
  readonly #attributes: (fields: readonly string[]) => string | undefined;

  /** `firstBase`: number of the first base in starts. */
  constructor(header: Header, sample: SampleColumn, places: SegmentPlaces, firstBase: 0 | 1) {
    const { chromosome, start, end, reported } = places;
    this.#header = header;
    this.#sample = sample;
    this.#places = places;
    this.#firstBase = firstBase;
    this.#calls = header.names.flatMap((name, place) => (called.test(name) ? [place] : []));
    this.#attributes = attributesOf(header, [sample.place, chromosome, start, end, ...reported]);
  }

  /** Builds the row of a line; `copiesAt` reads its number of copies. Throws `RecordFault`. */
  row(fields: readonly string[], copiesAt: (fields: readonly string[]) => number | undefined): Row {
    this.#header.check(fields);
    const { chromosome, start, end } = this.#places;
    if (this.#firstBase === 1) positionFrom1(fields, start);
    const startPosition = positionNeeded(fields, start) + 1 - this.#firstBase;
    const endPosition = positionNeeded(fields, end);
    checkSegment(startPosition, endPosition, end);
    const copyNumber = copiesAt(fields);
    return {
      sample_id: this.#sample.at(fields),
      copy_number: copyNumber,
      status: statusBy(this.#callOf(fields), copyNumber),
      attributes: this.#attributes(fields),
      chromosome: chromosomeNeeded(fields, chromosome),
      start_position: startPosition,
      end_position: endPosition,
    };
  }

  #callOf(fields: readonly string[]): ReturnType<typeof calledStatus> {
    for (const place of this.#calls) {
      const status = calledStatus(textAt(fields, place) ?? '');
      if (status !== undefined) return status;
    }
    return undefined;
  }
}
