import { find, textOf } from '../../bytes.ts';
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
  const found: Columns[] = [];
  for (let stop = start - 1; stop > 0; ) {
    const from = text.lastIndexOf(newline, stop - 1) + 1;
    if (position - positionAt(text, from, stop) > codonReach) break;
    found.unshift(textOf(text, from, stop).split('\t'));
    stop = from - 1;
  }
  for (let from = end + 1; from < text.length; ) {
    const next = text.indexOf(newline, from);
    if (next < 0 || !(positionAt(text, from, next) - position <= codonReach)) break;
    found.push(textOf(text, from, next).split('\t'));
    from = next + 1;
  }
  return found;
}

/** Position of a line; NaN for a line that is no record, which ends a search backwards as well. */
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

/** Reports whether some sample has two alleles, by their numbers, on one haplotype. */
export function shareHaplotype(one: Columns, allele: number, other: Columns, otherAllele: number): boolean {
  const others = genotypesOf(other);
  const [left, right] = [String(allele), String(otherAllele)];
  return genotypesOf(one).some((genotype, sample) => {
    const second = others[sample];
    if (!second?.alleles.includes(right) || !genotype.alleles.includes(left)) return false;
    if (genotype.isSame || second.isSame) return true;
    const isTogether = genotype.isPhased && second.isPhased && genotype.set === second.set;
    return isTogether && genotype.alleles.some((name, at) => name === left && second.alleles[at] === right);
  });
}
