import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../../access/caller.ts';
import { Problem } from '../../base/problem.ts';
import { withoutPath } from '../../base/public-path.ts';
import type { CallerCache, Verified } from '../../domains/identity/callers/index.ts';

/** Verifies one kind of credential: returns its principal and how long that may be cached, or nothing for other kinds. */
interface Verifier {
  verify(token: string): Promise<Verified | undefined>;
}

/** Sessions of browsers as credentials. */
interface SessionCookies extends Verifier {
  /** Returns the token of a session in a request, if there is one. */
  tokenIn(headers: IncomingHttpHeaders): string | undefined;
  /** Reports whether a request that changes something was made by a page of this service. */
  mayChange(headers: IncomingHttpHeaders): boolean;
}

/** Verifiers of every kind of credential, and the callers that they found. */
export interface Credentials {
  verifiers: Verifier[];
  cookies: SessionCookies;
  cache: CallerCache;
  /** Returns the caller of a request that brings a view of another user (domains/identity/views). Problem 403 once it has ended. */
  callerInView: (token: string, viewer: Caller) => Promise<Caller>;
  /** Returns the name of a browser that was shown a page of the sign-in. */
  browserIn: (headers: IncomingHttpHeaders) => string | undefined;
}

const tokenLengthMax = 8192;
/** Methods that change nothing (RFC 9110 §9.2.1). */
const harmless = new Set(['GET', 'HEAD', 'OPTIONS']);

interface SentRequest {
  headers: IncomingHttpHeaders;
  method: string;
  url: string;
}

/** Resolves tokens to callers. A token is looked up by its SHA-256 and verified on a miss. */
export class Authentication {
  readonly #verifiers: Verifier[];
  readonly #cookies: SessionCookies;
  readonly #cache: CallerCache;
  readonly #path: string;
  readonly #callerInView: Credentials['callerInView'];

  constructor({ verifiers, cookies, cache, callerInView }: Credentials, path: string) {
    this.#path = path;
    this.#verifiers = verifiers;
    this.#cookies = cookies;
    this.#cache = cache;
    this.#callerInView = callerInView;
  }

  /**
   * Reads `Authorization: <token>` or `Authorization: Bearer <token>`, and without that header the cookie of a session. `Ploidy-View`
   * makes it a view of another user (domains/identity/views). Problem 401
   * for anything else, 403 for a change with a cookie from a page of another origin.
   *
   * @param accepted `basicKeys`: the token also as the password of basic authentication, and no cookie. `ofResource`: API keys, and
   * tokens that were issued for a resource of its own, which are refused elsewhere. `smart`: tokens for an address above that of the
   * request as well.
   */
  async authenticate(
    request: SentRequest,
    accepted: 'any' | 'basicKeys' | 'ofResource' | 'smart' = 'any',
  ): Promise<Caller> {
    const caller = await this.#callerOf(request, accepted);
    const view = request.headers['ploidy-view'];
    return typeof view === 'string' ? this.#callerInView(view, caller) : caller;
  }

  async #callerOf({ headers, method, url }: SentRequest, accepted: string): Promise<Caller> {
    const token = accepted === 'basicKeys' ? passwordIn(headers.authorization) : headers.authorization;
    if ((accepted !== 'any' && accepted !== 'smart') || token !== undefined) {
      const caller = await this.#resolve(readToken(token), this.#verifiers);
      if (!fits(caller, accepted, url, this.#path)) throw invalidToken();
      return caller;
    }
    const cookie = this.#cookies.tokenIn(headers);
    if (cookie === undefined) throw unauthorized();
    const caller = await this.#resolve(checked(cookie), [this.#cookies]);
    if (!harmless.has(method) && !this.#cookies.mayChange(headers)) throw foreignPage();
    return caller;
  }

  /** Returns the id of the user whose credentials are in the headers, if they were verified before. */
  knownCaller(headers: IncomingHttpHeaders): string | undefined {
    const cookie = headers.authorization === undefined ? this.#cookies.tokenIn(headers) : undefined;
    const token = cookie ?? tokenOf(headers.authorization) ?? '';
    if (token === '' || token.length > tokenLengthMax) return undefined;
    for (const one of [token, cookie === undefined && tokenOf(passwordIn(headers.authorization))]) {
      const found = one ? this.#cache.known(cacheKey(one, cookie !== undefined)) : undefined;
      if (found) return found.userId;
    }
    return undefined;
  }

  /** Reports whether headers hold credentials, of whatever worth. */
  hasCredentials(headers: IncomingHttpHeaders): boolean {
    return headers.authorization !== undefined || this.#cookies.tokenIn(headers) !== undefined;
  }

  async #resolve(token: string, verifiers: Verifier[]): Promise<Caller> {
    const byCookie = verifiers !== this.#verifiers;
    const caller = await this.#cache.resolve(cacheKey(token, byCookie), () => verifiedBy(verifiers, token));
    if (!caller) throw byCookie ? unauthorized() : invalidToken();
    return caller;
  }
}

/** Returns the key of a cached caller. The token of a session is no bearer token, and a bearer token no cookie. */
const cacheKey = (token: string, byCookie: boolean): string =>
  `${byCookie ? 'cookie' : 'bearer'} ${hash('sha256', token, 'base64')}`;

/** Returns the credential of a token, of its kind. */
async function verifiedBy(verifiers: Verifier[], token: string): Promise<Verified | undefined> {
  if (!isCanonical(token)) return undefined;
  for (const verifier of verifiers) {
    const found = await verifier.verify(token);
    if (found) return found;
  }
  return undefined;
}

/** Reports whether a token has its only spelling: spare bits of the last base64url character must be zero (RFC 4648, §3.5). */
function isCanonical(token: string): boolean {
  const last = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(last, 'base64url').toString('base64url') === last;
}

function unauthorized(challenge = 'Bearer realm="ploidy"'): Problem {
  const message = 'Send a valid API key or access token in the Authorization header.';
  return new Problem(401, 'UNAUTHENTICATED', message, { headers: { 'www-authenticate': challenge } });
}

/** Refuses a bearer token with the code by which programs fetch another one (RFC 6750, §3.1). */
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

/** Returns the password of basic authentication (RFC 7617), or the header as it is. */
function passwordIn(header: string | undefined): string | undefined {
  const [, encoded] = /^basic +(\S+)$/i.exec(header ?? '') ?? [];
  if (encoded === undefined) return header;
  const pair = Buffer.from(encoded, 'base64').toString();
  return pair.slice(pair.indexOf(':') + 1);
}

function tokenOf(header: string | undefined): string | undefined {
  return header?.replace(/^bearer(?: +|$)/i, '').trim();
}

function readToken(header: string | undefined): string {
  const token = tokenOf(header) ?? '';
  if (token.length > tokenLengthMax) throw invalidToken();
  return checked(token);
}

function checked(token: string): string {
  if (token === '' || token.length > tokenLengthMax || /\s/.test(token)) throw unauthorized();
  return token;
}

/** Reports whether a credential may be used at a route. `path`: that of the service on its host, which `url` has no more. */
function fits({ resource, keyAccount }: Caller, accepted: string, url: string, path: string): boolean {
  if (accepted === 'ofResource') return keyAccount !== undefined || resource?.endsWith('/mcp') === true;
  if (resource === undefined) return true;
  const below = withoutPath(new URL(resource).pathname, path);
  return accepted === 'smart' && [`${below}/`, `${below}?`].some((start) => `${url}/`.startsWith(start));
}
