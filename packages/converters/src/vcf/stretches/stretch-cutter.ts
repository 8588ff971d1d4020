import { InputError } from '@ploidy/formats';

/** Whole lines of a VCF, to be mapped. */
export interface Stretch {
  memory: ArrayBuffer;
  /** Start of its text, with context lines of other stretches. */
  start: number;
  /** Bytes of lines before it, which belong to another stretch. */
  before: number;
  /** End of its own lines, with their line ends. */
  byteCount: number;
  /** End of the context lines after it. */
  textBytes: number;
  /** Bytes of the source up to its end. */
  sourceBytes: number;
  /** Set if the line after its others was dropped for exceeding the maximum. */
  isCutShort?: boolean;
}

/** Maximum length of a line: it is kept whole in memory. */
export const lineBytesMax = 64 << 20;

const newline = 10;

/** Cuts the text of a VCF into stretches of whole lines. */
export class StretchCutter {
  readonly #stretchBytes: number;
  /** Approximate bytes of context lines before and after a stretch. */
  readonly #aroundBytes: number;
  #headerLinesLeft: number;
  readonly #spare: ArrayBuffer[] = [];
  /** Buffer in which the current stretch is assembled. */
  #room: Buffer<ArrayBuffer>;
  #byteCount = 0;
  /** Bytes of lines of the previous stretch. */
  #before = 0;

  /** Cuts after the header. `aroundBytesMax`: bytes of context lines before and after each stretch. */
  constructor(stretchBytes: number, headerLineCount: number, aroundBytesMax = 0) {
    this.#stretchBytes = stretchBytes;
    this.#aroundBytes = Math.min(aroundBytesMax, stretchBytes >> 2);
    this.#headerLinesLeft = headerLineCount;
    this.#room = roomOf(stretchBytes);
  }

  /** Yields the stretches that are full. Throws `LineTooLong`. */
  *add(chunk: Buffer, sourceBytes: number): Generator<Stretch> {
    let rest = this.#behindHeader(chunk);
    while (rest.length > 0) {
      const room = this.#room;
      const taken = Math.min(rest.length, room.length - this.#byteCount);
      room.set(rest.subarray(0, taken), this.#byteCount);
      this.#byteCount += taken;
      rest = rest.subarray(taken);
      if (this.#byteCount < room.length) return;
      const end = room.lastIndexOf(newline) + 1;
      if (end > this.#before) yield this.#cut(this.#ownEnd(end), end, sourceBytes);
      else this.#enlarge();
    }
  }

  /** Yields the rest; the last line may lack an end. */
  *end(sourceBytes: number): Generator<Stretch> {
    if (this.#byteCount === this.#before) return;
    if (this.#room[this.#byteCount - 1] !== newline) {
      if (this.#byteCount === this.#room.length) this.#enlarge();
      this.#room[this.#byteCount++] = newline;
    }
    yield this.#cut(this.#byteCount, this.#byteCount, sourceBytes);
  }

  /** Takes back memory that is not needed any more. */
  reuse(memory: ArrayBuffer): void {
    // Memory of a long line is too large to be reused.
    if (memory.byteLength === this.#stretchBytes) this.#spare.push(memory);
  }

  /** Returns the end of the stretch's own lines among those that end at `end`: at least one line. */
  #ownEnd(end: number): number {
    if (this.#aroundBytes === 0) return end;
    const own = this.#room.lastIndexOf(newline, Math.max(0, end - 1 - this.#aroundBytes)) + 1;
    return own > this.#before ? own : this.#room.indexOf(newline, this.#before) + 1;
  }

  #cut(end: number, textEnd: number, sourceBytes: number): Stretch {
    const room = this.#room;
    const before = this.#before;
    // From the beginning of a line.
    const from = end - this.#aroundBytes;
    const kept = from <= 0 ? 0 : room.indexOf(newline, from - 1) + 1;
    const begun = room.subarray(kept, this.#byteCount);
    const isLong = begun.length > this.#stretchBytes;
    this.#room = isLong ? roomOf(begun.length) : this.#freeRoom();
    this.#room.set(begun);
    this.#byteCount = begun.length;
    this.#before = end - kept;
    return { memory: room.buffer, start: 0, before, byteCount: end, textBytes: textEnd, sourceBytes };
  }

  #freeRoom(): Buffer<ArrayBuffer> {
    const free = this.#spare.pop();
    return free ? Buffer.from(free) : roomOf(this.#stretchBytes);
  }

  #enlarge(): void {
    const room = this.#room;
    if (room.length > lineBytesMax) throw new LineTooLong();
    this.#room = roomOf(Math.min(room.length * 2, lineBytesMax + 1));
    this.#room.set(room);
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

function roomOf(bytes: number): Buffer<ArrayBuffer> {
  return Buffer.from(new ArrayBuffer(bytes));
}

/** Signals that the line after those already returned is longer than `lineBytesMax`. */
export class LineTooLong extends Error {
  at(line: number): InputError {
    return new InputError(`Line ${line} is longer than ${lineBytesMax >> 20} MiB.`, { line });
  }
}
