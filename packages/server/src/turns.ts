/** How many may wait, and what those beyond are told. */
export interface WaitingLine {
  waitingMax: number;
  tooMany: () => Error;
}

/** Lets so many pieces of work run at once; further ones wait in line, whose length may have an end. */
export class Turns {
  readonly #atOnceMax: number;
  readonly #line: WaitingLine | undefined;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(atOnceMax: number, line?: WaitingLine) {
    this.#atOnceMax = atOnceMax;
    this.#line = line;
  }

  /** Does the work in its turn, in the order of asking. Throws `tooMany` when the line is full. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running === this.#atOnceMax) {
      if (this.#line && this.#waiting.length >= this.#line.waitingMax) throw this.#line.tooMany();
      // Whoever ends hands his place over, so that nobody who comes in between takes it.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
