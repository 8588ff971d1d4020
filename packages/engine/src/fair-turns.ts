/** Refuses a task because too many of the same caller wait already. */
export class TooManyWaiting extends Error {
  constructor() {
    super('Too many of your requests wait for the query engine. Wait for their answers, then try again.');
    this.name = 'TooManyWaiting';
  }
}

/** The caller of the service itself, whose tasks are not limited. */
const service = '';

/**
 * Turns that callers take one after the other: each waits behind its own tasks, and behind one of each other caller. First come, first
 * served would let one caller keep out all others.
 */
export class FairTurns {
  readonly #waitingMax: number;
  /** Waiting tasks, by owner. The owner of the next turn is the first. */
  readonly #waiting = new Map<string, PromiseWithResolvers<void>[]>();
  #free: number;

  /** `waitingMax`: tasks of one caller that may wait. */
  constructor(turns: number, { waitingMax = Number.POSITIVE_INFINITY } = {}) {
    this.#free = turns;
    this.#waitingMax = waitingMax;
  }

  /** Tasks that wait, of all callers. */
  get waitingCount(): number {
    return this.#waiting.values().reduce((sum, tasks) => sum + tasks.length, 0);
  }

  /** Waits for a turn, to be given back by `give`. Rejects with `TooManyWaiting`, or the reason of the signal. */
  async take(caller: string = service, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const own = this.#waiting.get(caller) ?? [];
    if (caller !== service && own.length >= this.#waitingMax) throw new TooManyWaiting();
    const turn = Promise.withResolvers<void>();
    own.push(turn);
    this.#waiting.set(caller, own);
    const leave = (): void => {
      this.#remove(caller, turn);
      turn.reject(signal?.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
    await turn.promise.finally(() => signal?.removeEventListener('abort', leave));
  }

  /** Gives a turn to the next caller. */
  give(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free += 1;
      return;
    }
    const [name, tasks] = next;
    const turn = tasks.shift();
    // After all others.
    this.#waiting.delete(name);
    if (tasks.length > 0) this.#waiting.set(name, tasks);
    turn?.resolve();
  }

  #remove(caller: string, turn: PromiseWithResolvers<void>): void {
    const tasks = this.#waiting.get(caller)?.filter((one) => one !== turn) ?? [];
    if (tasks.length > 0) this.#waiting.set(caller, tasks);
    else this.#waiting.delete(caller);
  }
}
