import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PlatformLog } from '../../platform/records/log.ts';
import { newToken } from '../../secret-token.ts';
import { SparseWarning } from '../../sparse-warning.ts';
import type { SignInContext } from '../oauth/index.ts';
import { cookieName, isFromOurPages, otherOrigin, readCookie, writeCookie } from '../sessions/index.ts';

/** Binds a form to the browser that it was shown in, before anybody is signed in there. */
const formCookie = 'ploidy-form';
const lifeMs = 3_600_000;
const bindingPattern = /^[\w-]{43}$/;

export const staleForm = 'This form was open for too long, or in another browser. Please try again.';

/** A form's page needs `Origin` to be sent with the form, which `no-referrer` would make `null` (Fetch §3.2). */
export const formHeaders = { 'referrer-policy': 'same-origin' };

/**
 * Proofs that a form was shown by us in this browser, for this purpose: an HMAC over a cookie that no other site can read or, with
 * `__Host-`, set. Nothing is stored.
 */
export class Forms {
  readonly #key: Uint8Array;
  readonly #publicUrl: () => string;
  readonly #warning: SparseWarning;

  constructor(key: Uint8Array, publicUrl: () => string, log: PlatformLog) {
    this.#key = key;
    this.#publicUrl = publicUrl;
    this.#warning = new SparseWarning(log, 'a form came by another address than PLOIDY_PUBLIC_URL');
  }

  /** What binds forms to this browser, and the headers of the page that keep it there. */
  bind({ headers }: Pick<SignInContext, 'headers'>): { binding: string; headers: Record<string, string> } {
    const binding = this.bindingOf({ headers }) ?? newToken();
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

  /**
   * Why a form that comes back is not taken, for who sent it; `undefined` for one that was shown here. Browsers that say that it comes
   * from elsewhere are believed.
   */
  mistakeIn(
    { headers }: Pick<SignInContext, 'headers'>,
    binding: string | undefined,
    purpose: string,
    proof: string,
  ): string | undefined {
    const publicUrl = this.#publicUrl();
    const fromElsewhere = isFromOurPages(headers, publicUrl) === false;
    if (binding !== undefined && !fromElsewhere && this.#isProof(binding, purpose, proof)) return undefined;
    const origin = otherOrigin(headers, publicUrl)?.slice(0, 300);
    if (origin === undefined) return staleForm;
    this.#warning.tell({ origin, publicUrl });
    return `This service is set up as ${publicUrl}; you came by ${origin}. Sign in at the first, or tell whoever runs the service.`;
  }

  #isProof(binding: string, purpose: string, proof: string): boolean {
    const right = Buffer.from(this.proof(binding, purpose));
    const given = Buffer.from(proof);
    return given.length === right.length && timingSafeEqual(given, right);
  }
}
