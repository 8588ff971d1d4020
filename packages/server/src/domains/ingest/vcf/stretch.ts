/** Of the word that says who may map it, in front of the text. */
const wordBytes = 8;

/**
 * Room for whole lines of a VCF that all threads see. Each time that it is offered it has another number, so that who comes too late never
 * takes the text for that of which he heard.
 */
export class Stretch {
  readonly shared: SharedArrayBuffer;
  /** All the room that there is. */
  readonly room: Buffer;
  readonly #word: Int32Array;

  constructor(shared: SharedArrayBuffer) {
    this.shared = shared;
    this.room = Buffer.from(shared, wordBytes);
    this.#word = new Int32Array(shared, 0, 1);
  }

  static withRoom(bytes: number): Stretch {
    return new Stretch(new SharedArrayBuffer(wordBytes + bytes));
  }

  /** `number`: from 1, each once. */
  offer(number: number): void {
    Atomics.store(this.#word, 0, number);
  }

  /** Whether the caller is the one who maps what was offered under this number. */
  take(number: number): boolean {
    return Atomics.compareExchange(this.#word, 0, number, 0) === number;
  }
}
