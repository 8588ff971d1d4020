import { ByteWriter, bytesOf, concreteBase, equal, textOf, upperOf } from '../../../bytes.ts';
import type { Bases } from '../../../consequences/spliced.ts';
import { accessionOf, type GenomeBuild } from '../../assemblies.ts';
import { chromosomeName } from '../../chromosomes.ts';
import type { Stretch } from '../columns/identifiers.ts';
import type { RecordLine } from '../record-line.ts';
import { AlleleHash } from './allele-hash.ts';
import { leftAligned } from './left-aligned.ts';

const tab = 9;
const unit = 31;
/** `N` */
const unknownBase = 78;

/** One alternate of a record: its place and its change. The next one reuses the object. */
export class Allele {
  /** Name in the lake. */
  chromosome: Uint8Array = new Uint8Array();
  position = 0;
  /** Builds of the accessions among the chromosomes so far. */
  readonly genomeBuilds = new Set<GenomeBuild>();
  /** Set if a chromosome is called 23 to 26, as by PLINK. */
  hasNumberedSex = false;
  #ambiguousCount = 0;
  /** Ranges of `bytes`, in upper case. */
  readonly reference: Stretch = { start: 0, end: 0 };
  readonly alternate: Stretch = { start: 0, end: 0 };
  /** Sixteen digits, the same for the same allele in every file. */
  readonly hash = new ByteWriter(16);
  readonly #key = new ByteWriter(1 << 12);
  readonly #hashing = new AlleleHash();
  #chromosomeInFile: Uint8Array = new Uint8Array();
  readonly #bases: Bases | undefined;

  /** `bases`: of the reference that the file is on, if it is known. */
  constructor(bases?: Bases) {
    this.#bases = bases;
  }

  get bytes(): Uint8Array {
    return this.#key.bytes;
  }

  /** Counts alternates with ambiguity codes since the last call. */
  takeCounts(): { ambiguousCount: number } {
    const ambiguousCount = this.#ambiguousCount;
    this.#ambiguousCount = 0;
    return { ambiguousCount };
  }

  /** Sets the chromosome of a record; returns whether it differs from the last. */
  readChromosome(line: RecordLine): boolean {
    const start = line.startOf(0);
    const end = line.endOf(0);
    if (equal(line.bytes, start, end, this.#chromosomeInFile)) return false;
    // A copy: other lines may reuse the bytes, and `slice` of a Node buffer copies nothing.
    this.#chromosomeInFile = Uint8Array.from(line.bytes.subarray(start, end));
    const name = textOf(this.#chromosomeInFile, 0, end - start);
    this.chromosome = bytesOf(chromosomeName(name));
    if (/^(?:chr)?2[3-6]$/i.test(name)) this.hasNumberedSex = true;
    const build = accessionOf(name)?.genomeBuild;
    if (build !== undefined) this.genomeBuilds.add(build);
    return true;
  }

  /**
   * Sets an alternate of the current record. Common ends of both alleles are cut, the end first, then the beginning, at least
   * one base stays. With a reference, insertions and deletions move to their leftmost place.
   */
  read(line: RecordLine, alternate: number): void {
    const { bytes } = line;
    let from = line.startOf(3);
    let to = line.endOf(3);
    let start = line.alternateStarts[alternate - 1] as number;
    let end = line.alternateEnds[alternate - 1] as number;
    while (to - from > 1 && end - start > 1 && isSameBase(bytes, to - 1, end - 1)) {
      to -= 1;
      end -= 1;
    }
    if (to - from !== end - start && isSameBase(bytes, to - 1, end - 1)) {
      const moved = this.#moved(line, [from, to], [start, end]);
      if (moved) {
        this.#place(moved);
        return;
      }
    }
    let cut = 0;
    while (to - from > 1 && end - start > 1 && isSameBase(bytes, from, start)) {
      from += 1;
      start += 1;
      cut += 1;
    }
    this.position = line.position + cut;
    this.#write(bytes, from, to, start, end);
  }

  /** Returns the leftmost place of an insertion or deletion without common last bases but one. */
  #moved(
    { bytes, position }: RecordLine,
    reference: readonly [number, number],
    alternate: readonly [number, number],
  ): ReturnType<typeof leftAligned> {
    if (!this.#bases) return undefined;
    const allele = {
      position,
      reference: textOf(bytes, ...reference).toUpperCase(),
      alternate: textOf(bytes, ...alternate).toUpperCase(),
    };
    return leftAligned(this.#bases, textOf(this.chromosome, 0, this.chromosome.length), allele);
  }

  #place({ position, reference, alternate }: NonNullable<ReturnType<typeof leftAligned>>): void {
    const bytes = bytesOf(`${reference}${alternate}`);
    this.position = position;
    this.#write(bytes, 0, reference.length, reference.length, bytes.length);
  }

  #write(bytes: Uint8Array, from: number, to: number, start: number, end: number): void {
    const key = this.#key;
    key.length = 0;
    key.slice(this.chromosome, 0, this.chromosome.length);
    key.byte(tab);
    key.number(this.position);
    key.byte(tab);
    this.reference.start = key.length;
    key.upper(bytes, from, to);
    for (let at = this.reference.start; at < key.length; at += 1)
      key.bytes[at] = concreteBase(key.bytes[at] as number);
    this.reference.end = key.length;
    key.byte(unit);
    this.alternate.start = key.length;
    key.upper(bytes, start, end);
    this.alternate.end = key.length;
    // A code that REF has at the same end is the same base.
    if (isSameBase(bytes, from, start)) this.#makeConcrete(this.alternate.start);
    if (isSameBase(bytes, to - 1, end - 1)) this.#makeConcrete(this.alternate.end - 1);
    if (this.#isAmbiguous()) this.#ambiguousCount += 1;
    this.#hashing.start();
    this.#hashing.add(key.bytes, 0, key.length);
    this.hash.length = 0;
    this.#hashing.write(this.hash);
  }

  #makeConcrete(at: number): void {
    this.#key.bytes[at] = concreteBase(this.#key.bytes[at] as number);
  }

  /** Returns whether a base is unknown (N), or one of several: codes of REF are made concrete before. */
  #isAmbiguous(): boolean {
    const { bytes } = this.#key;
    for (let at = this.reference.start; at < this.alternate.end; at += 1)
      if (bytes[at] === unknownBase || concreteBase(bytes[at] as number) !== bytes[at]) return true;
    return false;
  }
}

/** Returns whether a base of REF is that of an alternate, as written or as its code is read. */
function isSameBase(bytes: Uint8Array, left: number, right: number): boolean {
  const reference = bytes[left] as number;
  const alternate = upperOf(bytes[right] as number);
  return concreteBase(reference) === alternate || upperOf(reference) === alternate;
}
