import { Counter, Gauge, type Registry } from 'prom-client';
import type { PlatformLog } from '../platform/records/index.ts';
import { overloaded, type Problem } from '../problem.ts';
import { SparseWarning } from '../sparse-warning.ts';

/**
 * A turn of the event loop in which fewer requests were begun is long because of something else (a busy machine, a sleeping
 * laptop): turning requests away would not shorten it.
 */
const begunMin = 50;

export interface OverloadLimits {
  /** For how long one turn of the event loop begins requests. */
  delayMs: number;
  /** How many requests are worked on at once. */
  requestsMax: number;
}

/**
 * Turns requests away at once that would have to wait too long, so that those it takes are answered in time. What comes in waits
 * in the connections until the event loop turns to it, all of it in one turn: so the length of a turn is how long the last one
 * has waited, and a turn that has been at work for `delayMs` takes no more. The next turn begins afresh: there is nothing to
 * recover from. What waits for something else (PostgreSQL, a commit) is bounded by its number.
 */
export class Overload {
  readonly #limits: OverloadLimits;
  readonly #warning: SparseWarning;
  readonly #turnedAway: Counter;
  #turnBeganAt = 0;
  #begun = 0;
  #working = 0;
  readonly #endOfTurn = (): void => {
    this.#begun = 0;
  };

  constructor(limits: OverloadLimits, log: PlatformLog, registry: Registry) {
    this.#limits = limits;
    this.#warning = new SparseWarning(log, 'more comes in than can be done: requests are turned away');
    const registers = [registry];
    this.#turnedAway = new Counter({
      name: 'ploidy_http_requests_turned_away_total',
      help: 'Requests that were answered 503 because there was more to do than could be done',
      labelNames: ['reason'],
      registers,
    });
    const working = (): number => this.#working;
    new Gauge({
      name: 'ploidy_http_requests_in_work',
      help: 'Requests whose handlers are at work',
      registers,
      collect() {
        this.set(working());
      },
    });
  }

  /** When a request has come in, before anything is done for it. Answers whether this turn has taken enough before it. */
  begin(): boolean {
    if (this.#begun === 0) {
      this.#turnBeganAt = performance.now();
      setImmediate(this.#endOfTurn);
    }
    this.#begun++;
    return this.isOver();
  }

  /** Whether this turn has taken enough. */
  isOver(): boolean {
    if (this.#begun <= begunMin) return false;
    return performance.now() - this.#turnBeganAt >= this.#limits.delayMs;
  }

  /** When the work on a request begins. Problem 503 when too many are being worked on and it is not one that is always taken. */
  take(always: boolean): void {
    if (!always && this.#working >= this.#limits.requestsMax) throw this.turnAway('number');
    this.#working++;
  }

  /** When the work on a request that was taken has ended. */
  leave(): void {
    this.#working--;
  }

  /** Counts one that is turned away, and gives what it is told. */
  turnAway(reason: 'delay' | 'number'): Problem {
    this.#turnedAway.inc({ reason });
    this.#warning.tell({ reason });
    return turnedAway;
  }
}

/** One for all: to make an error takes longer than to answer with it. */
const turnedAway = overloaded();
