import { blockStartOf, type VirtualOffset, writeVirtualOffset } from '../bgzf/virtual-offset.ts';

/** Pseudo-bin: it holds the range of the reads of the reference, and the number of mapped ones (SAM spec §5.2). */
export const pseudoBin = 37_450;
/** Bin whose chunks are so close together that reading its parent is as fast; as in htslib. */
const bytesMin = 65_536;

interface ReferenceSummary {
  start: VirtualOffset;
  end: VirtualOffset;
  mapped: number;
  unmapped: number;
}

/** Starts and ends, alternating. */
type Chunks = VirtualOffset[];

/** Bins of one reference with the places of their records. */
export class BinChunks {
  readonly #bins = new Map<number, Chunks>();

  add(bin: number, start: VirtualOffset, end: VirtualOffset): void {
    const chunks = this.#bins.get(bin);
    if (chunks) chunks.push(start, end);
    else this.#bins.set(bin, [start, end]);
  }

  /** Bins as in a BAI: their number, then each with its chunks, the pseudo-bin last. */
  encode(reference: ReferenceSummary): Uint8Array {
    this.#lift();
    for (const chunks of this.#bins.values()) joinTouching(chunks);
    this.#bins.set(pseudoBin, [reference.start, reference.end, reference.mapped, reference.unmapped]);
    const bins = [...this.#bins].sort(([a], [b]) => a - b);
    const size = bins.reduce((sum, [, chunks]) => sum + 8 + chunks.length * 8, 4);
    const bytes = new Uint8Array(size);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, bins.length, true);
    let at = 4;
    for (const [bin, chunks] of bins) {
      view.setUint32(at, bin, true);
      view.setUint32(at + 4, chunks.length / 2, true);
      at += 8;
      for (const offset of chunks) {
        writeVirtualOffset(view, at, offset);
        at += 8;
      }
    }
    return bytes;
  }

  /** Merges small bins into their parents, from the leaves up, where a parent exists. Parents have lower numbers. */
  #lift(): void {
    for (const bin of [...this.#bins.keys()].sort((a, b) => b - a)) {
      const chunks = this.#bins.get(bin) as Chunks;
      sort(chunks);
      if (bin === 0) return;
      const span = blockStartOf(chunks.at(-1) as number) - blockStartOf(chunks[0] as number);
      const parent = this.#bins.get((bin - 1) >> 3);
      if (span >= bytesMin || !parent) continue;
      for (const offset of chunks) parent.push(offset);
      this.#bins.delete(bin);
    }
  }
}

/** Sorts chunks by their starts. */
function sort(chunks: Chunks): void {
  let isSorted = true;
  for (let at = 2; at < chunks.length; at += 2) {
    if ((chunks[at] as number) < (chunks[at - 2] as number)) isSorted = false;
  }
  if (isSorted) return;
  const pairs: [number, number][] = [];
  for (let at = 0; at < chunks.length; at += 2) {
    pairs.push([chunks[at] as number, chunks[at + 1] as number]);
  }
  pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  chunks.splice(0, chunks.length, ...pairs.flat());
}

/** Merges chunks that meet in one block: it is inflated only once. */
function joinTouching(chunks: Chunks): void {
  let last = 0;
  for (let at = 2; at < chunks.length; at += 2) {
    const [start, end] = [chunks[at] as number, chunks[at + 1] as number];
    if (blockStartOf(chunks[last + 1] as number) >= blockStartOf(start)) {
      if ((chunks[last + 1] as number) < end) chunks[last + 1] = end;
    } else {
      last += 2;
      chunks[last] = start;
      chunks[last + 1] = end;
    }
  }
  chunks.length = last + 2;
}
