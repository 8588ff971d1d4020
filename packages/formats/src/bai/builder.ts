import { type VirtualOffset, writeVirtualOffset } from '../bgzf/virtual-offset.ts';
import { joinedBytes } from '../bytes.ts';
import { InputError } from '../input-error.ts';
import { BinChunks } from './bin-chunks.ts';
import { ExtentsBuilder } from './extents-builder.ts';

/** Limit of a BAI: its 37,449 bins cover 512 Mb (SAM spec §5.1.1). */
export const baiPositionMax = 2 ** 29;
/** Bytes of the reference that an entry of the linear index is for (SAM spec §5.1.3), as a power of two. */
const windowBits = 14;
/**
 * Maximum windows and bytes. Tickets read a whole index, and records that each skip a sequence could make it gigabytes long.
 * These windows cover 69 Gb, more than any genome that a BAI can index; these bytes are ten times those of a deep human genome.
 */
const windowsMax = 2 ** 22;
const bytesMax = 128 * 1024 * 1024;
/** Bin of records without a reference: that of the range [−1, 0). */
const noBin = -1;

/** Place of one record in a BAM. */
interface IndexedRecord {
  /** −1: none. */
  referenceId: number;
  /** Position from 0. */
  position: number;
  end: number;
  isMapped: boolean;
}

/**
 * Builds the BAI of a sorted BAM in one pass (SAM spec §5.2); every region has the chunks that samtools lists. Bins are written
 * in the order of their numbers.
 */
export class BaiBuilder {
  readonly #referenceCount: number;
  readonly #parts: Uint8Array[] = [];
  /** Start of the next record. */
  #offset: VirtualOffset;
  #referenceId = -1;
  #bins = new BinChunks();
  #linear: VirtualOffset[] = [];
  #bin = noBin;
  #chunkStart: VirtualOffset = 0;
  #referenceStart: VirtualOffset = 0;
  #mapped = 0;
  #unmapped = 0;
  #written = 0;
  /** Number of references written. */
  #windows = 0;
  #bytes = 0;
  readonly #extents = new ExtentsBuilder();
  /** Reads without a reference. */
  unplacedCount = 0;

  /** `offset`: start of the first record. */
  constructor(referenceCount: number, offset: VirtualOffset) {
    this.#referenceCount = referenceCount;
    this.#offset = offset;
  }

  /** Adds the next record; `next`: start of the record after it. The caller has checked order and positions. */
  add({ referenceId, position, end, isMapped }: IndexedRecord, next: VirtualOffset): void {
    if (referenceId !== this.#referenceId) this.#begin(referenceId);
    if (referenceId < 0) this.unplacedCount += 1;
    else this.#place(Math.max(0, position), Math.max(1, end), isMapped);
    this.#offset = next;
  }

  /** Returns the bytes of the index, once all records were added. */
  finish(): Uint8Array {
    if (this.#referenceId >= 0) this.#endReference();
    this.#writeEmptyUntil(this.#referenceCount);
    const ends = new Uint8Array(8);
    writeVirtualOffset(new DataView(ends.buffer), 0, this.unplacedCount);
    return joinedBytes([headOf(this.#referenceCount), ...this.#parts, ends]);
  }

  /** Encodes our own extension of the index: places by block. */
  finishExtents(): Uint8Array {
    return this.#extents.finish();
  }

  #begin(referenceId: number): void {
    if (this.#referenceId >= 0) this.#endReference();
    this.#referenceId = referenceId;
    this.#referenceStart = this.#offset;
    this.#bin = noBin;
  }

  #place(position: number, end: number, isMapped: boolean): void {
    const bin = binOf(position, end);
    if (bin !== this.#bin) {
      this.#endChunk();
      this.#bin = bin;
      this.#chunkStart = this.#offset;
    }
    this.#extents.add(this.#referenceId, position, end, this.#offset);
    const last = (end - 1) >> windowBits;
    for (let window = position >> windowBits; window <= last; window += 1) {
      // A window that no record covers yet; skipped windows are holes until the end.
      if (window >= this.#linear.length) {
        while (this.#linear.length < window) this.#linear.push(-1);
        this.#linear.push(this.#offset);
      } else if ((this.#linear[window] as number) < 0) this.#linear[window] = this.#offset;
    }
    if (isMapped) this.#mapped += 1;
    else this.#unmapped += 1;
  }

  #endChunk(): void {
    if (this.#bin !== noBin) this.#bins.add(this.#bin, this.#chunkStart, this.#offset);
  }

  #endReference(): void {
    this.#endChunk();
    this.#writeEmptyUntil(this.#referenceId);
    const counts = { mapped: this.#mapped, unmapped: this.#unmapped };
    const bins = this.#bins.encode({ start: this.#referenceStart, end: this.#offset, ...counts });
    this.#windows += this.#linear.length;
    this.#bytes += bins.length + this.#linear.length * 8;
    if (this.#windows > windowsMax || this.#bytes > bytesMax) throw tooLarge();
    this.#parts.push(bins, linearBytes(this.#linear));
    this.#written += 1;
    this.#bins = new BinChunks();
    this.#linear = [];
    this.#mapped = 0;
    this.#unmapped = 0;
  }

  /** References without a record: no bins, no windows. */
  #writeEmptyUntil(referenceId: number): void {
    if (referenceId <= this.#written) return;
    this.#parts.push(new Uint8Array((referenceId - this.#written) * 8));
    this.#written = referenceId;
  }
}

/** Returns the smallest bin that holds `[start, end)` (SAM spec §5.3, reg2bin). */
function binOf(start: number, end: number): number {
  const last = end - 1;
  if (start >> 14 === last >> 14) return 4681 + (start >> 14);
  if (start >> 17 === last >> 17) return 585 + (start >> 17);
  if (start >> 20 === last >> 20) return 73 + (start >> 20);
  if (start >> 23 === last >> 23) return 9 + (start >> 23);
  if (start >> 26 === last >> 26) return 1 + (start >> 26);
  return 0;
}

/** Fills windows without a record with the offset of the next one that has a record; the last always has one. */
function linearBytes(linear: VirtualOffset[]): Uint8Array {
  const bytes = new Uint8Array(4 + linear.length * 8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, linear.length, true);
  let following = 0;
  for (let window = linear.length - 1; window >= 0; window -= 1) {
    const offset = linear[window] as number;
    if (offset >= 0) following = offset;
    writeVirtualOffset(view, 4 + window * 8, following);
  }
  return bytes;
}

function headOf(referenceCount: number): Uint8Array {
  const bytes = Uint8Array.from([0x42, 0x41, 0x49, 1, 0, 0, 0, 0]);
  new DataView(bytes.buffer).setUint32(4, referenceCount, true);
  return bytes;
}

const tooLarge = (): InputError =>
  new InputError(
    'The index would be too large: the records span more than 69 Gb of sequences, or are in too many places.',
  );
