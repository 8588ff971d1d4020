import { numberAt, RecordFault, textAt } from '../../delimited/index.ts';

/** Statuses of a copy number. */
export const copyNumberStatuses = ['loss', 'partialLoss', 'neutral', 'gain', 'amplification'] as const;

export type CopyNumberStatus = (typeof copyNumberStatuses)[number];

/** Copies of an amplification for each copy of the reference: 6 of a diploid chromosome. */
const amplificationFactor = 3;

/** Compares copies, rounded, with those that the chromosome normally has. */
export function statusOf(copyNumber: number | undefined, normal = 2): CopyNumberStatus | undefined {
  if (copyNumber === undefined) return undefined;
  const copies = Math.round(copyNumber);
  if (copies <= 0) return 'loss';
  if (copies < normal) return 'partialLoss';
  if (copies === normal) return 'neutral';
  return copies >= amplificationFactor * normal ? 'amplification' : 'gain';
}

/** Words of programs for what they call a segment (ichorCNA, TitanCNA, GATK, Control-FREEC, cn.MOPS, CNVkit, Canvas), as whole texts. */
const calls: readonly (readonly [word: RegExp, status: CopyNumberStatus])[] = [
  [
    /^(?:neut(?:ral)?|normal|norm|diploid|ref(?:erence)?|copy[\s_-]?neutral|no[\s_-]?change|unaltered|nloh|het|cn2|2n|0)$/i,
    'neutral',
  ],
  [
    /^(?:hl ?amp\d*|amp(?:lification)?|high[\s_-]?(?:level)?[\s_-]?(?:amp(?:lification)?|gain)|focal[\s_-]?amp.*)$/i,
    'amplification',
  ],
  [
    /^(?:gain|dup(?:lication)?|aloh|ascna|bcna|ubcna|copy[\s_-]?gain|low[\s_-]?level[\s_-]?gain|cn[3-9]|\+)$/i,
    'gain',
  ],
  [
    /^(?:homd|homozygous[\s_-]?(?:deletion|loss)|hom[\s_-]?del|deep[\s_-]?(?:deletion|loss)|complete[\s_-]?loss|cn0)$/i,
    'loss',
  ],
  [
    /^(?:hetd|dloh|loss|del(?:etion)?|(?:hemi|hetero)zygous[\s_-]?(?:deletion|loss)|het[\s_-]?(?:del|loss)|copy[\s_-]?loss|shallow[\s_-]?(?:deletion|loss)|cn1|-)$/i,
    'partialLoss',
  ],
];

/** Returns what a program calls a segment; undefined for other words. */
export const calledStatus = (text: string): CopyNumberStatus | undefined =>
  calls.find(([word]) => word.test(text.trim()))?.[1];

const directions: ReadonlyMap<CopyNumberStatus, number> = new Map([
  ['loss', -1],
  ['partialLoss', -1],
  ['neutral', 0],
  ['gain', 1],
  ['amplification', 1],
]);

/** Returns the status by the file's own call; the copies set its degree, if they have the same direction. */
export function statusBy(
  call: CopyNumberStatus | undefined,
  copies: number | undefined,
  normal = 2,
): CopyNumberStatus | undefined {
  const byCopies = statusOf(copies, normal);
  if (call === undefined || byCopies === undefined) return call ?? byCopies;
  return directions.get(call) === directions.get(byCopies) ? byCopies : call;
}

/** Reads the number of copies in a column. Throws `RecordFault`. */
export function copiesAt(fields: readonly string[], place: number): number | undefined {
  const copies = numberAt(fields, place);
  if (copies !== undefined && copies < 0) throw new RecordFault('a copy number cannot be below 0', place + 1);
  return copies;
}

/** Logarithms fall below 0 somewhere in any genome, and ratios are around 1: GATK wrote these until 2019 (gatk 5976). */
const looksLinear =
  'No segment mean is below 0. If the means are ratios instead of log2 ratios, all copy numbers are too high: ingest a file with log2 ratios.';
const ratiosMin = 10;
const ratioMin = 0.5;

const infinite = /^[-+]?inf(?:inity)?$/i;

/** Copies of segments: as called, else by the logarithm (base 2) of the ratio to a diploid reference. */
export class Copies {
  readonly #called: number;
  readonly #log2: number;
  #infiniteCount = 0;
  /** Means from which copies were computed: their sum and minimum. */
  #means = { count: 0, sum: 0, least: 0 };

  constructor(calledPlace: number, log2Place: number) {
    this.#called = calledPlace;
    this.#log2 = log2Place;
  }

  /**
   * Undefined for an infinite mean: one probe without reads causes that for a whole segment (DNAcopy). Throws `RecordFault`
   * without a number.
   */
  at(fields: readonly string[]): number | undefined {
    const called = copiesAt(fields, this.#called);
    if (called !== undefined) return called;
    const isInfinite = infinite.test(textAt(fields, this.#log2) ?? '');
    const log2 = isInfinite ? Number.POSITIVE_INFINITY : numberAt(fields, this.#log2);
    if (log2 !== undefined) return this.#ofMean(log2);
    throw new RecordFault(
      'the segment has neither a mean nor a copy number',
      Math.max(this.#called, this.#log2) + 1,
    );
  }

  /** Maximum mean of a segment, for which copies are still a number. */
  #ofMean(log2: number): number | undefined {
    const copies = 2 * 2 ** log2;
    if (Number.isFinite(copies)) {
      const { count, sum, least } = this.#means;
      this.#means = { count: count + 1, sum: sum + log2, least: Math.min(least, log2) };
      return copies;
    }
    this.#infiniteCount += 1;
    return undefined;
  }

  remarks(): string[] {
    const { count, sum, least } = this.#means;
    const infiniteCount = this.#infiniteCount;
    return [
      ...(infiniteCount === 0
        ? []
        : [`${infiniteCount} segments have an infinite mean: their copy_number and status are NULL.`]),
      ...(count >= ratiosMin && least === 0 && sum / count > ratioMin ? [looksLinear] : []),
    ];
  }
}
