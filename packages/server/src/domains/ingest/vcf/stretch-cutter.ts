import { InputError } from '@ploidy/formats';
import { Stretch } from './stretch.ts';

/** A line longer than this is refused: it is kept whole in memory. */
const lineBytesMax = 64 << 20;

const newline = 10;

/** A stretch with its text. */
export interface CutStretch {
  stretch: Stretch;
  /** Bytes of its whole lines, each with its end. */
  byteCount: number;
  /** Of the source, read up to its end. */
  sourceBytes: number;
}

/** The text of a VCF in pieces → stretches of whole lines. */
export class StretchCutter {
  readonly #stretchBytes: number;
  #headerLinesLeft: number;
  readonly #spare: Stretch[] = [];
  #stretch: Stretch;
  #byteCount = 0;

  /** The header is left out. */
  constructor(stretchBytes: number, headerLineCount: number) {
    this.#stretchBytes = stretchBytes;
    this.#headerLinesLeft = headerLineCount;
    this.#stretch = Stretch.withRoom(stretchBytes);
  }

  /** Gives the stretches that became full. Throws `LineTooLong`. */
  *add(chunk: Buffer, sourceBytes: number): Generator<CutStretch> {
    let rest = this.#behindHeader(chunk);
    while (rest.length > 0) {
      const { room } = this.#stretch;
      const taken = Math.min(rest.length, room.length - this.#byteCount);
      room.set(rest.subarray(0, taken), this.#byteCount);
      this.#byteCount += taken;
      rest = rest.subarray(taken);
      if (this.#byteCount < room.length) return;
      const end = room.lastIndexOf(newline) + 1;
      if (end > 0) yield this.#cut(end, sourceBytes);
      else this.#enlarge();
    }
  }

  /** Gives what is left; the last line may have no end. */
  *end(sourceBytes: number): Generator<CutStretch> {
    if (this.#byteCount === 0) return;
    if (this.#stretch.room[this.#byteCount - 1] !== newline) {
      if (this.#byteCount === this.#stretch.room.length) this.#enlarge();
      this.#stretch.room[this.#byteCount++] = newline;
    }
    yield this.#cut(this.#byteCount, sourceBytes);
  }

  /** Takes back one that is not needed any more. */
  reuse(stretch: Stretch): void {
    // One that was made for a long line would be kept for nothing.
    if (stretch.room.length === this.#stretchBytes) this.#spare.push(stretch);
  }

  #cut(end: number, sourceBytes: number): CutStretch {
    const stretch = this.#stretch;
    const begun = stretch.room.subarray(end, this.#byteCount);
    const next = this.#spare.pop() ?? Stretch.withRoom(this.#stretchBytes);
    this.#stretch = next.room.length < begun.length ? Stretch.withRoom(begun.length) : next;
    this.#stretch.room.set(begun);
    this.#byteCount = begun.length;
    return { stretch, byteCount: end, sourceBytes };
  }

  #enlarge(): void {
    const { room } = this.#stretch;
    if (room.length > lineBytesMax) throw new LineTooLong();
    this.#stretch = Stretch.withRoom(Math.min(room.length * 2, lineBytesMax + 1));
    this.#stretch.room.set(room);
  }

  #behindHeader(chunk: Buffer): Buffer {
    let start = 0;
    while (this.#headerLinesLeft > 0) {
      const end = chunk.indexOf(newline, start);
      if (end < 0) return chunk.subarray(chunk.length);
      start = end + 1;
      this.#headerLinesLeft -= 1;
    }
    return chunk.subarray(start);
  }
}

/** The line behind those that were given is longer than `lineBytesMax`. */
export class LineTooLong extends Error {
  at(line: number): InputError {
    return new InputError(`Line ${line} is longer than ${lineBytesMax >> 20} MiB.`, { line });
  }
}
