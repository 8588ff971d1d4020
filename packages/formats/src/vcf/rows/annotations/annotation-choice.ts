import { bytesOf, equal, find, upperOf } from '../../../bytes.ts';
import { areOwnNumbers } from '../../annotation-layout.ts';
import {
  isShortUnsure,
  isUntrimmed,
  MinimalAlleles,
  splitAllele,
  unsplitAllele,
} from '../alleles/rewritten-alleles.ts';
import type { RecordLine } from '../record-line.ts';
import type { AnnotationList } from './annotation-list.ts';
import { GeneSeats } from './gene-seats.ts';

const asterisk = 42;
const dash = new Uint8Array([45]);

/** Chooses the annotations that apply to the genes of one alternate. */
export class AnnotationChoice {
  /** Alternates for which annotations were left out, because their owner is unknown. */
  unclearCount = 0;
  /** Indexes of all annotations of the alternate, in their order; only the first `ownCount`. */
  readonly own: number[] = [];
  ownCount = 0;
  readonly #list: AnnotationList;
  readonly #seats: GeneSeats;
  /** Annotations of a record for unnamed alternates; computed once. */
  #doubts: { minimal: MinimalAlleles; hasStrays: boolean } | undefined;
  #doubtsOf = -1;
  #dropsFirstBase = false;
  #hasNumbers = false;
  /** Allele that annotations must name, where it differs from that of the record. */
  #named: Uint8Array | undefined;

  constructor(list: AnnotationList) {
    this.#list = list;
    this.#seats = new GeneSeats(list);
  }

  /** Indexes in the list, one a gene; without genes the one best annotation. Only the first `count` are of this alternate. */
  get chosen(): readonly number[] {
    return this.#seats.places;
  }

  /** 0 without an annotation. */
  get count(): number {
    return this.#seats.count;
  }

  choose(line: RecordLine, alternate: number): void {
    const list = this.#list;
    const seats = this.#seats;
    seats.clear();
    this.ownCount = 0;
    if (list.count === 0) return;
    this.#named = undefined;
    this.#hasNumbers =
      list.layout.parts.alleleNumber !== undefined &&
      areOwnNumbers(list.alleleNumbers, list.count, line.alternateCount);
    this.#dropsFirstBase = list.layout.alleles === 'vep' && dropsFirstBase(line);
    const own = this.#ownLevel(line, alternate);
    if (line.alternateCount > 1 && this.#isNamedAsAnother(line, alternate)) {
      this.unclearCount += 1;
      return;
    }
    if (line.alternateCount > 1) {
      // With several alternates, annotations of none of them are dropped.
      if (own === 0 && !this.#takesMinimal(line, alternate)) return;
    } else if (this.#listsSeveral(line.bytes) && !this.#isItself(line, own)) return;
    const least = this.#named ? 1 : own;
    let withoutGene = -1;
    for (let place = 0; place < list.count; place += 1) {
      if (this.#level(line, place, alternate) < least) continue;
      this.own[this.ownCount++] = place;
      if (list.geneEnds[place] === list.geneStarts[place]) {
        if (withoutGene < 0 || this.#isBetter(place, withoutGene)) withoutGene = place;
      } else this.#compete(line.bytes, place);
    }
    if (seats.count === 0 && withoutGene >= 0) seats.places[seats.count++] = withoutGene;
  }

  /**
   * Returns whether annotations that name this alternate may be of another one. SnpEff drops the first base of some alleles:
   * the name of an unnamed alternate may then be another whole alternate.
   */
  #isNamedAsAnother(line: RecordLine, alternate: number): boolean {
    if (this.#hasNumbers || this.#list.layout.alleles === 'vep') return false;
    for (let other = 1; other <= line.alternateCount; other += 1) {
      if (other === alternate) continue;
      if (this.#isShortOf(line, alternate, other) && this.#ownLevel(line, other) === 0) return true;
      if (this.#isShortOf(line, other, alternate) && this.#ownLevel(line, alternate) === 0) return true;
    }
    return false;
  }

  /** Returns whether an alternate is another one without its first base, which the reference has as well. */
  #isShortOf(line: RecordLine, short: number, long: number): boolean {
    const { bytes, alternateStarts: starts, alternateEnds: ends } = line;
    const from = starts[long - 1] as number;
    if (upperOf(bytes[from] as number) !== upperOf(bytes[line.startOf(3)] as number)) return false;
    const [start, end] = [starts[short - 1] as number, ends[short - 1] as number];
    return equal(bytes, start, end, bytes, from + 1, ends[long - 1] as number);
  }

  #compete(bytes: Uint8Array, place: number): void {
    const seats = this.#seats;
    const seat = seats.seatOf(bytes, place);
    if (seat < 0) seats.add(bytes, place);
    else if (this.#isBetter(place, seats.places[seat] as number)) seats.places[seat] = place;
  }

  #isBetter(place: number, than: number): boolean {
    return (this.#list.ranks[place] as number) < (this.#list.ranks[than] as number);
  }

  /** Returns the most certain way in which an annotation is of this alternate; 0 without one. */
  #ownLevel(line: RecordLine, alternate: number): number {
    let most = 0;
    for (let place = 0; place < this.#list.count && most < 2; place += 1) {
      most = Math.max(most, this.#level(line, place, alternate));
    }
    return most;
  }

  /** Returns whether an unnamed alternate has the `--minimal` form of one. */
  #takesMinimal(line: RecordLine, alternate: number): boolean {
    if (!this.#doubts || this.#doubtsOf !== this.#list.readCount) {
      this.#doubts = { minimal: new MinimalAlleles(this.#list, line), hasStrays: this.#hasStrays(line) };
      this.#doubtsOf = this.#list.readCount;
    }
    const allele = this.#doubts.minimal.of(alternate);
    this.#named = allele === undefined ? undefined : bytesOf(allele);
    if (allele === undefined && this.#doubts.hasStrays) this.unclearCount += 1;
    return allele !== undefined;
  }

  /** Returns whether some annotation belongs to none of the alternates. */
  #hasStrays(line: RecordLine): boolean {
    for (let place = 0; place < this.#list.count; place += 1) {
      let alternate = 1;
      while (alternate <= line.alternateCount && this.#level(line, place, alternate) === 0) alternate += 1;
      if (alternate > line.alternateCount) return true;
    }
    return false;
  }

  /** Returns whether annotations belong to several alleles: the record was split after annotation. */
  #listsSeveral(bytes: Uint8Array): boolean {
    const { layout, count, alleleStarts, alleleEnds, alleleNumbers } = this.#list;
    if (this.#hasNumbers || layout.parts.allele === undefined) return false;
    const first = alleleStarts[0] as number;
    const end = alleleEnds[0] as number;
    for (let place = 1; place < count; place += 1) {
      if (alleleNumbers[place] !== alleleNumbers[0]) return true;
      const start = alleleStarts[place] as number;
      if (!equal(bytes, start, alleleEnds[place] as number, bytes, first, end)) return true;
    }
    return false;
  }

  /** Returns whether the only alternate of a split record is one of the alleles, unchanged or with later cut bases. */
  #isItself(line: RecordLine, own: number): boolean {
    const isAsItWas = this.#list.layout.isNeverTrimmed || isUntrimmed(line);
    if (own > 0 && isAsItWas && !(this.#dropsFirstBase && isShortUnsure(this.#list, line))) return true;
    const allele = unsplitAllele(this.#list, line) ?? splitAllele(this.#list, line);
    this.#named = allele === undefined ? undefined : bytesOf(allele);
    if (allele === undefined) this.unclearCount += 1;
    return allele !== undefined;
  }

  /**
   * 2: by its number, or its allele as the annotator writes it; 1: by its allele as in ALT. Files whose alternates were split
   * after annotation still list the annotations of the others.
   */
  #level(line: RecordLine, place: number, alternate: number): number {
    const { layout, alleleNumbers, alleleStarts, alleleEnds } = this.#list;
    const number = this.#hasNumbers ? (alleleNumbers[place] as number) : 0;
    if (number > 0) return number === alternate ? 2 : 0;
    if (layout.parts.allele === undefined) return 2;
    const { bytes } = line;
    const start = alleleStarts[place] as number;
    const end = alleleEnds[place] as number;
    if (this.#named) return equal(bytes, start, end, this.#named) ? 2 : 0;
    const from = line.alternateStarts[alternate - 1] as number;
    const to = line.alternateEnds[alternate - 1] as number;
    const isSame = equal(bytes, start, end, bytes, from, to);
    if (!this.#dropsFirstBase) return isSame ? 2 : 0;
    const isShort =
      to - from === 1 ? equal(bytes, start, end, dash) : equal(bytes, start, end, bytes, from + 1, to);
    return isShort ? 2 : isSame ? 1 : 0;
  }
}

/**
 * VEP drops the first base when some length differs from REF's and all alleles begin with it, except `*` (`<*>`;
 * create_VariationFeatures in its Parser/VCF.pm).
 */
function dropsFirstBase(line: RecordLine): boolean {
  const { bytes } = line;
  const start = line.startOf(3);
  const end = line.endOf(3);
  let differs = false;
  for (let index = 0; index < line.alternateCount; index += 1) {
    const from = line.alternateStarts[index] as number;
    const to = line.alternateEnds[index] as number;
    differs ||= to - from !== end - start;
    if (upperOf(bytes[from] as number) === upperOf(bytes[start] as number)) continue;
    if (find(bytes, asterisk, from, to) < 0) return false;
  }
  return differs;
}
