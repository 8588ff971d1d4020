import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SignInContext } from '../oauth/index.ts';
import { cookieName, readCookie, writeCookie } from '../sessions/index.ts';

const deviceCookie = 'ploidy-device';
/** Browsers keep no cookie for longer (RFC 6265bis §5.5). */
const lifeMs = 400 * 86_400_000;

/**
 * Browsers in which somebody has signed in with his password. Their wrong attempts are counted apart from those of strangers, who
 * could else keep everybody out whose address they know (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). The cookie
 * opens nothing: whoever steals it has a counter of his own. Nothing is stored.
 */
export class Devices {
  readonly #key: Uint8Array;
  readonly #publicUrl: () => string;

  constructor(key: Uint8Array, publicUrl: () => string) {
    this.#key = key;
    this.#publicUrl = publicUrl;
  }

  /** A `Set-Cookie` header for a browser in which this user has just shown who he is: with a new name, that no thief has. */
  cookieFor(userId: string): string {
    const name = randomBytes(16).toString('base64url');
    const value = `${name}.${this.#proof(name, userId)}`;
    return writeCookie(deviceCookie, value, this.#publicUrl(), lifeMs);
  }

  /** The name of the browser, when it is one of this user's. */
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
