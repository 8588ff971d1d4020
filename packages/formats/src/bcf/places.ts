import { BlockPlaces, type ContentBlock } from '../bam/block-places.ts';
import type { TabixBuilder } from '../binning/tabix-builder.ts';
import { joinedBytes } from '../bytes.ts';
import { InputError } from '../input-error.ts';
import { readBcfHeader } from './header.ts';

/** As for a line of a VCF. */
const recordBytesMax = 64 << 20;
/** Bytes of a record up to its length on the sequence: two sizes, number of the sequence, position, length (VCF 4.3 §6.3.1). */
const placeBytes = 20;

/** Hands the places of the records of a BCF to the builder of its index, from its inflated bytes and the blocks that they came from. */
export class BcfPlaces {
  readonly #builder: TabixBuilder;
  readonly #places = new BlockPlaces();
  #contigs: readonly (string | undefined)[] | undefined;
  #rest: Uint8Array = new Uint8Array(0);
  /** Start of what is not read yet. */
  #at = 0;

  constructor(builder: TabixBuilder) {
    this.#builder = builder;
  }

  /** Takes the content of the blocks that come next; `nextStart`: start of the one behind them in the file. */
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

  /** Reads the record at the place; false if it is not complete. */
  #readRecord(bytes: Uint8Array, view: DataView): boolean {
    const start = this.#at;
    const size = view.getUint32(start, true) + view.getUint32(start + 4, true);
    if (size > recordBytesMax) throw this.#damaged();
    const next = start + 8 + size;
    if (next > bytes.length) return false;
    const name = this.#contigs?.[view.getInt32(start + 8, true)];
    const begin = Math.max(0, view.getInt32(start + 12, true));
    const length = view.getInt32(start + 16, true);
    if (name === undefined || length < 0) throw this.#damaged();
    const place = { name, begin, end: begin + Math.max(1, length) };
    const offset = this.#places.offsetOf(start);
    this.#builder.addRecord(place, offset, this.#places.offsetOf(next));
    this.#at = next;
    return true;
  }

  #damaged(): InputError {
    return new InputError(`Record ${this.#builder.records + 1} of the BCF is damaged.`);
  }
}
