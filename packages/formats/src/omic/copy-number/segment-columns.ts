import { attributesOf, type Header } from '../../delimited/index.ts';
import type { Row } from '../../parquet/index.ts';
import { checkSegment, chromosomeNeeded, positionFrom1, positionNeeded } from '../genome.ts';
import type { SampleColumn } from '../sample-column.ts';
import { statusOf } from './status.ts';

/** Columns of a table of genome positions. */
interface SegmentPlaces {
  chromosome: number;
  start: number;
  end: number;
  /** Further columns of a segment that have a column here, so that they are no attributes. */
  reported: readonly number[];
}

/** Rows of `copynumber` without their gene. */
export class SegmentColumns {
  readonly #header: Header;
  readonly #sample: SampleColumn;
  readonly #places: SegmentPlaces;
  readonly #firstBase: 0 | 1;
  readonly #attributes: (fields: readonly string[]) => string | undefined;

  /** `firstBase`: number of the first base in starts. */
  constructor(header: Header, sample: SampleColumn, places: SegmentPlaces, firstBase: 0 | 1) {
    const { chromosome, start, end, reported } = places;
    this.#header = header;
    this.#sample = sample;
    this.#places = places;
    this.#firstBase = firstBase;
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
      status: statusOf(copyNumber),
      attributes: this.#attributes(fields),
      chromosome: chromosomeNeeded(fields, chromosome),
      start_position: startPosition,
      end_position: endPosition,
    };
  }
}
