import { pathOf } from '../../../../base/public-path.ts';
import type { Verified } from '../../../identity/callers/index.ts';
import { isFromOurPages } from './origin.ts';
import type { Sessions } from './sessions.ts';

/** Cookie of a session. */
export const sessionCookie = 'ploidy-session';

type Headers = Record<string, string | string[] | undefined>;

/** Session cookies as credentials of requests. */
export class BrowserSessions {
  readonly #sessions: Sessions;
  readonly #publicUrl: () => string;

  constructor(sessions: Sessions, publicUrl: () => string) {
    this.#sessions = sessions;
    this.#publicUrl = publicUrl;
  }

  /** Returns the session token of a request, if any. */
  tokenIn(headers: Headers): string | undefined {
    return readCookie(headers['cookie'], cookieName(sessionCookie, this.#publicUrl()));
  }

  verify(token: string): Promise<Verified | undefined> {
    return this.#sessions.verify(token);
  }

  /**
   * Reports whether a request may change data: cookies are sent from any page, so it must come from a page of
   * this service.
   */
  mayChange(headers: Headers): boolean {
    return isFromOurPages(headers, this.#publicUrl()) === true;
  }
}

/** Cookies of the sign-in: TLS only where the service uses it, and inaccessible to scripts. */

/**
 * Names a cookie: `__Host-` binds it to this host, and needs TLS and the path `/` (RFC 6265bis §4.1.3.2). A service with a path has
 * cookies of that path, which no other site of the host receives.
 */
export function cookieName(name: string, publicUrl: string): string {
  if (!isSecure(publicUrl)) return name;
  return pathOf(publicUrl) === '' ? `__Host-${name}` : `__Secure-${name}`;
}

/** Reads the value of a cookie from a `Cookie` header. */
export function readCookie(header: string | string[] | undefined, name: string): string | undefined {
  const text = Array.isArray(header) ? header.join('; ') : (header ?? '');
  for (const part of text.split(';')) {
    const at = part.indexOf('=');
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

/**
 * Writes a `Set-Cookie` header; `lifeMs` 0 removes it. `Lax`: sent with links and redirects, not with
 * cross-site forms.
 */
export function writeCookie(name: string, value: string, publicUrl: string, lifeMs: number): string {
  const secure = isSecure(publicUrl) ? '; Secure' : '';
  return `${cookieName(name, publicUrl)}=${value}; Path=${pathOf(publicUrl) || '/'}; HttpOnly; SameSite=Lax${secure}; Max-Age=${Math.floor(lifeMs / 1000)}`;
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}
