import type { FieldDefinition } from './header.ts';
import { meaningOf } from './meaning.ts';

/** Keys of FORMAT that count the reads of alleles, by how their counts add up. */
export interface EvidenceKeys {
  /** Lists of the reference and each alternate: one of all reads, or several of different reads. */
  lists: readonly string[];
  /** Pairs with one description but for the allele. Each pair counts other reads, so that pairs add up. */
  pairs: readonly (readonly [reference: string, alternate: string])[];
  /** Counts of the alternate alone, the surest first. Several may count the same reads: they never add up. */
  alone: readonly string[];
  /** All keys that count reads of an alternate and not of the reference. */
  alternates: readonly string[];
}

/** Keys of single counts that are known to be of all reads: of SvABA, of GRIDSS, of LUMPY, which calls no genotypes. */
const wholes = ['AD', 'VF', 'SU'];
/** Lists of Manta, where no header describes them: pairs, and split reads. */
const partialLists = ['PR', 'SR'];

/** Returns whether a list is declared with a value for each allele, by its number or in words ("for the ref and alt alleles"). */
export const countsAlleles = (field: FieldDefinition | undefined): boolean =>
  field?.number === 'R' || /\balleles\b|\b(?:each|per|every)[ -]allele/i.test(field?.description ?? '');

const reference = /\b(?:ref(?:erence)?|wild[- ]?type)\b/g;
const alternate = /\b(?:alt(?:ernate|ernative)?|variants?|mutant|non-?ref(?:erence)?)\b/g;

/** Finds the keys of a header that count reads of alleles. Without a header those of programs that write none. */
export function evidenceKeys(format: ReadonlyMap<string, FieldDefinition>): EvidenceKeys {
  const fields = [...format.values()];
  const keysWith = (meaning: ReturnType<typeof meaningOf>): string[] =>
    fields.filter((field) => meaningOf(field) === meaning).map(({ id }) => id);
  const lists = keysWith('alleleDepths');
  const alternates = keysWith('alternateDepth');
  const references = keysWith('referenceDepth');
  const [onlyAlternate, onlyReference] = [alternates, references].map((keys) =>
    keys.length === 1 ? keys[0] : undefined,
  );
  const alike = pairsOf(fields);
  const isPair = alike.length === 0 && onlyAlternate !== undefined && onlyReference !== undefined;
  const pairs = isPair ? [[onlyReference, onlyAlternate] as const] : alike;
  const isWhole = (key: string): boolean => {
    const field = format.get(key);
    return (field?.type ?? 'Integer') === 'Integer' && !countsAlleles(field);
  };
  const left = alternates.filter((key) => !wholes.includes(key));
  return {
    lists: lists.includes('AD') ? ['AD'] : [...new Set([...partialLists, ...lists])],
    pairs,
    // Several unknown counts may each have a part of the reads.
    alone: [...wholes.filter(isWhole), ...(left.length === 1 ? left : [])],
    alternates: [...new Set([...wholes.filter((key) => key !== 'AD' && isWhole(key)), ...alternates])],
  };
}

/** Pairs counts of reads whose descriptions differ in the name of the allele alone. */
function pairsOf(fields: readonly FieldDefinition[]): [reference: string, alternate: string][] {
  const counts = fields.filter(
    ({ type, number }) => type === 'Integer' && (number === '1' || number === 'A'),
  );
  const references = new Map(
    counts.flatMap(({ id, description }) => {
      const text = description.toLowerCase();
      const shape = text.replace(reference, '*');
      return shape === text ? [] : [[shape, id] as const];
    }),
  );
  return counts.flatMap((field): [string, string][] => {
    const text = field.description.toLowerCase();
    const twin = references.get(text.replace(alternate, '*'));
    const isOfAlternate = text.search(alternate) >= 0 && meaningOf(field) === 'alternateDepth';
    return twin === undefined || !isOfAlternate ? [] : [[twin, field.id]];
  });
}

/** Counts of the reads of a sample; undefined where its caller counted none. */
interface Evidence {
  reference: number | undefined;
  alternate: number | undefined;
  /** Set if some count of an alternate is above 0. */
  isSupported: boolean | undefined;
}

/** Adds up the counts of a sample. `numbersOf`: the numbers under a key; empty without any. */
export function evidenceOf(
  { lists, pairs, alone, alternates: keys }: EvidenceKeys,
  numbersOf: (key: string) => readonly (number | undefined)[],
): Evidence {
  const sumOf = (numbers: readonly (number | undefined)[]): number | undefined => {
    const known = numbers.filter((one) => one !== undefined);
    return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0);
  };
  const listed = lists.map(numbersOf);
  const counts = [...listed.flatMap((numbers) => numbers.slice(1)), ...keys.flatMap(numbersOf)];
  const isSupported =
    counts.length === 0 ? undefined : counts.some((count) => count !== undefined && count > 0);
  const both = listed.filter(({ length }) => length === 2);
  const sides = both.length > 0 ? [0, 1].map((side) => both.map((list) => list[side])) : undefined;
  const ofPairs = [0, 1].map((side) => pairs.flatMap((pair) => numbersOf(pair[side] ?? '')));
  const [references, alternates] = (sides ?? ofPairs).map(sumOf);
  const [first] = sides
    ? []
    : alone.map((key) => sumOf(numbersOf(key))).filter((count) => count !== undefined);
  return { reference: references, alternate: alternates ?? first, isSupported };
}
