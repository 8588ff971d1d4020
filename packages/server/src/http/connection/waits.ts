import { Gauge, type Registry } from 'prom-client';
import { Problem } from '../../base/problem.ts';
import { Places, type Share } from '../../platform/concurrency/places.ts';
import type { Visitor } from '../access/visitors.ts';

/** Held requests without credentials: of all, of one network or browser, and of the wider network. */
const anonymousMax = 200;
const anonymousParts = [5 / anonymousMax, 20 / anonymousMax];

/**
 * Requests that are held until something happens elsewhere. They do no work, so they take no place of the requests at work; a socket
 * and some memory each are what they cost, and their number is limited by itself.
 */
export class Waits {
  readonly #signedIn: Places;
  readonly #anonymous = new Places(anonymousMax);

  /** `signedInMax`: held requests of all callers; one caller may have a tenth. */
  constructor(signedInMax: number, registry: Registry) {
    this.#signedIn = new Places(signedInMax);
    const held = (): number => this.#signedIn.held + this.#anonymous.held;
    new Gauge({
      name: 'ploidy_http_requests_held',
      help: 'Requests that wait for a decision or a result, and are not at work',
      registers: [registry],
      collect() {
        this.set(held());
      },
    });
  }

  /** Counts a request that is held from now on. Problem 429 where too many are. */
  start(visitor: Visitor): void {
    if (this.#placesOf(visitor).take(sharesOf(visitor)) !== undefined) throw tooManyHeld();
  }

  /** Counts a request that is no longer held. */
  end(visitor: Visitor): void {
    this.#placesOf(visitor).give(sharesOf(visitor));
  }

  #placesOf({ part }: Visitor): Places {
    return part === 'signedIn' ? this.#signedIn : this.#anonymous;
  }
}

function sharesOf({ part, shares }: Visitor): readonly Share[] {
  if (part === 'signedIn') return shares;
  return shares.map(({ name }, at) => ({ name, part: anonymousParts[at] ?? 1 }));
}

function tooManyHeld(): Problem {
  const message = 'Too many of your requests wait at once. End some, or ask again in a moment.';
  return new Problem(429, 'TOO_MANY_REQUESTS', message, { retryAfterS: 2 });
}
