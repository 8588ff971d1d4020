import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SignInContext } from '../oauth/index.ts';
import { cookieName, isFromOurPages, readCookie, writeCookie } from '../sessions/index.ts';

/** Binds a form to the browser that it was shown in, before anybody is signed in there. */
const formCookie = 'ploidy-form';
const lifeMs = 3_600_000;
const bindingPattern = /^[\w-]{43}$/;

/** A form's page needs `Origin` to be sent with the form, which `no-referrer` would make `null` (Fetch §3.2). */
export const formHeaders = { 'referrer-policy': 'same-origin' };

/**
 * Proofs that a form was shown by us in this browser, for this purpose: an HMAC over a cookie that no other site can read or, with
 * `__Host-`, set. Nothing is stored.
 */
export class Forms {
  readonly #key: Uint8Array;
  readonly #publicUrl: () => string;

  constructor(key: Uint8Array, publicUrl: () => string) {
    this.#key = key;
    this.#publicUrl = publicUrl;
  }

  /** What binds forms to this browser, and the headers of the page that keep it there. */
  bind({ headers }: Pick<SignInContext, 'headers'>): { binding: string; headers: Record<string, string> } {
    const binding = this.bindingOf({ headers }) ?? randomBytes(32).toString('base64url');
    const cookie = writeCookie(formCookie, binding, this.#publicUrl(), lifeMs);
    return { binding, headers: { ...formHeaders, 'set-cookie': cookie } };
  }

  /** The binding of this browser, if it has one. */
  bindingOf({ headers }: Pick<SignInContext, 'headers'>): string | undefined {
    const value = readCookie(headers['cookie'], cookieName(formCookie, this.#publicUrl()));
    return value !== undefined && bindingPattern.test(value) ? value : undefined;
  }

  /** The proof that goes into a hidden field. `purpose` holds everything that must not be changed on the way. */
  proof(binding: string, purpose: string): string {
    return createHmac('sha256', this.#key).update(`${binding}\n${purpose}`).digest('base64url');
  }

  /** Whether a form that comes back is one that was shown here. Browsers that say that it comes from elsewhere are believed. */
  isOurs(
    { headers }: Pick<SignInContext, 'headers'>,
    binding: string | undefined,
    purpose: string,
    proof: string,
  ): boolean {
    if (binding === undefined || isFromOurPages(headers, this.#publicUrl()) === false) return false;
    const right = Buffer.from(this.proof(binding, purpose));
    const given = Buffer.from(proof);
    return given.length === right.length && timingSafeEqual(given, right);
  }
}
