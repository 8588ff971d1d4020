import { Problem } from '../../problem.ts';

/** Lets so many pieces of work run at once; further ones wait in line, and beyond that are refused. */
export class Turns {
  readonly #atOnceMax: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(atOnceMax: number, waitingMax: number) {
    this.#atOnceMax = atOnceMax;
    this.#waitingMax = waitingMax;
  }

  /** Problem 503 when the line is full. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running === this.#atOnceMax) {
      if (this.#waiting.length >= this.#waitingMax) throw busy();
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

function busy(): Problem {
  const message = 'Too many people are signing in at this moment. Try again in a few seconds.';
  return new Problem(503, 'BUSY', message, { retryAfterS: 3 });
}
