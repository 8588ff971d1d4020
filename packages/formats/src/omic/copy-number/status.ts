import { numberAt, RecordFault } from '../../delimited/index.ts';

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

/** Returns the copies that a chromosome has in those who have it. */
const normalOn = (chromosome: unknown): number => (chromosome === 'chrY' ? 1 : 2);

/**
 * Returns the status by copies alone. Men have one Y, women none: no Y is a loss only where `normal` states what the sample
 * normally has.
 */
export function statusOn(
  chromosome: unknown,
  copyNumber: number | undefined,
  normal?: number,
): CopyNumberStatus | undefined {
  const status = statusOf(copyNumber, normal ?? normalOn(chromosome));
  return chromosome === 'chrY' && normal === undefined && status === 'loss' ? undefined : status;
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
  chromosome: unknown,
  copies: number | undefined,
  normal?: number,
): CopyNumberStatus | undefined {
  if (call === undefined) return statusOn(chromosome, copies, normal);
  const byCopies = statusOf(copies, normal ?? normalOn(chromosome));
  if (byCopies === undefined) return call;
  return directions.get(call) === directions.get(byCopies) ? byCopies : call;
}

/** Reads the number of copies in a column, as `3` or `CN3`. Throws `RecordFault`. */
export function copiesAt(fields: readonly string[], place: number): number | undefined {
  const [, state] = /^CN(\d+)$/.exec(fields[place] ?? '') ?? [];
  const copies = state === undefined ? numberAt(fields, place) : Number(state);
  if (copies !== undefined && copies < 0) throw new RecordFault('a copy number cannot be below 0', place + 1);
  return copies;
}
