import { numberAt, RecordFault, textAt } from '../../delimited/index.ts';
import { isIn, segmentMeans } from '../../tables/domains.ts';
import type { Doubt } from '../format.ts';
import type { CopyNumberProfile, ProfileColumns } from '../profile.ts';
import { CopyUnit } from './copy-unit.ts';
import { copiesAt } from './status.ts';

type Fields = readonly string[];

/** Logarithms fall below 0 somewhere in any genome, and ratios are around 1: GATK wrote these until 2019 (gatk 5976). */
const looksLinear =
  'No segment mean is below 0: they may be ratios or copies instead of log2 ratios, so the values computed of them are NULL. Ingest a file with log2 ratios, or with a column copy_number.';
const ratiosMin = 3;
const ratioMin = 0.5;

/** Means beyond it are words for a missing value, such as -999. */
const meanMax = 40;
const isMeasured = (log2: number): boolean =>
  Math.abs(log2) <= meanMax && (!Number.isInteger(log2) || isIn(segmentMeans, log2));
const infinite = /^[-+]?inf(?:inity)?$/i;

/** Copies of segments: as called, else of both alleles, else by the ratio to a diploid reference or its logarithm (base 2). */
export class Copies {
  readonly #isEstimate: boolean;
  readonly #isOfGenes: boolean;
  readonly #called: readonly number[];
  readonly #clones: readonly { places: readonly number[]; share: number }[];
  readonly #log2: number;
  readonly #ratio: number;
  #unknownCount = 0;
  #infiniteCount = 0;
  readonly #unit = new CopyUnit();
  /** Means from which copies were computed: their sum and minimum. */
  #means = { count: 0, sum: 0, least: 0 };

  constructor(columns: ProfileColumns, profile: CopyNumberProfile) {
    const { copies, clones = [], log2, ratio, isEstimate = false, isOfGenes = false } = profile;
    this.#isEstimate = isEstimate;
    this.#isOfGenes = isOfGenes;
    this.#called = columns.places(copies);
    if (!isEstimate) columns.used.push(...this.#called.slice(0, 1));
    this.#clones = clones.map(({ alleles, share }) => ({
      places: columns.places(alleles),
      share: columns.places(share)[0] ?? -1,
    }));
    this.#log2 = columns.place(log2, { isKept: true });
    this.#ratio = columns.place(ratio, { isKept: true });
  }

  get #hasSource(): boolean {
    return this.#called.length > 0 || this.#clones.length > 0 || this.#log2 >= 0 || this.#ratio >= 0;
  }

  /** Undefined where a record has no copies, or an infinite mean: one probe without reads causes that for a whole segment (DNAcopy). */
  at(fields: Fields): number | undefined {
    const place = this.#called.find((one) => textAt(fields, one) !== undefined);
    const copies = place === undefined ? this.#ofAlleles(fields) : this.#number(fields, place);
    if (copies !== undefined) {
      this.#unit.add(copies);
      return copies;
    }
    if (infinite.test(textAt(fields, this.#log2) ?? '')) return this.#ofMean(Number.POSITIVE_INFINITY);
    const log2 = numberAt(fields, this.#log2);
    if (log2 !== undefined) return this.#ofMean(log2);
    const ratio = numberAt(fields, this.#ratio);
    if (ratio !== undefined && ratio < 0)
      throw new RecordFault('a ratio cannot be below 0', this.#ratio + 1, { isOfFile: true });
    if (ratio === undefined && this.#hasSource) this.#unknownCount += 1;
    return ratio === undefined ? undefined : 2 * ratio;
  }

  #number(fields: Fields, place: number): number | undefined {
    return this.#isEstimate ? Math.max(0, numberAt(fields, place) ?? 0) : copiesAt(fields, place);
  }

  /** Sums both alleles of each clone by its share; undefined where one of the first clone is missing. */
  #ofAlleles(fields: Fields): number | undefined {
    let sum: number | undefined;
    for (const { places, share } of this.#clones) {
      const found = places.map((place) => copiesAt(fields, place));
      if (found.length === 0 || found.includes(undefined)) break;
      const all = found.reduce<number>((total, copies) => total + (copies ?? 0), 0);
      sum = (sum ?? 0) + all * (numberAt(fields, share) ?? 1);
    }
    return sum;
  }

  /** Maximum mean of a segment, for which copies are still a number. */
  #ofMean(log2: number): number | undefined {
    const copies = 2 * 2 ** log2;
    if (isMeasured(log2)) {
      const { count, sum, least } = this.#means;
      this.#means = { count: count + 1, sum: sum + log2, least: Math.min(least, log2) };
      return copies;
    }
    this.#infiniteCount += 1;
    return undefined;
  }

  remarks(): string[] {
    const [infiniteCount, unknownCount] = [this.#infiniteCount, this.#unknownCount];
    const unknown = this.#isOfGenes
      ? `${unknownCount} genes without a copy number were left out.`
      : `${unknownCount} segments have no copy number: their copy_number and status are NULL.`;
    return [
      ...(unknownCount === 0 ? [] : [unknown]),
      ...(infiniteCount === 0
        ? []
        : [
            `${infiniteCount} segments have an infinite mean, or one beyond what can be measured, such as -9 or 999: their copy_number and status are NULL.`,
          ]),
    ];
  }

  /** Doubts about the copies, and the status that follows from them, where their means are no logarithms. */
  doubts(columns: readonly string[]): Doubt[] {
    const { count, sum, least } = this.#means;
    const isLinear = count >= ratiosMin && least === 0 && sum / count > ratioMin;
    return [...(isLinear ? [{ columns, message: looksLinear }] : []), ...this.#unit.doubts(columns)];
  }
}
