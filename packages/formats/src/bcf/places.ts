import { BlockPlaces, type ContentBlock } from '../bam/block-places.ts';
import type { TabixBuilder } from '../binning/tabix-builder.ts';
import { joinedBytes } from '../bytes.ts';
import { InputError } from '../input-error.ts';
import { readBcfHeader } from './header.ts';

/** Maximum line, as for a VCF. */
const recordBytesMax = 64 << 20;
/** Bytes of a record up to its length on the sequence: two sizes, number of the sequence, position, length (VCF 4.3 §6.3.1). */
const placeBytes = 20;
/** Bytes of a record before its ID, its two sizes not counted. */
const fixedBytes = 24;

/** Passes the places of the records of a BCF to its index builder, from its inflated bytes and their blocks. */
export class BcfPlaces {
  readonly #builder: TabixBuilder;
  readonly #places = new BlockPlaces();
  #contigs: readonly (string | undefined)[] | undefined;
  #rest: Uint8Array = new Uint8Array(0);
  /** Start of the unread bytes. */
  #at = 0;

  constructor(builder: TabixBuilder) {
    this.#builder = builder;
  }

  /** Adds the content of the next blocks; `nextStart`: start of the block after them in the file. */
  take(content: Uint8Array, blocks: readonly ContentBlock[], nextStart: number): void {
    const rest = this.#rest.subarray(this.#at);
    this.#places.take(this.#at, rest.length, blocks, nextStart);
    const bytes = joinedBytes([rest, content]);
    this.#rest = bytes;
    this.#at = 0;
    if (this.#contigs === undefined && !this.#readHeader(bytes)) return;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    while (bytes.length - this.#at >= placeBytes && this.#readRecord(bytes, view));
  }

  /** Ends the file. Throws `InputError` if a part of it is missing. */
  end(): void {
    if (this.#contigs !== undefined && this.#at === this.#rest.length) return;
    throw new InputError('The BCF ends in the middle of a record or of its header: it is not complete.');
  }

  #readHeader(bytes: Uint8Array): boolean {
    const header = readBcfHeader(bytes);
    if (!('size' in header)) return false;
    this.#contigs = header.contigs;
    this.#at = header.size;
    return true;
  }

  /** Reads the record at the place; false if it is incomplete. */
  #readRecord(bytes: Uint8Array, view: DataView): boolean {
    const start = this.#at;
    const size = view.getUint32(start, true) + view.getUint32(start + 4, true);
    if (size > recordBytesMax) throw this.#damaged();
    const next = start + 8 + size;
    if (next > bytes.length) return false;
    const name = this.#contigs?.[view.getInt32(start + 8, true)];
    const begin = Math.max(0, view.getInt32(start + 12, true));
    // With an END before POS, htslib before 1.10 wrote lengths below 0.
    const length = Math.max(1, view.getInt32(start + 16, true), this.#referenceBases(start + 8, next));
    if (name === undefined) throw this.#damaged();
    const place = { name, begin, end: begin + length };
    const offset = this.#places.offsetOf(start);
    this.#builder.addRecord(place, offset, this.#places.offsetOf(next));
    this.#at = next;
    return true;
  }

  /** Returns the length of REF, after the ID (VCF 4.3 §6.3.1). */
  #referenceBases(record: number, end: number): number {
    const id = this.#textAt(record + fixedBytes, end);
    return this.#textAt(id.end, end).size;
  }

  /** Returns size and end of a typed string: a short size is in its first byte, a longer one follows as a number (VCF 4.3 §6.3.3). */
  #textAt(start: number, end: number): { size: number; end: number } {
    const view = new DataView(this.#rest.buffer, this.#rest.byteOffset, this.#rest.byteLength);
    if (start >= end) throw this.#damaged();
    const type = view.getUint8(start);
    let size = type >> 4;
    let at = start + 1;
    if (size === 15) {
      if (at + 5 > end) throw this.#damaged();
      const bytes = 2 ** ((view.getUint8(at) & 15) - 1);
      size =
        bytes === 1
          ? view.getInt8(at + 1)
          : bytes === 2
            ? view.getInt16(at + 1, true)
            : view.getInt32(at + 1, true);
      at += 1 + bytes;
    }
    if (size < 0 || at + size > end) throw this.#damaged();
    return { size: (type & 15) === 7 ? size : 0, end: at + size };
  }

  #damaged(): InputError {
    return new InputError(`Record ${this.#builder.records + 1} of the BCF is damaged.`);
  }
}
