import { equal, textOf } from '../../../bytes.ts';
import type { AnnotationList } from './annotation-list.ts';

/** Names up to which comparing one by one is faster than a look-up. */
const fewMax = 32;

/**
 * One annotation a gene, in the order of the genes. A structural variant may reach all genes of a chromosome, and has
 * annotations of each of their transcripts: comparing all pairs takes minutes.
 */
export class GeneSeats {
  /** Indexes in the list; only the first `count` are used. */
  readonly places: number[] = [];
  count = 0;
  readonly #list: AnnotationList;
  /** Seats of all genes, once there are many. */
  readonly #byName = new Map<string, number>();

  constructor(list: AnnotationList) {
    this.#list = list;
  }

  clear(): void {
    this.count = 0;
    this.#byName.clear();
  }

  /** Returns the seat of the gene of an annotation; −1 without one. */
  seatOf(bytes: Uint8Array, place: number): number {
    if (this.count > fewMax) return this.#byName.get(this.#nameOf(bytes, place)) ?? -1;
    const { geneStarts, geneEnds } = this.#list;
    const start = geneStarts[place] as number;
    const end = geneEnds[place] as number;
    for (let seat = 0; seat < this.count; seat += 1) {
      const other = this.places[seat] as number;
      if (equal(bytes, start, end, bytes, geneStarts[other], geneEnds[other])) return seat;
    }
    return -1;
  }

  /** Assigns the next seat to a gene without one. */
  add(bytes: Uint8Array, place: number): void {
    this.places[this.count++] = place;
    if (this.count <= fewMax) return;
    for (let seat = this.#byName.size; seat < this.count; seat += 1) {
      this.#byName.set(this.#nameOf(bytes, this.places[seat] as number), seat);
    }
  }

  #nameOf(bytes: Uint8Array, place: number): string {
    const { geneStarts, geneEnds } = this.#list;
    return textOf(bytes, geneStarts[place] as number, geneEnds[place] as number);
  }
}
