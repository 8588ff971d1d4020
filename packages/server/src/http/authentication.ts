import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../access/caller.ts';
import type { Callers, Principal } from '../domains/callers/index.ts';
import type { Records } from '../platform/records/records.ts';
import { Problem } from '../problem.ts';
import { SecondChanceMap } from '../second-chance-map.ts';

/** Knows one kind of credential: who it speaks for and until when that may be cached, or that it is none of its own. */
export interface Verifier {
  verify(token: string): Promise<{ principal: Principal; expiresAt: number } | undefined>;
}

/** Sessions of browsers as credentials. */
export interface SessionCookies extends Verifier {
  /** The session's token in a request, if it has one. */
  tokenIn(headers: IncomingHttpHeaders): string | undefined;
  /** Whether a request that changes something comes from a page of ours. */
  mayChange(headers: IncomingHttpHeaders): boolean;
}

/** Every kind of credential that opens the APIs. */
export interface Credentials {
  verifiers: Verifier[];
  cookies: SessionCookies;
}

interface Entry {
  caller: Caller;
  expiresAt: number;
  /** A session's token is no bearer token, nor the other way round. */
  byCookie: boolean;
}

/** Callers kept resolved; one that was not used of late goes first. */
const entriesMax = 10_000;
const tokenLengthMax = 8192;
/** Methods that change nothing (RFC 9110 §9.2.1). */
const harmless = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Token → caller. A token is looked up by its SHA-256 and verified only on a miss; what is cached ends when the token
 * expires and is dropped when a key, a user, a group or a policy that it rests on changes, in whatever process.
 */
export class Authentication {
  readonly #records: Records;
  readonly #verifiers: Verifier[];
  readonly #cookies: SessionCookies;
  readonly #callers: Callers;
  readonly #cache = new SecondChanceMap<Entry>();
  /** Counts changes, so that what was resolved while one happened is not kept. */
  #changes = 0;
  #caughtUp = false;

  constructor(parts: Credentials & { records: Records; callers: Callers }) {
    const { records } = parts;
    this.#records = records;
    this.#verifiers = parts.verifiers;
    this.#cookies = parts.cookies;
    this.#callers = parts.callers;
    const dropOn = (prefix: string, concerned: (caller: Caller, id: string) => boolean): void =>
      records.onChange(prefix, (topic) => {
        const id = topic.slice(prefix.length);
        // The bare prefix: anything may have changed.
        this.#drop((caller) => id === '' || concerned(caller, id));
      });
    dropOn('key:', ({ via }, id) => via === `apiKey:${id}`);
    for (const kind of ['grant', 'session']) dropOn(`${kind}:`, ({ via }, id) => via === `${kind}:${id}`);
    dropOn('user:', ({ userId }, id) => userId === id);
    dropOn('access:', (caller, id) => caller.isMember(id) || caller.onlyAccount === id);
  }

  /**
   * Reads `Authorization: <token>` or `Authorization: Bearer <token>`; without that header the cookie of a session. Problem 401 for
   * anything else, 403 when a cookie comes with a change from somebody else's page.
   */
  async authenticate({ headers, method }: { headers: IncomingHttpHeaders; method: string }): Promise<Caller> {
    this.#catchUp();
    const cookie = headers.authorization === undefined ? this.#cookies.tokenIn(headers) : undefined;
    if (cookie === undefined) return this.#resolve(readToken(headers.authorization), this.#verifiers);
    const caller = await this.#resolve(checked(cookie), [this.#cookies]);
    if (!harmless.has(method) && !this.#cookies.mayChange(headers)) throw foreignPage();
    return caller;
  }

  async #resolve(token: string, verifiers: Verifier[]): Promise<Caller> {
    const id = hash('sha256', token, 'base64');
    const found = this.#cache.get(id);
    if (found && found.expiresAt > Date.now() && (verifiers === this.#verifiers) !== found.byCookie)
      return found.caller;
    return this.#verify(id, token, verifiers);
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

  async #verify(id: string, token: string, verifiers: Verifier[]): Promise<Caller> {
    const changes = this.#changes;
    const byCookie = verifiers !== this.#verifiers;
    const refusal = byCookie ? unauthorized : invalidToken;
    if (!isCanonical(token)) throw refusal();
    for (const verifier of verifiers) {
      const found = await verifier.verify(token);
      const caller = found && (await this.#callers.resolve(found.principal));
      if (!caller) continue;
      if (changes === this.#changes) this.#keep(id, { caller, expiresAt: found.expiresAt, byCookie });
      return caller;
    }
    throw refusal();
  }

  #keep(id: string, entry: Entry): void {
    if (this.#cache.size === entriesMax) this.#cache.takeUnused();
    this.#cache.set(id, entry);
  }

  #drop(concerned: (caller: Caller) => boolean): void {
    this.#changes++;
    this.#cache.deleteWhere(({ caller }) => concerned(caller));
  }
}

/** One credential has one spelling: the last character of base64url may hold bits that decode to nothing (RFC 4648 §3.5). */
function isCanonical(token: string): boolean {
  const last = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(last, 'base64url').toString('base64url') === last;
}

function unauthorized(challenge = 'Bearer realm="ploidy"'): Problem {
  const message = 'Send a valid API key or access token in the Authorization header.';
  return new Problem(401, 'UNAUTHENTICATED', message, { headers: { 'www-authenticate': challenge } });
}

/** RFC 6750 §3.1: by this programs know that another token may do. Who sends none, or in another way, is told no reason. */
function invalidToken(): Problem {
  return unauthorized('Bearer realm="ploidy", error="invalid_token"');
}

function foreignPage(): Problem {
  return new Problem(
    403,
    'FOREIGN_PAGE',
    'Requests with a session cookie that change something must come from a page of this service. Programs send a key or a token.',
  );
}

function readToken(header: string | undefined): string {
  const token = header?.replace(/^bearer(?: +|$)/i, '').trim() ?? '';
  if (token.length > tokenLengthMax) throw invalidToken();
  return checked(token);
}

function checked(token: string): string {
  if (token === '' || token.length > tokenLengthMax || /\s/.test(token)) throw unauthorized();
  return token;
}
