import {
  blockStartOf,
  type VirtualOffset,
  virtualOffset,
  withinBlock,
  writeVirtualOffset,
} from '../bgzf/index.ts';
import { ByteWriter, bytesOf, joinedBytes } from '../bytes.ts';

/** What begins the extents, behind the index that they are an addition to. */
export const extentsMagic = 'EXT\x01';
/** Bytes of a group: where its first record begins, its reference, first position and last end, and where its blocks are told. */
export const groupBytes = 24;
/** Blocks of a group: so many are read to find one. */
const groupBlocks = 64;
/** Differences are told in 32 bits; a group begins where that is not enough. */
const differenceMax = 2 ** 31;

interface Group {
  offset: VirtualOffset;
  reference: number;
  position: number;
  end: number;
  from: number;
}

/**
 * Notes for each BGZF block in which records of a reference begin: where the first of them begins, its position, and where the one that
 * reaches farthest ends. A BAI tells places by windows of 16 kb, in which deep files have dozens of blocks; this tells them by blocks, in
 * some nine bytes each (docs/adr/0014-extents-of-blocks.md).
 */
export class ExtentsBuilder {
  readonly #groups: Group[] = [];
  readonly #body = new ByteWriter(1024);
  /** Blocks told in the last group, and where the last of them begins. */
  #told = 0;
  #toldStart = 0;
  #toldPosition = 0;
  /** The block whose records come now. */
  #reference = -1;
  #offset: VirtualOffset = 0;
  #blockEnd: VirtualOffset = -1;
  #position = 0;
  #end = 0;

  /** Takes the next record that has a place; it begins at `offset`. */
  add(reference: number, position: number, end: number, offset: VirtualOffset): void {
    if (offset < this.#blockEnd && reference === this.#reference) {
      if (end > this.#end) this.#end = end;
      return;
    }
    this.#tell();
    this.#reference = reference;
    this.#offset = offset;
    this.#blockEnd = virtualOffset(blockStartOf(offset) + 1, 0);
    this.#position = position;
    this.#end = end;
  }

  /** Their bytes, once all records were added: the groups, then what they tell of their blocks. */
  finish(): Uint8Array {
    this.#tell();
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

  #tell(): void {
    if (this.#blockEnd < 0) return;
    const start = blockStartOf(this.#offset);
    const group = this.#groupOf(start);
    group.end = Math.max(group.end, this.#end);
    this.#body.variable(start - this.#toldStart);
    this.#body.variable(withinBlock(this.#offset));
    this.#body.variable(this.#position - this.#toldPosition);
    this.#body.variable(this.#end - this.#position);
    this.#told += 1;
    this.#toldStart = start;
    this.#toldPosition = this.#position;
  }

  /** The last group, or a new one that begins with the block. */
  #groupOf(start: number): Group {
    const last = this.#groups.at(-1);
    const fits = this.#told < groupBlocks && start - this.#toldStart < differenceMax;
    if (last && fits && last.reference === this.#reference) return last;
    const group = {
      offset: this.#offset,
      reference: this.#reference,
      position: this.#position,
      end: this.#end,
      from: this.#body.length,
    };
    this.#groups.push(group);
    this.#told = 0;
    this.#toldStart = start;
    this.#toldPosition = this.#position;
    return group;
  }
}
