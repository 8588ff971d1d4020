import { type AnnotationLayout, type AnnotationPart, areOwnNumbers } from '../annotation-layout.ts';
import type { StructuralRecord } from './structural-record.ts';

/** Annotation of a record; a missing part is empty. */
export interface StructuralAnnotation {
  text(part: AnnotationPart): string;
}

/** Changes of alleles, in the terms of VEP (Sequence Ontology: `deletion`, `tandem_duplication`) and in symbols (`DEL:ME`, `CN0`). */
const kinds: readonly [kind: string, word: RegExp, symbol: RegExp][] = [
  ['loss', /(?:^|_)(?:deletion|loss)$/, /^<(?:DEL|LOSS|CN0)\b/],
  ['gain', /(?:^|_)(?:duplication|gain)$/, /^<(?:DUP|GAIN|AMP|CN(?!0|1>)\d)/],
  ['insertion', /(?:^|_)insertion$/, /^<INS\b/],
  ['inversion', /(?:^|_)inversion$/, /^<INV\b/],
];

/**
 * Returns the annotations of one alternate of a structural record.
 * 1. A number of the allele (ALLELE_NUM of VEP) decides.
 * 2. Without numbers, the named allele decides: the text of ALT (`<DEL:ME>`), or its kind (`deletion` is of `<DEL>`).
 * 3. Annotations that name no known allele belong to every alternate.
 * 4. So do annotations that all name one kind: VEP annotates a structural record once, whatever its alternates.
 *
 * Undefined for a record that was split later, if several of the named alleles have the kind of its alternate.
 */
export function ownAnnotations(
  record: StructuralRecord,
  place: number,
  layout: AnnotationLayout,
): StructuralAnnotation[] | undefined {
  const all = (record.info(layout.key)?.split(',') ?? []).map((entry) => {
    const fields = entry.split(/[|(]/);
    return { text: (part: AnnotationPart) => fields[(layout.parts[part] ?? 0) - 1]?.trim() ?? '' };
  });
  const numbers = all.map((one) => Number.parseInt(one.text('alleleNumber'), 10) || 0);
  const isOwnNumbered = areOwnNumbers(numbers, numbers.length, record.alternates.length);
  const numberAt = (index: number): number => (isOwnNumbered ? (numbers[index] ?? 0) : 0);
  const alternates = new Set(record.alternates);
  const kindsNamed = new Set(all.flatMap((one) => kindNamed(one.text('allele')) ?? []));
  const own = record.alternates[place] ?? '';
  const fitting = all.map((one, index) => {
    const number = numberAt(index);
    if (number > 0) return number === place + 1 ? 2 : 0;
    return fit(own, alternates, one.text('allele'), kindsNamed.size > 1);
  });
  const most = fitting.reduce((left, right) => Math.max(left, right), 0);
  const best = all.filter((_, index) => most > 0 && fitting[index] === most);
  const meant = new Set(best.map((one) => one.text('alleleNumber')));
  return !isOwnNumbered && meant.size > 1 ? undefined : best;
}

/** 2: an annotation that names this allele is of the alternate; 1: it may be; 0: it is of another. */
function fit(own: string, alternates: ReadonlySet<string>, allele: string, areKindsApart: boolean): number {
  if (allele === own) return 2;
  if (alternates.has(allele)) return 0;
  const named = kindNamed(allele);
  const kind = kinds.find(([, , symbol]) => symbol.test(own))?.[0];
  if (named === undefined || kind === undefined) return 1;
  if (named === kind) return 2;
  return areKindsApart ? 0 : 1;
}

function kindNamed(allele: string): string | undefined {
  return kinds.find(([, word, symbol]) => word.test(allele) || symbol.test(allele))?.[0];
}
