import type { FieldDefinition } from './header.ts';
import { meaningOf } from './meaning.ts';

/** Keys of FORMAT that count the reads of each strand: their sum counts all reads. */
export interface StrandKeys {
  /** One key for each strand, or one key with both. One key of two counts a part of the reads. */
  keys: readonly string[];
  /** `alleles`: the reference and each alternate; else the only one. */
  of: 'alleles' | 'alternate' | 'reference';
  /** Values that an allele has in each key. */
  valuesOfAllele: 1 | 2;
}

/** Reads of an allele by strand. */
interface StrandReads {
  reference: number | undefined;
  alternate: number;
  /** Reads of all alleles. */
  total: number;
  /** Set if one strand is not counted: `alternate` is a least number. */
  isPartial: boolean;
}

const strandWord = /\b(?:forward|fwd|reverse|rev|positive|negative|top|bottom|\w*plus|\w*minus)\b/gi;
const eachAllele = /\b(?:each|per|every)[ -]allele|\balleles\b/i;
const bothAlleles = /^(?=.*\bref)(?=.*(?:\balt|variant|mutant))/i;

const meanings = {
  alleleDepths: 'alleles',
  alternateDepth: 'alternate',
  referenceDepth: 'reference',
} as const;

/** Keys that are known without a description: of bcftools, and of GATK, whose four values are of a single alternate. */
const undescribed: readonly StrandKeys[] = [
  { keys: ['ADF', 'ADR'], of: 'alleles', valuesOfAllele: 1 },
  { keys: ['SB'], of: 'alleles', valuesOfAllele: 2 },
];

/** Finds the keys of a header whose descriptions count reads by strand, each with its twin of the other strand. */
export function strandKeys(format: ReadonlyMap<string, FieldDefinition>): StrandKeys[] {
  const groups = new Map<string, { keys: string[]; of: StrandKeys['of']; valuesOfAllele: 1 | 2 }>();
  for (const field of format.values()) {
    const { id, number, description } = field;
    const words = description.match(strandWord) ?? [];
    if (words.length === 0) continue;
    const isBoth = new Set(words.map((word) => word.toLowerCase())).size > 1 && number !== '1';
    const isOfAll = eachAllele.test(description) || bothAlleles.test(description);
    const text = withoutStrand(description);
    const one = isBoth ? (isOfAll ? 'R' : '1') : number;
    const meaning = meaningOf({ ...field, number: one, description: text });
    const of = meanings[meaning as keyof typeof meanings];
    if (of === undefined) continue;
    const shape = isBoth ? id : `${number} ${description.toLowerCase().replace(strandWord, '*')}`;
    const group = groups.get(shape) ?? { keys: [], of, valuesOfAllele: isBoth ? 2 : 1 };
    group.keys.push(id);
    groups.set(shape, group);
  }
  const known = undescribed.filter(({ keys, valuesOfAllele }) =>
    keys.every(
      (key) => (format.get(key)?.number ?? '4') === '4' && (valuesOfAllele === 2 || !format.has(key)),
    ),
  );
  return [...groups.values(), ...known].filter(({ keys }) => keys.length <= 2);
}

/** Leaves out the strand, and that reads support the reference: alone, this word is of an alternate. */
function withoutStrand(description: string): string {
  const text = description.replace(strandWord, ' ').replace(/\bstrands?\b/gi, ' ');
  return /\bref|wild/i.test(text) && !/\balt|variant|mutant/i.test(text)
    ? text.replace(/\bsupport(?:s|ing)\b/gi, ' ')
    : text;
}

/** Numbers under a key; empty without any, or for text that is no number. */
type NumbersOf = (key: string) => readonly number[];

/** Adds up the reads of an alternate, from 1; undefined where no key counts them. */
export function strandReads(
  all: readonly StrandKeys[],
  numbersOf: NumbersOf,
  alternateCount: number,
  alternate: number,
): StrandReads | undefined {
  const found = all.flatMap((keys) => {
    const { of, valuesOfAllele } = keys;
    const alleleCount = of === 'alleles' ? alternateCount + 1 : of === 'alternate' ? alternateCount : 1;
    const lists = keys.keys.map(numbersOf).filter(({ length }) => length === alleleCount * valuesOfAllele);
    if (lists.length === 0 || lists.flat().some(Number.isNaN)) return [];
    const sums = Array.from({ length: alleleCount }, (_, allele) =>
      sumOf(lists.flatMap((list) => list.slice(allele * valuesOfAllele, (allele + 1) * valuesOfAllele))),
    );
    return [{ of, sums, isPartial: lists.length * valuesOfAllele < 2 }];
  });
  found.sort((left, right) => Number(left.isPartial) - Number(right.isPartial));
  const ofAll = found.find(({ of }) => of === 'alleles');
  const ofAlternate = found.find(({ of }) => of === 'alternate');
  const ofReference = found.find(({ of, isPartial }) => of === 'reference' && !isPartial);
  if (ofAll && (!ofAll.isPartial || !ofAlternate))
    return {
      reference: ofAll.sums[0],
      alternate: ofAll.sums[alternate] ?? 0,
      total: sumOf(ofAll.sums),
      isPartial: ofAll.isPartial,
    };
  if (!ofAlternate) return undefined;
  const reference = ofReference?.sums[0];
  return {
    reference,
    alternate: ofAlternate.sums[alternate - 1] ?? 0,
    total: reference === undefined ? Number.NaN : reference + sumOf(ofAlternate.sums),
    isPartial: ofAlternate.isPartial,
  };
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);
