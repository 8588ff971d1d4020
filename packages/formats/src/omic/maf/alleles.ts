import { type Header, RecordFault, textAt } from '../../delimited/index.ts';
import { positionNeeded } from '../genome.ts';
import { MafAnchors } from './anchor.ts';

/** Allele of a sample as in the rows of a VCF: trimmed, an insertion or deletion with the base before it. */
export interface MafAllele {
  position: number;
  reference: string;
  alternate: string;
  genotype: string | undefined;
}

/** Letters of IUPAC. `TRUE`, which R makes of a column of only `T`, has one that is not among them. */
const bases = /^[ACGTUNRYSWKMBDHV]+$/;
const notGiven = new Set(['', '.', '?', '0', 'NA']);

/** Reads the alleles of the records of a MAF. */
export class MafAlleles {
  /** Number of insertions and deletions without a known base before them; it is written as `N`. */
  unanchoredCount = 0;
  readonly #start: number;
  readonly #end: number;
  readonly #reference: number;
  readonly #alleles: readonly number[];
  readonly #anchors: MafAnchors;

  constructor(header: Header) {
    this.#start = header.place('Start_Position');
    this.#end = header.place('End_Position');
    this.#reference = header.place('Reference_Allele');
    this.#alleles = [header.place('Tumor_Seq_Allele1'), header.place('Tumor_Seq_Allele2')];
    this.#anchors = new MafAnchors(header);
  }

  /** Returns each allele that differs from the reference; empty when the sample has the reference on both. Throws `RecordFault`. */
  read(fields: readonly string[]): MafAllele[] {
    const start = positionNeeded(fields, this.#start);
    if (start === 0) throw new RecordFault('Start_Position counts from 1', this.#start + 1);
    const reference = alleleAt(fields, this.#reference);
    if (reference === undefined) throw new RecordFault('Reference_Allele is missing', this.#reference + 1);
    this.#requireEnd(fields, start, reference);
    const [first, second] = this.#alleles.map((place) => alleleAt(fields, place));
    if (first === undefined && second === undefined)
      throw new RecordFault('neither tumor allele is given', Math.max(...this.#alleles) + 1);
    const alternates = [...new Set([second, first])].filter(
      (allele) => allele !== undefined && allele !== reference,
    ) as string[];
    return alternates.map((alternate) => ({
      ...this.#placed(fields, start, reference, alternate),
      genotype: genotypeOf(first, second, alternate),
    }));
  }

  /** Throws `RecordFault` where the end is not that of the reference: positions count from 0, or alleles are of another record. */
  #requireEnd(fields: readonly string[], start: number, reference: string): void {
    const text = textAt(fields, this.#end);
    if (text === undefined || reference === '') return;
    const distance = positionNeeded(fields, this.#end) - start - reference.length;
    if (distance === -1) return;
    const reason =
      distance === 0
        ? 'Start_Position counts from 0, as End_Position and Reference_Allele show: add 1'
        : 'Start_Position, End_Position and Reference_Allele contradict each other';
    throw new RecordFault(reason, this.#end + 1);
  }

  #placed(
    fields: readonly string[],
    start: number,
    reference: string,
    alternate: string,
  ): Omit<MafAllele, 'genotype'> {
    if (reference !== '' && alternate !== '') return trimmedAllele(start, reference, alternate);
    // An insertion is placed by the bases on both sides of it, a deletion by its first base.
    const position = reference === '' ? start : start - 1;
    const known = this.#anchors.find(fields, position, reference);
    if (known === undefined) this.unanchoredCount += 1;
    const anchor = known ?? 'N';
    return { position, reference: anchor + reference, alternate: anchor + alternate };
  }
}

/** Reads an allele in upper case; empty for `-`; undefined when it is missing. */
function alleleAt(fields: readonly string[], place: number): string | undefined {
  const text = fields[place]?.trim().toUpperCase() ?? '';
  if (notGiven.has(text)) return undefined;
  if (/^-+$/.test(text)) return '';
  if (!bases.test(text)) throw new RecordFault('the allele is not made of bases', place + 1);
  return text;
}

/** Returns the genotype; undefined unless both alleles are present: otherwise the number of copies is unknown. */
function genotypeOf(
  first: string | undefined,
  second: string | undefined,
  alternate: string,
): string | undefined {
  if (first === undefined || second === undefined) return undefined;
  if (first === second) return '1/1';
  const carries = (allele: string): string => (allele === alternate ? '1' : '0');
  const [left, right] = [carries(first), carries(second)];
  return left < right ? `${left}/${right}` : `${right}/${left}`;
}

/** Trims as in the rows of a VCF: common ends are cut, the end first, one base stays. */
export function trimmedAllele(
  start: number,
  reference: string,
  alternate: string,
): Omit<MafAllele, 'genotype'> {
  const shortest = Math.min(reference.length, alternate.length) - 1;
  let tail = 0;
  while (tail < shortest && reference.at(-1 - tail) === alternate.at(-1 - tail)) tail += 1;
  let head = 0;
  while (head < shortest - tail && reference[head] === alternate[head]) head += 1;
  return {
    position: start + head,
    reference: reference.slice(head, reference.length - tail),
    alternate: alternate.slice(head, alternate.length - tail),
  };
}
