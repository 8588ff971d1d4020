import { pseudoBin } from '../bai/bin-chunks.ts';
import type { VirtualOffset } from '../bgzf/index.ts';
import { InputError } from '../input-error.ts';
import { binsOverlapping, positionsMax, windowShift } from './bins.ts';
import { BlockExtents } from './block-extents.ts';
import { type Chunk, joined } from './chunk.ts';
import { IndexReader } from './index-reader.ts';

/** Bytes of a bin (number and count), of a chunk, and of a window of the linear index. */
const size = { bin: 8, chunk: 16, window: 8 };

/**
 * Bins and linear index of all references of a file, read once and queried often. Memory equals the size of the index, however
 * many references it has: a few arrays hold all.
 */
export class BinningIndex {
  readonly referenceCount: number;
  /** Starts of the bins and windows of each reference in the arrays below; one entry more than there are references. */
  readonly #binsFrom: Uint32Array;
  readonly #windowsFrom: Uint32Array;
  /** Ascending within a reference, without the pseudo-bin. */
  readonly #bins: Uint32Array;
  readonly #chunksFrom: Uint32Array;
  /** Begin and end in turn. */
  readonly #chunks: Float64Array;
  readonly #windows: Float64Array;
  /** Places by block; only indexes that were built here have them. */
  readonly #extents: BlockExtents | undefined;
  /** End of the last record with a place; `undefined` without any. */
  readonly placedEnd: VirtualOffset | undefined;

  /** Reads the common part of BAI and tabix: for each reference bins with chunks, then the linear index. */
  constructor(reader: IndexReader, referenceCount: number) {
    const counts = countAll(reader, referenceCount);
    this.referenceCount = referenceCount;
    this.#binsFrom = new Uint32Array(referenceCount + 1);
    this.#windowsFrom = new Uint32Array(referenceCount + 1);
    this.#bins = new Uint32Array(counts.bins);
    this.#chunksFrom = new Uint32Array(counts.bins + 1);
    this.#chunks = new Float64Array(counts.chunks * 2);
    this.#windows = new Float64Array(counts.windows);
    this.placedEnd = this.#fill(reader);
    this.#extents = BlockExtents.read(reader);
  }

  /** Bytes in memory. */
  get byteLength(): number {
    const arrays = [
      this.#binsFrom,
      this.#windowsFrom,
      this.#bins,
      this.#chunksFrom,
      this.#chunks,
      this.#windows,
    ];
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, this.#extents?.byteLength ?? 0);
  }

  /**
   * Returns the ranges of the records of a reference (its number) that overlap `[begin, end)`: ascending, disjoint, with all of these
   * records and few others. 0 ≤ begin ≤ end.
   */
  chunks(reference: number, begin: number, end: number): Chunk[] {
    const last = Math.min(end, positionsMax);
    if (begin >= last || reference >= this.referenceCount) return [];
    const from = this.#linearOffset(reference, begin);
    const to = this.#extents?.behind(reference, last) ?? this.#behind(reference, begin, last);
    const found: Chunk[] = [];
    for (const range of binsOverlapping(begin, last)) {
      let bin = this.#lowerBound(reference, range.first);
      for (; this.#isIn(reference, bin, range.last); bin += 1) this.#collect(bin, from, to, found);
    }
    const extents = this.#extents;
    if (extents === undefined) return joined(found);
    return joined(found).flatMap((chunk) => extents.trimmed(chunk, reference, begin) ?? []);
  }

  /** Skips the chunks of a bin before a place: chunks ascend, and deep reads have many. */
  #collect(bin: number, from: VirtualOffset, to: VirtualOffset | undefined, found: Chunk[]): void {
    const last = this.#chunksFrom[bin + 1] ?? 0;
    for (let index = this.#firstBehind(bin, from); index < last; index += 1) {
      const begin = Math.max(this.#chunks[2 * index] ?? 0, from);
      if (to !== undefined && begin >= to) return;
      const end = earlier(this.#chunks[2 * index + 1] ?? 0, to);
      if (begin < end) found.push({ begin, end });
    }
  }

  /** Finds the first chunk of a bin that ends after a place. */
  #firstBehind(bin: number, place: VirtualOffset): number {
    let low = this.#chunksFrom[bin] ?? 0;
    let high = this.#chunksFrom[bin + 1] ?? 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#chunks[2 * middle + 1] ?? 0) <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * Returns the place before which no record overlaps the window of a position (SAMv1 §5.1.3). A window without an entry has
   * that of the previous one.
   */
  #linearOffset(reference: number, position: number): VirtualOffset {
    const first = this.#windowsFrom[reference] ?? 0;
    const count = (this.#windowsFrom[reference + 1] ?? 0) - first;
    for (let window = Math.min(position >>> windowShift, count - 1); window >= 0; window -= 1) {
      const offset = this.#windows[first + window] ?? 0;
      if (offset > 0) return offset;
    }
    return 0;
  }

  /**
   * Returns the place from which no record overlaps: that of the first record of the first bin that begins at or after `end`.
   * Records are sorted, so all later ones begin there or later. Bins of a higher level, whose chunks reach far beyond the
   * region, are cut at it.
   */
  #behind(reference: number, begin: number, end: number): VirtualOffset | undefined {
    let behind: VirtualOffset | undefined;
    for (const { last, levelLast } of binsOverlapping(begin, end)) {
      const bin = this.#lowerBound(reference, last + 1);
      if (!this.#isIn(reference, bin, levelLast)) continue;
      const first = this.#chunksFrom[bin] ?? 0;
      if (first === this.#chunksFrom[bin + 1]) continue;
      behind = earlier(this.#chunks[2 * first] ?? 0, behind);
    }
    return behind;
  }

  #isIn(reference: number, bin: number, last: number): boolean {
    return bin < (this.#binsFrom[reference + 1] ?? 0) && (this.#bins[bin] ?? 0) <= last;
  }

  #lowerBound(reference: number, bin: number): number {
    let low = this.#binsFrom[reference] ?? 0;
    let high = this.#binsFrom[reference + 1] ?? 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#bins[middle] ?? 0) < bin) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #fill(reader: IndexReader): VirtualOffset | undefined {
    let [bins, chunks, windows] = [0, 0, 0];
    let placedEnd: VirtualOffset | undefined;
    const see = (end: VirtualOffset): void => {
      if (placedEnd === undefined || end > placedEnd) placedEnd = end;
    };
    for (let reference = 0; reference < this.referenceCount; reference += 1) {
      const entries = readBins(reader);
      const next = reader.at;
      for (const { bin, at, count } of entries) {
        reader.at = at;
        if (bin === pseudoBin) {
          if (count === 0) continue;
          reader.virtualOffset();
          see(reader.virtualOffset());
          continue;
        }
        this.#bins[bins] = bin;
        bins += 1;
        for (let index = 0; index < count * 2; index += 1)
          this.#chunks[2 * chunks + index] = reader.virtualOffset();
        chunks += count;
        this.#chunksFrom[bins] = chunks;
        if (count > 0) see(this.#chunks[2 * chunks - 1] ?? 0);
      }
      reader.at = next;
      const windowCount = reader.count(size.window, 'windows');
      for (let window = 0; window < windowCount; window += 1)
        this.#windows[windows + window] = reader.virtualOffset();
      windows += windowCount;
      this.#binsFrom[reference + 1] = bins;
      this.#windowsFrom[reference + 1] = windows;
    }
    return placedEnd;
  }
}

/** Bin as the index lists it: `count` chunks from `at` on. */
interface BinEntry {
  bin: number;
  at: number;
  count: number;
}

/** Returns the bins of the next reference in order of their numbers; indexes list them in any order. Leaves the reader after them. */
function readBins(reader: IndexReader): BinEntry[] {
  const entries: BinEntry[] = [];
  for (let left = reader.count(size.bin, 'bins'); left > 0; left -= 1) {
    const bin = reader.uint32();
    if (bin > pseudoBin) throw new InputError(`The index names bin ${bin}; there is none with that number.`);
    const count = reader.count(size.chunk, 'chunks');
    entries.push({ bin, at: reader.at, count });
    reader.bytes(count * size.chunk);
  }
  return entries.sort((one, other) => one.bin - other.bin);
}

/** Counts all items, for arrays of exact size. Leaves the reader at its place. */
function countAll(
  reader: IndexReader,
  referenceCount: number,
): Record<'bins' | 'chunks' | 'windows', number> {
  const begin = reader.at;
  const counts = { bins: 0, chunks: 0, windows: 0 };
  for (let reference = 0; reference < referenceCount; reference += 1) {
    for (const { bin, count } of readBins(reader)) {
      if (bin === pseudoBin) continue;
      counts.bins += 1;
      counts.chunks += count;
    }
    const windowCount = reader.count(size.window, 'windows');
    counts.windows += windowCount;
    reader.bytes(windowCount * size.window);
  }
  reader.at = begin;
  return counts;
}

function earlier(one: VirtualOffset, other: VirtualOffset | undefined): VirtualOffset {
  return other === undefined || one < other ? one : other;
}

/** Reads a BAI index (SAMv1 §5.2). InputError when it is broken; memory is bounded by its size. */
export function readBai(bytes: Uint8Array): BinningIndex {
  const reader = new IndexReader(bytes);
  reader.magic('BAI\x01', 'BAI');
  return new BinningIndex(reader, reader.count(8, 'references'));
}
