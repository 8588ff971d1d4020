import { Counter, Gauge, type Registry } from 'prom-client';
import { overloaded, Problem } from '../../base/problem.ts';
import { Places } from '../../platform/concurrency/places.ts';
import { SparseWarning } from '../../platform/log/sparse-warning.ts';
import type { PlatformLog } from '../../platform/records/index.ts';
import type { Part, Visitor } from '../access/visitors.ts';

/** A tick of the event loop with fewer requests is long for another reason (a busy machine): shedding would not shorten it. */
const requestsPerTickMin = 50;

/** Maximum visitors without credentials in line; further connections belong to few clients. */
const lineMax = 4000;

/** Parts of the requests at work: a flood of one kind leaves the places of the others. */
const partsOfWork = { signedIn: 0.65, browser: 0.1, anonymous: 0.25 } as const;

interface LoadLimits {
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
 * everything until the next sample (docs/design/adr/0013). Both limits count each part of the visitors by itself.
 */
export class LoadShedding {
  readonly #limits: LoadLimits;
  readonly #warning: SparseWarning;
  readonly #rejected: Counter;
  readonly #work: Record<keyof typeof partsOfWork, Places>;
  #tickStartedAt = 0;
  #requestsInTick: Partial<Record<Part, number>> = {};
  #isInTick = false;
  readonly #endTick = (): void => {
    this.#isInTick = false;
  };

  constructor(limits: LoadLimits, log: PlatformLog, registry: Registry) {
    this.#limits = limits;
    this.#warning = new SparseWarning(log, 'the service is overloaded: requests are refused');
    const placesOf = (part: keyof typeof partsOfWork, line: number): Places =>
      new Places(Math.ceil(limits.requestsMax * partsOfWork[part]), line);
    this.#work = {
      signedIn: placesOf('signedIn', 0),
      browser: placesOf('browser', lineMax),
      anonymous: placesOf('anonymous', lineMax),
    };
    const registers = [registry];
    this.#rejected = new Counter({
      name: 'ploidy_http_requests_rejected_total',
      help: 'Requests that were answered 503 because there was more to do than could be done',
      labelNames: ['reason'],
      registers,
    });
    const running = (): number => Object.values(this.#work).reduce((sum, { held }) => sum + held, 0);
    new Gauge({
      name: 'ploidy_http_requests_in_work',
      help: 'Requests whose handlers are at work, without uploads, held requests and what is always accepted',
      registers,
      collect() {
        this.set(running());
      },
    });
  }

  /** Counts a request that has arrived. */
  arrive({ part }: Visitor): void {
    if (!this.#isInTick) {
      this.#tickStartedAt = performance.now();
      this.#requestsInTick = {};
      this.#isInTick = true;
      setImmediate(this.#endTick);
    }
    this.#requestsInTick[part] = (this.#requestsInTick[part] ?? 0) + 1;
  }

  /** Reports whether this tick has started enough requests of such visitors. */
  isLate({ part }: Visitor): boolean {
    if ((this.#requestsInTick[part] ?? 0) <= requestsPerTickMin) return false;
    return performance.now() - this.#tickStartedAt >= this.#limits.delayMs;
  }

  /**
   * Counts a handler that starts, perhaps later. Problem 503 when too many run, 429 when one visitor has too many, so that it
   * cannot use all. Requests that are always accepted are not counted: uploads of hours would fill the number.
   */
  async start(visitor: Visitor): Promise<void> {
    const taken = await this.#workOf(visitor).take(visitor.shares);
    if (taken === 'all') throw this.reject('number');
    if (taken === 'own') throw tooManyAtOnce();
  }

  /** Counts a handler that goes on after it was held: it is not refused. */
  resume(visitor: Visitor): void {
    this.#workOf(visitor).hold(visitor.shares);
  }

  /** Counts a handler that has ended, or is held. */
  end(visitor: Visitor): void {
    this.#workOf(visitor).give(visitor.shares);
  }

  /** Counts a rejected request; returns its problem. */
  reject(reason: 'delay' | 'number'): Problem {
    this.#rejected.inc({ reason });
    this.#warning.report({ reason });
    return rejection;
  }

  #workOf({ part }: Visitor): Places {
    return this.#work[part === 'claimed' ? 'anonymous' : part];
  }
}

/** One instance for all: creating an error takes longer than answering with it. */
const rejection = overloaded();

function tooManyAtOnce(): Problem {
  const message = 'Too many of your requests are at work at once. Wait for answers before you send more.';
  return new Problem(429, 'TOO_MANY_REQUESTS', message, { retryAfterS: 1 });
}
