import { Counter, Gauge, type Registry } from 'prom-client';
import { overloaded, Problem } from '../../base/problem.ts';
import { SparseWarning } from '../../platform/log/sparse-warning.ts';
import type { PlatformLog } from '../../platform/records/index.ts';

/** A tick of the event loop with fewer requests is long for another reason (a busy machine): shedding would not shorten it. */
const requestsPerTickMin = 50;

/** Minimum number of callers that fill all requests at work. */
const callersMin = 10;

export interface LoadLimits {
  /** Time for which one tick of the event loop starts requests. */
  delayMs: number;
  /** Requests whose handlers run at once. */
  requestsMax: number;
}

/**
 * Rejects requests with 503 that would wait too long, before any work is done for them. Requests wait in their connections until
 * the event loop reads them, all in one tick: so the age of a tick is the time that its newest request has waited. A tick older
 * than `delayMs` starts no more requests, and the next one starts afresh. Requests that wait for something else (PostgreSQL, a
 * commit) are limited by their number. `@fastify/under-pressure` samples the delay once a second instead, and then rejects
 * everything until the next sample (docs/design/adr/0013).
 */
export class LoadShedding {
  readonly #limits: LoadLimits;
  readonly #warning: SparseWarning;
  readonly #rejected: Counter;
  #tickStartedAt = 0;
  #requestsInTick = 0;
  #running = 0;
  /** By caller: the id of a user, or the network of an anonymous client. */
  readonly #runningOf = new Map<string, number>();
  readonly #endTick = (): void => {
    this.#requestsInTick = 0;
  };

  constructor(limits: LoadLimits, log: PlatformLog, registry: Registry) {
    this.#limits = limits;
    this.#warning = new SparseWarning(log, 'the service is overloaded: requests are refused');
    const registers = [registry];
    this.#rejected = new Counter({
      name: 'ploidy_http_requests_rejected_total',
      help: 'Requests that were answered 503 because there was more to do than could be done',
      labelNames: ['reason'],
      registers,
    });
    const running = (): number => this.#running;
    new Gauge({
      name: 'ploidy_http_requests_in_work',
      help: 'Requests whose handlers are at work, without uploads and what is always accepted',
      registers,
      collect() {
        this.set(running());
      },
    });
  }

  /** Counts a request that has arrived. */
  arrive(): void {
    if (this.#requestsInTick === 0) {
      this.#tickStartedAt = performance.now();
      setImmediate(this.#endTick);
    }
    this.#requestsInTick++;
  }

  /** Reports whether this tick has started enough requests. */
  isLate(): boolean {
    if (this.#requestsInTick <= requestsPerTickMin) return false;
    return performance.now() - this.#tickStartedAt >= this.#limits.delayMs;
  }

  /**
   * Counts a handler that starts. Problem 503 when too many run, 429 when too many of the same caller do, so that one caller
   * cannot take all. Requests that are always accepted are not counted: uploads of hours would fill the number.
   */
  start(caller: string): void {
    const own = this.#runningOf.get(caller) ?? 0;
    const { requestsMax } = this.#limits;
    if (this.#running >= requestsMax) throw this.reject('number');
    if (own >= Math.ceil(requestsMax / callersMin)) throw tooManyAtOnce();
    this.#running++;
    this.#runningOf.set(caller, own + 1);
  }

  /** Counts a handler that has ended. */
  end(caller: string): void {
    this.#running--;
    const left = (this.#runningOf.get(caller) ?? 1) - 1;
    if (left > 0) this.#runningOf.set(caller, left);
    else this.#runningOf.delete(caller);
  }

  /** Counts a rejected request; returns its problem. */
  reject(reason: 'delay' | 'number'): Problem {
    this.#rejected.inc({ reason });
    this.#warning.tell({ reason });
    return rejection;
  }
}

/** One instance for all: creating an error takes longer than answering with it. */
const rejection = overloaded();

function tooManyAtOnce(): Problem {
  const message = 'Too many of your requests are at work at once. Wait for answers before you send more.';
  return new Problem(429, 'TOO_MANY_REQUESTS', message, { retryAfterS: 1 });
}
