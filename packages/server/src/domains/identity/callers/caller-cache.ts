import { LRUCache } from 'lru-cache';
import type { Caller } from '../../../access/caller.ts';
import type { Records } from '../../../platform/records/records.ts';
import type { Callers, Principal } from './callers.ts';

/** Credential that was found valid, and how long that may be cached. */
export interface Verified {
  principal: Principal;
  /** Epoch milliseconds. */
  expiresAt: number;
}

interface Entry {
  caller: Caller;
  expiresAt: number;
}

/** Cached callers; those that were not used recently are evicted first. */
const entriesMax = 10_000;

/**
 * Callers by their credential, of requests and of the addresses that these were given. An entry expires with its credential and is
 * dropped when its key, user, group or policy changes, in any process.
 */
export class CallerCache {
  readonly #records: Pick<Records, 'catchUp'>;
  readonly #callers: Callers;
  readonly #entries = new LRUCache<string, Entry>({ max: entriesMax });
  /** Counts changes, so that a caller resolved during a change is not cached. */
  #changes = 0;
  #caughtUp = false;

  constructor(records: Pick<Records, 'catchUp' | 'onChange'>, callers: Callers) {
    this.#records = records;
    this.#callers = callers;
    const dropOn = (prefix: string, concerned: (caller: Caller, id: string) => boolean): void =>
      records.onChange(prefix, (topic) => {
        const id = topic.slice(prefix.length);
        // A bare prefix means that anything may have changed.
        this.#drop((caller) => id === '' || concerned(caller, id));
      });
    dropOn('key:', ({ via }, id) => via === `apiKey:${id}`);
    for (const kind of ['grant', 'session']) dropOn(`${kind}:`, ({ via }, id) => via === `${kind}:${id}`);
    dropOn('user:', ({ userId }, id) => userId === id);
    dropOn('access:', (caller, id) => caller.isMember(id) || caller.onlyAccount === id);
  }

  /** Returns the caller under a key if it is cached. */
  known(key: string): Caller | undefined {
    this.#catchUp();
    const found = this.#entries.get(key);
    return found && found.expiresAt > Date.now() ? found.caller : undefined;
  }

  /** Returns the caller under a key; `verify` looks the credential up when it is not cached. */
  async resolve(key: string, verify: () => Promise<Verified | undefined>): Promise<Caller | undefined> {
    const found = this.known(key);
    if (found) return found;
    const changes = this.#changes;
    const verified = await verify();
    const caller = verified && (await this.#callers.resolve(verified.principal));
    if (!caller) return undefined;
    if (changes === this.#changes) this.#entries.set(key, { caller, expiresAt: verified.expiresAt });
    return caller;
  }

  /** Reads changes of other processes once per tick, for all requests of it. */
  #catchUp(): void {
    if (this.#caughtUp) return;
    this.#records.catchUp();
    this.#caughtUp = true;
    setImmediate(() => {
      this.#caughtUp = false;
    });
  }

  #drop(concerned: (caller: Caller) => boolean): void {
    this.#changes++;
    for (const [key, { caller }] of [...this.#entries]) if (concerned(caller)) this.#entries.delete(key);
  }
}
