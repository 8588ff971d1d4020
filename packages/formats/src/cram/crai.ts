import { type VirtualOffset, virtualOffset } from '../bgzf/index.ts';
import type { Chunk } from '../binning/chunk.ts';
import { bytesOf } from '../bytes.ts';
import { InputError } from '../input-error.ts';

/** Maximum text of an index: that of some million slices. */
const indexBytesMax = 128 * 1024 * 1024;

/** Place of a slice in a CRAM. */
export interface SlicePlace {
  /** Start of its container in the file. */
  container: number;
  /** Start of the slice, counted from the container's first block. */
  slice: number;
  bytes: number;
}

/** Records of one sequence in one slice. */
interface Run {
  place: SlicePlace;
  referenceId: number;
  position: number;
  end: number;
}

/** Builds the index of a CRAM: a line for each sequence in each slice, as samtools does (CRAM spec §12). */
export class CraiBuilder {
  readonly #lines: string[] = [];
  #bytes = 0;
  #run: Run | undefined;

  /** Adds the next record. Positions count from 0; `end` is after the last covered base. */
  add(place: SlicePlace, referenceId: number, position: number, end: number): void {
    const run = this.#run;
    if (run?.place === place && run.referenceId === referenceId) {
      if (end > run.end) run.end = end;
      return;
    }
    this.#endRun();
    this.#run = { place, referenceId, position, end };
  }

  finish(): Uint8Array {
    this.#endRun();
    return bytesOf(this.#lines.join(''));
  }

  #endRun(): void {
    if (this.#run === undefined) return;
    const { place, referenceId, position, end } = this.#run;
    const [start, span] = referenceId >= 0 ? [position + 1, end - position] : [0, 1];
    const { container, slice, bytes } = place;
    const line = `${[referenceId, start, span, container, slice, bytes].join('\t')}\n`;
    this.#lines.push(line);
    this.#bytes += line.length;
    this.#run = undefined;
    if (this.#bytes > indexBytesMax) throw new InputError('The index would be too large.');
  }
}

/** Places of the records of a CRAM by sequence, in whole containers. Offsets are virtual, at the starts of blocks. */
export class CramIndex {
  /** Start and end of each slice by sequence, and the number of its container: three numbers a slice. */
  readonly #slices = new Map<number, Float64Array>();
  /** Starts of the containers, ascending, and the end of the last. */
  readonly #containers: Float64Array;
  readonly byteLength: number;
  /** Start of the first container with an unplaced read; the end of all if there is none. */
  readonly placedEnd: VirtualOffset;

  /** Reads the text of an index that was built here; `contentEnd`: virtual offset after the last container. */
  constructor(text: string, contentEnd: VirtualOffset) {
    const slices = new Map<number, number[]>();
    const containers: number[] = [];
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const [reference = -1, start = 0, span = 0, container = 0] = line.split('\t').map(Number);
      const offset = virtualOffset(container, 0);
      if (containers.at(-1) !== offset) containers.push(offset);
      const list = slices.get(reference) ?? [];
      slices.set(reference, list);
      list.push(start - 1, start - 1 + span, containers.length - 1);
    }
    this.#containers = Float64Array.from([...containers, contentEnd]);
    for (const [reference, list] of slices) this.#slices.set(reference, Float64Array.from(list));
    this.byteLength = text.length;
    this.placedEnd = this.#containers[this.#slices.get(-1)?.[2] ?? containers.length] ?? contentEnd;
  }

  /** Returns the containers with records of a sequence that overlap `[begin, end)`, in the order of the file. */
  chunks(reference: number, begin: number, end: number): Chunk[] {
    const found: Chunk[] = [];
    const slices = this.#slices.get(reference);
    if (slices === undefined || begin >= end) return found;
    for (let at = 0; at < slices.length; at += 3) {
      if ((slices[at] ?? 0) >= end) break;
      if ((slices[at + 1] ?? 0) <= begin) continue;
      const container = slices[at + 2] ?? 0;
      found.push({ begin: this.#containers[container] ?? 0, end: this.#containers[container + 1] ?? 0 });
    }
    return found;
  }
}
