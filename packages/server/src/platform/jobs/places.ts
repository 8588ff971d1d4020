import { FairOrder, type PlaceLimits, type Shares, type WaitingWork, type Whose } from './admission.ts';
import { SharesInMemory } from './shares.ts';

/** Request of a caller for a place without a job, such as one for the rows of a statement. */
export interface DirectWork extends WaitingWork {
  /** Time of its arrival, or of its place, by the monotonic clock. */
  since: number;
  setAside: number;
  yields: AbortController;
}

interface Waiter {
  work: DirectWork;
  granted: PromiseWithResolvers<void>;
}

/** Places of one class in this process. Jobs get them by claims; requests of callers take them while they are awaited. */
export class Places {
  readonly limits: PlaceLimits;
  readonly #direct = new Set<DirectWork>();
  readonly #waiting: Waiter[] = [];
  readonly #shares = new SharesInMemory();
  /** Set while jobs are claimed; wakes the claiming, which then decides who is next. */
  #wake: (() => void) | undefined;
  #jobsCount: () => number = () => 0;
  #claiming = false;

  constructor(limits: PlaceLimits) {
    this.limits = limits;
  }

  /** Leaves the decisions to the queue of jobs, or, without arguments, takes them back. */
  governedBy(wake?: () => void, jobsCount: () => number = () => 0): void {
    this.#wake = wake;
    this.#jobsCount = jobsCount;
    if (!wake) this.#grantFree();
  }

  get hasFree(): boolean {
    return this.#jobsCount() + this.#direct.size < this.limits.max;
  }

  get direct(): { running: readonly DirectWork[]; waiting: readonly DirectWork[]; shares: Shares } {
    const now = performance.now();
    const waiting = this.#waiting.map(({ work }) => Object.assign(work, { waitedMs: now - work.since }));
    return { running: [...this.#direct], waiting, shares: this.#shares.at(Date.now()) };
  }

  /**
   * Runs `work` in a place, after waiting for a turn. It must have no effect of its own: when it yields its place, its signal is
   * aborted, and it runs again. Rejects with the reason of the signal.
   */
  async use<T>(whose: Whose, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    for (let setAside = 0; ; setAside += 1) {
      signal.throwIfAborted();
      const yields = new AbortController();
      const own = { whose, isLong: setAside > 0, setAside, yields, since: performance.now(), waitedMs: 0 };
      if (this.hasFree && !this.#claiming && this.#waiting.length === 0) this.#direct.add(own);
      else await this.#wait(own, signal);
      try {
        return await work(AbortSignal.any([signal, yields.signal]));
      } catch (error) {
        if (signal.aborted || !yields.signal.aborted) throw error;
      } finally {
        this.#leave(own);
        if (this.#wake) this.#wake();
        else this.#grantFree();
      }
    }
  }

  /** Takes the place of a request that runs, which then waits again. */
  setAside(work: DirectWork): void {
    if (this.#leave(work)) work.yields.abort('set-aside');
  }

  /** Counts the time of a request for its account, project and user; false if it has no place. */
  #leave(work: DirectWork): boolean {
    const hadPlace = this.#direct.delete(work);
    if (hadPlace) this.#shares.charge(work.whose, performance.now() - work.since, Date.now());
    return hadPlace;
  }

  /** Decides a claim, while no request takes the place in question: it waits, and wakes the claiming once more. */
  async whileClaiming<T>(decide: () => Promise<T>): Promise<T> {
    this.#claiming = true;
    try {
      return await decide();
    } finally {
      this.#claiming = false;
    }
  }

  /** Gives a place to waiting work; false if it no longer waits. */
  grant(work: DirectWork): boolean {
    const at = this.#waiting.findIndex((waiter) => waiter.work === work);
    const [waiter] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (!waiter) return false;
    work.since = performance.now();
    this.#direct.add(work);
    waiter.granted.resolve();
    return true;
  }

  async #wait(work: DirectWork, signal: AbortSignal): Promise<void> {
    const waiter: Waiter = { work, granted: Promise.withResolvers() };
    this.#waiting.push(waiter);
    const leave = (): void => {
      const at = this.#waiting.indexOf(waiter);
      if (at >= 0) this.#waiting.splice(at, 1);
      waiter.granted.reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#wake?.();
    await waiter.granted.promise.finally(() => signal.removeEventListener('abort', leave));
  }

  /** Gives free places without the queue of jobs: before it starts, and once it has stopped. */
  #grantFree(): void {
    while (this.hasFree && this.#waiting.length > 0) {
      const { waiting, shares } = this.direct;
      const running = [...this.#direct].map(({ whose }) => ({
        ...{ whose, isLong: false, ranMs: 0, setAside: 0 },
      }));
      const oldestFirst = waiting.toSorted((one, other) => other.waitedMs - one.waitedMs);
      const [next] = new FairOrder(running, shares).sort(oldestFirst);
      if (next) this.grant(next);
    }
  }
}
