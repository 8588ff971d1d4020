import { extentsMagic, groupBytes } from '../bai/extents-builder.ts';
import { blockStartOf, type VirtualOffset, virtualOffset } from '../bgzf/index.ts';
import { InputError } from '../input-error.ts';
import type { Chunk } from './chunk.ts';
import type { IndexReader } from './index-reader.ts';

/** Extents that an `ExtentsBuilder` recorded of the blocks of a file, in their encoded form: about nine bytes a block. */
export class BlockExtents {
  readonly #count: number;
  /** Fields of each group: start of its first record, its reference, first position and last end, and the place of its blocks. */
  readonly #offsets: Float64Array;
  readonly #references: Int32Array;
  readonly #positions: Int32Array;
  readonly #ends: Int32Array;
  readonly #from: Uint32Array;
  readonly #body: Uint8Array;

  /** Reads extents when they follow the index; those of other programs or older versions have none. InputError when they are broken. */
  static read(reader: IndexReader): BlockExtents | undefined {
    // The number of reads without a place ends a BAI (SAMv1 §5.2).
    if (reader.left < 20) return undefined;
    reader.bytes(8);
    reader.magic(extentsMagic, 'block');
    return new BlockExtents(reader);
  }

  private constructor(reader: IndexReader) {
    this.#count = reader.count(groupBytes, 'groups');
    const bodyBytes = reader.count(1, 'bytes of blocks');
    this.#offsets = new Float64Array(this.#count);
    this.#references = new Int32Array(this.#count);
    this.#positions = new Int32Array(this.#count);
    this.#ends = new Int32Array(this.#count);
    this.#from = new Uint32Array(this.#count + 1);
    for (let group = 0; group < this.#count; group += 1) {
      this.#offsets[group] = reader.virtualOffset();
      this.#references[group] = reader.int32();
      this.#positions[group] = reader.int32();
      this.#ends[group] = reader.int32();
      this.#from[group] = reader.uint32();
    }
    this.#from[this.#count] = bodyBytes;
    const isAscending = this.#from.every(
      (from, group) => group === 0 || from >= (this.#from[group - 1] ?? 0),
    );
    if (!isAscending) throw new InputError('The blocks of the index are out of order.');
    this.#body = reader.bytes(bodyBytes).slice();
  }

  /** Bytes in memory. */
  get byteLength(): number {
    return this.#count * groupBytes + this.#body.length;
  }

  /** Returns the first block whose records start at or after `end` of a reference: overlapping records precede it. */
  behind(reference: number, end: number): VirtualOffset | undefined {
    const group = this.#lastGroup(
      (one) =>
        (this.#references[one] ?? 0) < reference ||
        (this.#references[one] === reference && (this.#positions[one] ?? 0) < end),
    );
    if (group >= 0 && this.#references[group] === reference) {
      for (const blocks = this.#blocks(group); blocks.next(); )
        if (blocks.position >= end) return blocks.offset;
    }
    return this.#offsets[group + 1];
  }

  /** Returns the chunk from the first of its blocks with a record that reaches beyond `begin`; `undefined` without one. */
  trimmed(chunk: Chunk, reference: number, begin: number): Chunk | undefined {
    let group = Math.max(
      0,
      this.#lastGroup((one) => (this.#offsets[one] ?? 0) <= chunk.begin),
    );
    for (; group < this.#count && (this.#offsets[group] ?? 0) < chunk.end; group += 1) {
      if (this.#references[group] !== reference || (this.#ends[group] ?? 0) <= begin) continue;
      for (const blocks = this.#blocks(group); blocks.next(); ) {
        if (blocks.end <= begin || virtualOffset(blockStartOf(blocks.offset) + 1, 0) <= chunk.begin) continue;
        const from = Math.max(chunk.begin, blocks.offset);
        return from < chunk.end ? { begin: from, end: chunk.end } : undefined;
      }
    }
    return undefined;
  }

  #blocks(group: number): Blocks {
    const body = this.#body.subarray(this.#from[group], this.#from[group + 1]);
    return new Blocks(body, this.#offsets[group] ?? 0, this.#positions[group] ?? 0);
  }

  /** Finds the last of the leading groups that meet a condition; −1 without one. */
  #lastGroup(isSo: (group: number) => boolean): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isSo(middle)) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** Reads the blocks of a group one after the other. */
class Blocks {
  readonly #body: Uint8Array;
  #at = 0;
  #start: number;
  /** Fields of the block: start and position of its first record, and the farthest end. */
  offset: VirtualOffset = 0;
  position: number;
  end = 0;

  constructor(body: Uint8Array, offset: VirtualOffset, position: number) {
    this.#body = body;
    this.#start = blockStartOf(offset);
    this.position = position;
  }

  next(): boolean {
    if (this.#at >= this.#body.length) return false;
    this.#start += this.#number();
    this.offset = virtualOffset(this.#start, this.#number() & 0xffff);
    this.position += this.#number();
    this.end = this.position + this.#number();
    return true;
  }

  #number(): number {
    let value = 0;
    for (let shift = 0; shift < 32; shift += 7) {
      const byte = this.#body[this.#at++] ?? 0;
      value |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    return value >>> 0;
  }
}
