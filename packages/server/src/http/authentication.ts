import { hash } from 'node:crypto';
import type { Caller } from '../access/caller.ts';
import type { Callers, Principal } from '../domains/callers/index.ts';
import type { Records } from '../platform/records/records.ts';
import { Problem } from '../problem.ts';

/** Knows one kind of credential: who it speaks for and until when that may be cached, or that it is none of its own. */
export interface Verifier {
  verify(token: string): Promise<{ principal: Principal; expiresAt: number } | undefined>;
}

interface Entry {
  caller: Caller;
  expiresAt: number;
}

/** Callers kept resolved; the least recently used goes first. */
const entriesMax = 10_000;
const tokenLengthMax = 8192;

/**
 * Token → caller. A token is looked up by its SHA-256 and verified only on a miss; what is cached ends when the token
 * expires and is dropped when a key, a user, a group or a policy that it rests on changes, in whatever process.
 */
export class Authentication {
  readonly #records: Records;
  readonly #verifiers: Verifier[];
  readonly #callers: Callers;
  readonly #cache = new Map<string, Entry>();
  /** Counts changes, so that what was resolved while one happened is not kept. */
  #changes = 0;
  #caughtUp = false;

  constructor(records: Records, verifiers: Verifier[], callers: Callers) {
    this.#records = records;
    this.#verifiers = verifiers;
    this.#callers = callers;
    records.onChange('key:', (topic) =>
      this.#drop(({ via }) => via === `apiKey:${topic.slice('key:'.length)}`),
    );
    records.onChange('grant:', (topic) => this.#drop(({ via }) => via === topic));
    records.onChange('user:', (topic) => this.#drop(({ userId }) => userId === topic.slice('user:'.length)));
    records.onChange('access:', (topic) =>
      this.#drop((caller) => caller.isMember(topic.slice('access:'.length))),
    );
  }

  /** Reads `Authorization: <token>` or `Authorization: Bearer <token>`. Problem 401 for anything else. */
  async authenticate(header: string | undefined): Promise<Caller> {
    this.#catchUp();
    const token = readToken(header);
    const id = hash('sha256', token, 'base64');
    const found = this.#cache.get(id);
    if (found && found.expiresAt > Date.now()) {
      this.#cache.delete(id);
      this.#cache.set(id, found);
      return found.caller;
    }
    return this.#verify(id, token);
  }

  /** Once a turn of the event loop: requests that came in together share one look. */
  #catchUp(): void {
    if (this.#caughtUp) return;
    this.#records.catchUp();
    this.#caughtUp = true;
    setImmediate(() => {
      this.#caughtUp = false;
    });
  }

  async #verify(id: string, token: string): Promise<Caller> {
    const changes = this.#changes;
    for (const verifier of this.#verifiers) {
      const found = await verifier.verify(token);
      const caller = found && (await this.#callers.resolve(found.principal));
      if (!caller) continue;
      if (changes === this.#changes) this.#keep(id, { caller, expiresAt: found.expiresAt });
      return caller;
    }
    throw unauthorized();
  }

  #keep(id: string, entry: Entry): void {
    this.#cache.set(id, entry);
    if (this.#cache.size <= entriesMax) return;
    const oldest = this.#cache.keys().next();
    if (!oldest.done) this.#cache.delete(oldest.value);
  }

  #drop(concerned: (caller: Caller) => boolean): void {
    this.#changes++;
    for (const [id, { caller }] of this.#cache) if (concerned(caller)) this.#cache.delete(id);
  }
}

function unauthorized(): Problem {
  return new Problem(
    401,
    'UNAUTHENTICATED',
    'Send a valid API key or access token in the Authorization header.',
  );
}

function readToken(header: string | undefined): string {
  const token = header?.replace(/^bearer +/i, '').trim() ?? '';
  if (token === '' || token.length > tokenLengthMax || /\s/.test(token)) throw unauthorized();
  return token;
}
