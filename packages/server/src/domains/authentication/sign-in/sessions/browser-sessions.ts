import type { Verified } from '../../../identity/callers/index.ts';
import { cookieName, readCookie } from './cookie.ts';
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
