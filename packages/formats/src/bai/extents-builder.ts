import {
  blockStartOf,
  type VirtualOffset,
  virtualOffset,
  withinBlock,
  writeVirtualOffset,
} from '../bgzf/index.ts';
import { ByteWriter, bytesOf, joinedBytes } from '../bytes.ts';

/** Magic bytes of the extents, which follow the index. */
export const extentsMagic = 'EXT\x01';
/** Bytes of a group: start of its first record, its reference, first position and last end, and the offset of its blocks. */
export const groupBytes = 24;
/** Blocks of a group: this many are read to find one. */
const groupBlocks = 64;
/** Differences have 32 bits; a larger one starts a group. */
const differenceMax = 2 ** 31;

interface Group {
  offset: VirtualOffset;
  reference: number;
  position: number;
  end: number;
  from: number;
}

/**
 * Records each BGZF block in which records of a reference start: start and position of the first, and the farthest end. A BAI
 * has places by windows of 16 kb, in which deep files have dozens of blocks. Extents have them by block, in about nine bytes
 * each (docs/design/adr/0014-extents-of-blocks.md).
 */
export class ExtentsBuilder {
  readonly #groups: Group[] = [];
  readonly #body = new ByteWriter(1024);
  /** Number of blocks in the last group, and start of the last one. */
  #writtenBlocks = 0;
  #writtenStart = 0;
  #writtenPosition = 0;
  /** Block whose records are being added. */
  #reference = -1;
  #offset: VirtualOffset = 0;
  #blockEnd: VirtualOffset = -1;
  #position = 0;
  #end = 0;

  /** Adds the next record that has a place; it begins at `offset`. */
  add(reference: number, position: number, end: number, offset: VirtualOffset): void {
    if (offset < this.#blockEnd && reference === this.#reference) {
      if (end > this.#end) this.#end = end;
      return;
    }
    this.#write();
    this.#reference = reference;
    this.#offset = offset;
    this.#blockEnd = virtualOffset(blockStartOf(offset) + 1, 0);
    this.#position = position;
    this.#end = end;
  }

  /** Encodes the extents once all records were added: the groups, then their blocks. */
  finish(): Uint8Array {
    this.#write();
    this.#blockEnd = -1;
    const head = new Uint8Array(12 + this.#groups.length * groupBytes);
    const view = new DataView(head.buffer);
    head.set(bytesOf(extentsMagic));
    view.setInt32(4, this.#groups.length, true);
    view.setInt32(8, this.#body.length, true);
    for (const [index, { offset, reference, position, end, from }] of this.#groups.entries()) {
      const at = 12 + index * groupBytes;
      writeVirtualOffset(view, at, offset);
      for (const [place, value] of [reference, position, end, from].entries()) {
        view.setInt32(at + 8 + place * 4, value, true);
      }
    }
    return joinedBytes([head, this.#body.bytes.subarray(0, this.#body.length)]);
  }

  #write(): void {
    if (this.#blockEnd < 0) return;
    const start = blockStartOf(this.#offset);
    const group = this.#groupOf(start);
    group.end = Math.max(group.end, this.#end);
    this.#body.variable(start - this.#writtenStart);
    this.#body.variable(withinBlock(this.#offset));
    this.#body.variable(this.#position - this.#writtenPosition);
    this.#body.variable(this.#end - this.#position);
    this.#writtenBlocks += 1;
    this.#writtenStart = start;
    this.#writtenPosition = this.#position;
  }

  /** Returns the last group, or a new one that begins with the block. */
  #groupOf(start: number): Group {
    const last = this.#groups.at(-1);
    const fits = this.#writtenBlocks < groupBlocks && start - this.#writtenStart < differenceMax;
    if (last && fits && last.reference === this.#reference) return last;
    const group = {
      offset: this.#offset,
      reference: this.#reference,
      position: this.#position,
      end: this.#end,
      from: this.#body.length,
    };
    this.#groups.push(group);
    this.#writtenBlocks = 0;
    this.#writtenStart = start;
    this.#writtenPosition = this.#position;
    return group;
  }
}
