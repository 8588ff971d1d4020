import { equal, find, textOf } from '../../bytes.ts';
import { codonReach } from '../../consequences/haplotype.ts';
import { columnsBeforeSamples } from '../header.ts';

const [newline, tab] = [10, 9];

/** Record near another one, as columns. */
type Columns = readonly string[];

/**
 * Returns the records of a sorted text whose positions are within the reach of a codon around a line.
 * `start`, `end`: range of the line.
 */
export function recordsNear(text: Uint8Array, start: number, end: number): Columns[] {
  const position = positionAt(text, start, end);
  const nameEnd = find(text, tab, start, end);
  const isNear = (from: number, to: number): boolean =>
    Math.abs(positionAt(text, from, to) - position) <= codonReach &&
    equal(text, from, find(text, tab, from, to), text, start, nameEnd);
  const found: Columns[] = [];
  for (let stop = start - 1; stop > 0; ) {
    const from = text.lastIndexOf(newline, stop - 1) + 1;
    if (!isNear(from, stop)) break;
    found.unshift(textOf(text, from, stop).split('\t'));
    stop = from - 1;
  }
  for (let from = end + 1; from < text.length; ) {
    const next = text.indexOf(newline, from);
    if (next < 0 || !isNear(from, next)) break;
    found.push(textOf(text, from, next).split('\t'));
    from = next + 1;
  }
  return found;
}

/** Position of a line; minus infinity or NaN for a line that is no record. */
function positionAt(text: Uint8Array, start: number, end: number): number {
  const from = find(text, tab, start, end) + 1;
  const to = find(text, tab, from, end);
  return from === 0 || to < 0 ? Number.NEGATIVE_INFINITY : Number(textOf(text, from, to));
}

/** Alleles of a sample by haplotype; `set`: phase set, `isSame`: both haplotypes have one allele. */
interface Genotype {
  alleles: readonly string[];
  set: string;
  isPhased: boolean;
  isSame: boolean;
}

function genotypesOf(columns: Columns): Genotype[] {
  const keys = (columns[columnsBeforeSamples - 1] ?? '').split(':');
  const [place, setPlace] = [keys.indexOf('GT'), keys.indexOf('PS')];
  if (place < 0) return [];
  return columns.slice(columnsBeforeSamples).map((column) => {
    const values = column.trimEnd().split(':');
    const text = values[place] ?? '';
    const alleles = text.split(/[|/]/);
    const isSame = alleles.every((allele) => allele === alleles[0]);
    return { alleles, set: values[setPlace] ?? '.', isPhased: text.includes('|'), isSame };
  });
}

/** Allele of a record near another one. */
interface Companion {
  columns: Columns;
  /** Number of the alternate, from 1. */
  allele: number;
}

/**
 * Lists the alleles of other records on each haplotype with an allele, as far as they are certain. Equal lists are listed once.
 */
export function companionsOf(own: Columns, allele: number, records: readonly Columns[]): Companion[][] {
  const found = new Map<string, Companion[]>();
  const others = records.map(genotypesOf);
  for (const [sample, genotype] of genotypesOf(own).entries()) {
    if (!genotype.alleles.includes(String(allele))) continue;
    const haplotypes = haplotypesOf(
      genotype,
      String(allele),
      others.map((genotypes) => genotypes[sample]),
    );
    for (const haplotype of haplotypes) {
      const companions = haplotype.flatMap(([record, name]) =>
        /^[1-9]\d*$/.test(name) ? [{ columns: records[record] ?? [], allele: Number(name) }] : [],
      );
      if (companions.length > 0) found.set(haplotype.join(), companions);
    }
  }
  return [...found.values()];
}

/** Allele of a record by its index. */
type Carried = [record: number, allele: string];

/** Returns the alleles of the others on each haplotype of a sample that has the allele. */
function haplotypesOf(own: Genotype, allele: string, others: readonly (Genotype | undefined)[]): Carried[][] {
  const everywhere: Carried[] = [];
  const byHaplotype = new Map<string, Carried[]>();
  for (const [record, other] of others.entries()) {
    if (!other) continue;
    if (other.isSame) everywhere.push([record, other.alleles[0] ?? '']);
    else
      for (const [at, name] of other.alleles.entries()) {
        const isTogether =
          own.isPhased && other.isPhased && own.set === other.set && own.alleles[at] === allele;
        if (!own.isSame && !isTogether) continue;
        // Nothing is certain of two alleles without a common phase.
        const key = other.isPhased ? `${other.set} ${at}` : `${record} ${at} /`;
        byHaplotype.set(key, [...(byHaplotype.get(key) ?? []), [record, name]]);
      }
  }
  const lists = byHaplotype.size === 0 ? [[]] : [...byHaplotype.values()];
  return lists.map((list) => [...list, ...everywhere].sort(([left], [right]) => left - right));
}
