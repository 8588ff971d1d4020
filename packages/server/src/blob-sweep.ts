import { namedAmong } from './blob-holders.ts';
import { requireOwnBlobs } from './foreign-blobs.ts';
import type { Blobs } from './platform/blobs/blobs.ts';
import type { Records } from './platform/records/records.ts';

const dayMs = 86_400_000;
/** A remote store is looked through in requests of a thousand keys, which are paid for. */
const remoteEveryMs = 3_600_000;

/** The clock of the day, and one that only goes forward, both in milliseconds. */
export interface Clocks {
  now(): number;
  steady(): number;
}

const clocksOfSystem: Clocks = { now: () => Date.now(), steady: () => performance.now() };

/**
 * Removes blobs and scratch files that no row took: what a crash left behind. Where this is the only process, what is older
 * than its start can have no maker any more; where several share the store, a day is waited. A remote store is swept less often
 * than this is called, and none that belongs to other records.
 */
export function blobSweep(
  records: Records,
  blobs: Blobs,
  soleProcess: boolean,
  clocks = clocksOfSystem,
): (signal?: AbortSignal) => Promise<unknown> {
  const bound = new Bound(soleProcess, clocks);
  let sweptAt = Number.NEGATIVE_INFINITY;
  return async (signal) => {
    if (blobs.direct && clocks.steady() - sweptAt < remoteEveryMs) return;
    await requireOwnBlobs(records, blobs);
    await blobs.sweep(clocks.now() - bound.at(), (keys) => {
      signal?.throwIfAborted();
      return namedAmong(records.read, keys);
    });
    sweptAt = clocks.steady();
  };
}

/**
 * What was written before it is old. A file bears the time of the clock as it was then: one that was set forward or back since the
 * start would make a file that is being written look old, so that of all clocks there were the least favourable counts.
 */
class Bound {
  readonly #soleProcess: boolean;
  readonly #clocks: Clocks;
  readonly #startedAt: number;
  readonly #steadyAtStart: number;
  /** How far the clock was ever behind what it would show had nobody set it; not above 0. */
  #behind = 0;

  constructor(soleProcess: boolean, clocks: Clocks) {
    this.#soleProcess = soleProcess;
    this.#clocks = clocks;
    this.#startedAt = clocks.now();
    this.#steadyAtStart = clocks.steady();
  }

  /** By the clock as it is now. */
  at(): number {
    const unset = this.#startedAt + this.#clocks.steady() - this.#steadyAtStart;
    this.#behind = Math.min(this.#behind, this.#clocks.now() - unset);
    const since = this.#soleProcess ? Math.max(this.#startedAt, unset - dayMs) : unset - dayMs;
    return since + this.#behind;
  }
}
