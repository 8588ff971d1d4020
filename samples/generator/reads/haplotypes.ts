import type { Random } from '../random.ts';
import type { Region } from './region.ts';

/** A record of a VCF with the genotype of one sample, such as `0/1`. */
export interface Call {
  chromosome: string;
  position: number;
  reference: string;
  alternates: readonly string[];
  genotype: string;
}

/** A read as it is aligned. */
export interface Read {
  chromosome: string;
  /** Counts from 1. */
  position: number;
  isReverse: boolean;
  bases: string;
  cigar: [length: number, operation: 'M' | 'I' | 'D'][];
  /** Bases of the reference that it covers. */
  span: number;
}

const readLength = 100;
/** Reads over each base, except near the ends of a region. */
const depth = 40;

/** Reads the first sample of a VCF line; `undefined` for a line of the header. */
export function firstCallOf(line: string): Call | undefined {
  if (line.startsWith('#')) return undefined;
  const [chromosome = '', position, , reference = '', alternates = '', , , , , column = ''] =
    line.split('\t');
  const genotype = column.split(':')[0] ?? '';
  return { chromosome, position: Number(position), reference, alternates: alternates.split(','), genotype };
}

/**
 * Reads of a region, by their position. They alternate between the two haplotypes. Half of the reads have the alternate base of
 * a heterozygous variant, all that of a homozygous one.
 */
export function* readsOf(
  region: Region,
  bases: string,
  calls: readonly Call[],
  random: Random,
): Generator<Read> {
  const haplotypes = [0, 1].map((copy) => new Map(calls.flatMap((call) => alleleOf(call, copy))));
  const last = region.end - readLength - deletedIn(calls);
  const step = readLength / depth;
  for (let count = 0, from = region.start; from <= last; count += 1) {
    const read = aligned({ ...region, start: from }, bases.slice(from - region.start), haplotypes[count % 2]);
    yield { ...read, isReverse: random.chance(0.5) };
    from = beyondDeletion(Math.floor(region.start + (count + 1) * step), calls);
  }
}

type Alleles = ReadonlyMap<number, { reference: string; alternate: string }>;

/** Returns the alternate allele of one of the two copies of a chromosome, if that copy has one. */
function alleleOf(call: Call, copy: number): [number, { reference: string; alternate: string }][] {
  const alleles = call.genotype.split(/[/|]/).map(Number);
  const alternate = call.alternates[(alleles[copy] ?? alleles[0] ?? 0) - 1];
  if (alternate === undefined || alternate === '*') return [];
  return [[call.position, { reference: call.reference, alternate }]];
}

const deletedIn = (calls: readonly Call[]): number =>
  calls.reduce((sum, { reference }) => sum + reference.length - 1, 0);

/** Returns whether a read began within a deleted sequence: it would show bases that its haplotype lacks. */
function beyondDeletion(position: number, calls: readonly Call[]): number {
  const inside = calls.find(
    (call) => position > call.position && position < call.position + call.reference.length,
  );
  return inside ? inside.position + inside.reference.length : position;
}

function aligned(
  { chromosome, start }: Region,
  bases: string,
  alleles: Alleles = new Map(),
): Omit<Read, 'isReverse'> {
  const cigar: Read['cigar'] = [];
  const add = (length: number, operation: 'M' | 'I' | 'D'): void => {
    const last = cigar.at(-1);
    if (last?.[1] === operation) last[0] += length;
    else if (length > 0) cigar.push([length, operation]);
  };
  let [text, at] = ['', 0];
  while (text.length < readLength) {
    const { reference, alternate } = alleles.get(start + at) ?? { reference: '', alternate: '' };
    const written = alternate || (bases[at] ?? 'N');
    const shared = Math.min(reference.length || 1, written.length);
    add(shared, 'M');
    add(written.length - shared, 'I');
    add(Math.max(0, reference.length - shared), 'D');
    text += written;
    at += reference.length || 1;
  }
  return { chromosome, position: start, bases: text, cigar, span: at };
}
