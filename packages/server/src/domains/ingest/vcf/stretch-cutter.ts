import { InputError } from '@ploidy/formats';
import type { Stretch } from './mapping-work.ts';

/** A line longer than this is refused: it is kept whole in memory. */
const lineBytesMax = 64 << 20;

const newline = 10;

/** The text of a VCF in pieces → stretches of whole lines. */
export class StretchCutter {
  readonly #stretchBytes: number;
  #headerLinesLeft: number;
  readonly #spare: ArrayBuffer[] = [];
  /** Where the present stretch is put together. */
  #room: Buffer<ArrayBuffer>;
  #byteCount = 0;

  /** The header is left out. */
  constructor(stretchBytes: number, headerLineCount: number) {
    this.#stretchBytes = stretchBytes;
    this.#headerLinesLeft = headerLineCount;
    this.#room = roomOf(stretchBytes);
  }

  /** Gives the stretches that became full. Throws `LineTooLong`. */
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
      if (end > 0) yield this.#cut(end, sourceBytes);
      else this.#enlarge();
    }
  }

  /** Gives what is left; the last line may have no end. */
  *end(sourceBytes: number): Generator<Stretch> {
    if (this.#byteCount === 0) return;
    if (this.#room[this.#byteCount - 1] !== newline) {
      if (this.#byteCount === this.#room.length) this.#enlarge();
      this.#room[this.#byteCount++] = newline;
    }
    yield this.#cut(this.#byteCount, sourceBytes);
  }

  /** Takes back memory that is not needed any more. */
  reuse(memory: ArrayBuffer): void {
    // What was made for a long line would be kept for nothing.
    if (memory.byteLength === this.#stretchBytes) this.#spare.push(memory);
  }

  #cut(end: number, sourceBytes: number): Stretch {
    const room = this.#room;
    const begun = room.subarray(end, this.#byteCount);
    const isLong = begun.length > this.#stretchBytes;
    this.#room = isLong ? roomOf(begun.length) : this.#freeRoom();
    this.#room.set(begun);
    this.#byteCount = begun.length;
    return { memory: room.buffer, byteCount: end, sourceBytes };
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

/** The line behind those that were given is longer than `lineBytesMax`. */
export class LineTooLong extends Error {
  at(line: number): InputError {
    return new InputError(`Line ${line} is longer than ${lineBytesMax >> 20} MiB.`, { line });
  }
}
