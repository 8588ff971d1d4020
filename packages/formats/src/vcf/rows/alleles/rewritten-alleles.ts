/**
 * Alleles as annotators name them, where the record was rewritten later, or the annotator trims by itself. Few records need it,
 * so that it works on strings.
 */
import { textOf } from '../../../bytes.ts';
import { alleleChange } from '../../foreign/allele-change.ts';
import type { AnnotationList } from '../annotations/annotation-list.ts';
import type { RecordLine } from '../record-line.ts';

/** Returns whether both ends of the only alternate are unchanged: trimming would show. */
export function isUntrimmed(line: RecordLine): boolean {
  const [reference, alternate] = [referenceOf(line), alternateOf(line, 1)];
  return reference.length > 1 && alternate.length > 1 && reference.at(-1) === alternate.at(-1);
}

/**
 * Returns whether the only alternate may be either of two named alleles: that in ALT, or that without its first base. VEP drops
 * the first base if all alleles of a record share it: `A AG` is named `G`, and a deletion `-`. A named `-` proves that it was
 * dropped. An allele with another first base proves that it was not (`A G,AG`), except with `*`.
 */
export function isShortUnsure(list: AnnotationList, line: RecordLine): boolean {
  const [reference, alternate] = [referenceOf(line), alternateOf(line, 1)];
  const named = new Set(namedBy(list, line).map(({ allele }) => allele));
  if (named.has('-') || !named.has(alternate) || !named.has(alternate.slice(1))) return false;
  const first = reference[0]?.toUpperCase();
  return [...named].some((allele) => allele[0]?.toUpperCase() !== first && !allele.includes('*'));
}

/**
 * Returns the named allele of a record that was split after annotation, and perhaps trimmed (`bcftools norm -m- -f`). The named
 * allele is the alternate with the bases that trimming cut: on both sides, or after the first base that VEP drops. An allele is
 * not possible if another named one is its reference with the same bases. Undefined unless exactly one is possible.
 */
export function splitAllele(list: AnnotationList, line: RecordLine): string | undefined {
  const [reference, alternate] = [referenceOf(line), alternateOf(line, 1)];
  const named = new Map(namedBy(list, line).map((one) => [`${one.allele} ${one.number}`, one.allele]));
  const others = new Set([...named.values()].map(basesOf));
  const possible = [...named.values()].filter((allele) => {
    const bases = basesOf(allele);
    if (bases === undefined) return false;
    const at = bases.indexOf(alternate);
    if (at >= 0) return !others.has(bases.replace(alternate, reference));
    const rest = alternate.slice(1);
    if (reference[0] !== alternate[0] || !bases.startsWith(rest)) return false;
    return !others.has(reference.slice(1) + bases.slice(rest.length));
  });
  return possible.length === 1 ? possible[0] : undefined;
}

/** vt's `OLD_MULTIALLELIC=1:100:AT/A/ATT`: position and alleles of a record before it was split. */
const unsplit = /(?:^|;)OLD_MULTIALLELIC=[^;]*?:(\d+):([A-Za-z]+)\/([^;:]+)(?:;|$)/;

/**
 * Returns the named allele of a split record by vt's account of the original; undefined without that, or where annotations do
 * not name it.
 */
export function unsplitAllele(list: AnnotationList, line: RecordLine): string | undefined {
  const info = textOf(line.bytes, line.startOf(7), line.endOf(7));
  const [, position, reference = '', alternates = ''] = unsplit.exec(info) ?? [];
  if (position === undefined) return undefined;
  const all = alternates.split('/');
  const change = alleleChange(line.position, referenceOf(line), alternateOf(line, 1));
  const [own, ...others] = all.filter((one) => alleleChange(Number(position), reference, one) === change);
  if (own === undefined || others.length > 0) return undefined;
  const isShort = list.layout.alleles === 'vep' && areFirstBasesDropped(reference, all);
  const name = isShort ? own.slice(1) || '-' : own;
  return namedBy(list, line).some(({ allele }) => allele === name) ? name : undefined;
}

/** Cuts the first base as VEP does: where some length differs and all alleles begin alike, except those with `*`. */
function areFirstBasesDropped(reference: string, alternates: readonly string[]): boolean {
  const isAlike = alternates.every((one) => one[0] === reference[0] || one.includes('*'));
  return isAlike && alternates.some((one) => one.length !== reference.length);
}

/**
 * Names the alternates of a record as VEP's `--minimal`: without the part shared with the reference at the beginning, then at
 * the end.
 */
export class MinimalAlleles {
  readonly #forms: readonly string[];
  /** Number of alternates by form. */
  readonly #counts = new Map<string, number>();
  readonly #named: ReadonlySet<string>;

  constructor(list: AnnotationList, line: RecordLine) {
    const reference = referenceOf(line);
    this.#forms = Array.from({ length: line.alternateCount }, (_, place) =>
      minimal(reference, alternateOf(line, place + 1)),
    );
    for (const form of this.#forms) this.#counts.set(form, (this.#counts.get(form) ?? 0) + 1);
    this.#named = new Set(namedBy(list, line).map(({ allele }) => allele));
  }

  /** Returns the form of an alternate; undefined if no annotation names it, or if others share it. */
  of(alternate: number): string | undefined {
    const form = this.#forms[alternate - 1] ?? '';
    return this.#counts.get(form) === 1 && this.#named.has(form) ? form : undefined;
  }
}

function minimal(reference: string, alternate: string): string {
  const shortest = Math.min(reference.length, alternate.length);
  let start = 0;
  while (start < shortest && reference[start] === alternate[start]) start += 1;
  let cut = 0;
  while (cut < shortest - start && reference.at(-1 - cut) === alternate.at(-1 - cut)) cut += 1;
  return alternate.slice(start, alternate.length - cut) || '-';
}

function namedBy(
  { count, alleleStarts, alleleEnds, alleleNumbers }: AnnotationList,
  { bytes }: RecordLine,
): { allele: string; number: number }[] {
  return Array.from({ length: count }, (_, place) => ({
    allele: textOf(bytes, alleleStarts[place] as number, alleleEnds[place] as number),
    number: alleleNumbers[place] as number,
  }));
}

/** Returns the bases; undefined for other text than a sequence, as SnpEff names alleles of tumours (`G-C`). */
function basesOf(allele: string): string | undefined {
  if (allele === '-') return '';
  return /^[A-Za-z]+$/.test(allele) ? allele : undefined;
}

function referenceOf(line: RecordLine): string {
  return textOf(line.bytes, line.startOf(3), line.endOf(3));
}

function alternateOf(line: RecordLine, alternate: number): string {
  const place = alternate - 1;
  return textOf(line.bytes, line.alternateStarts[place] as number, line.alternateEnds[place] as number);
}
