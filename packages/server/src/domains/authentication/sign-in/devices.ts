import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SignInContext } from '../oauth/index.ts';
import { cookieName, readCookie, writeCookie } from './sessions/index.ts';

const deviceCookie = 'ploidy-device';
/** Max. lifetime of cookies in browsers (RFC 6265bis §5.5). */
const lifeMs = 400 * 86_400_000;

/**
 * Browsers in which a user has signed in by password. Their wrong attempts are counted apart from those of
 * strangers, who could otherwise lock out users by their address (OWASP, "Slow Down Online Guessing Attacks
 * with Device Cookies"). The cookie grants nothing: a thief gets a counter, no more. Nothing is stored.
 */
export class Devices {
  readonly #key: Uint8Array;
  readonly #publicUrl: () => string;

  constructor(key: Uint8Array, publicUrl: () => string) {
    this.#key = key;
    this.#publicUrl = publicUrl;
  }

  /** Returns a `Set-Cookie` header for a browser in which the user has just signed in, with a new, unstolen name. */
  cookieFor(userId: string): string {
    const name = randomBytes(16).toString('base64url');
    const value = `${name}.${this.#proof(name, userId)}`;
    return writeCookie(deviceCookie, value, this.#publicUrl(), lifeMs);
  }

  /** Returns the name of the browser if it is one of the user's. */
  nameIn({ headers }: Pick<SignInContext, 'headers'>, userId: string): string | undefined {
    const value = readCookie(headers['cookie'], cookieName(deviceCookie, this.#publicUrl())) ?? '';
    const [name = '', given = ''] = value.split('.', 2);
    const right = Buffer.from(this.#proof(name, userId));
    const proof = Buffer.from(given);
    return proof.length === right.length && timingSafeEqual(proof, right) ? name : undefined;
  }

  #proof(name: string, userId: string): string {
    return createHmac('sha256', this.#key).update(`${name}\n${userId}`).digest('base64url');
  }
}
