import type { Principal } from '../callers/index.ts';
import { cookieName, readCookie } from './cookie.ts';
import { isFromOurPages } from './origin.ts';
import type { Sessions } from './sessions.ts';

/** The cookie of a session. */
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

  /** The session's token in a request, if it has one. */
  tokenIn(headers: Headers): string | undefined {
    return readCookie(headers['cookie'], cookieName(sessionCookie, this.#publicUrl()));
  }

  verify(token: string): Promise<{ principal: Principal; expiresAt: number } | undefined> {
    return this.#sessions.verify(token);
  }

  /** Cookies are sent along whoever wrote the page; what changes something has to come from a page of ours. */
  mayChange(headers: Headers): boolean {
    return isFromOurPages(headers, this.#publicUrl()) === true;
  }
}
