import { createHmac, timingSafeEqual } from 'node:crypto';
import { Type } from 'typebox';
import { SparseWarning } from '../../../platform/log/sparse-warning.ts';
import type { PlatformLog } from '../../../platform/records/log.ts';
import { StampedTokens } from '../../../platform/secrets/stamped-tokens.ts';
import type { SignInContext } from '../oauth/index.ts';
import type { Browser } from './attempts/sources.ts';
import { cookieName, isFromOurPages, otherOrigin, readCookie, writeCookie } from './sessions/index.ts';

/** Cookie that binds a form to its browser before a session exists. */
const formCookie = 'ploidy-form';
const lifeMs = 3_600_000;
/** A binding outlives a form that was opened just before it is renewed. */
const bindingLifeMs = 24 * 3_600_000;

export const staleForm = 'This form was open for too long, or in another browser. Please try again.';

/** Hidden field of every form that changes something. */
export const proofShape = Type.String({ maxLength: 100, description: 'Proof that the page was shown' });

/** Hidden field that carries an authorization request through the pages of signing in. */
export const requestShape = Type.String({
  maxLength: 8192,
  description: 'Query of the authorization request; empty for pages of this service',
});

/** Headers of form pages: `no-referrer` would turn the form's `Origin` into `null` (Fetch §3.2). */
export const formHeaders = { 'referrer-policy': 'same-origin' };

/**
 * Proofs that this service showed a form in this browser for this purpose: an HMAC over a cookie that other
 * sites cannot read or, with `__Host-`, set. Nothing is stored.
 */
export class Forms {
  readonly #key: Uint8Array;
  readonly #bindings: StampedTokens;
  readonly #publicUrl: () => string;
  readonly #warning: SparseWarning;

  constructor(key: Uint8Array, publicUrl: () => string, log: PlatformLog, now: () => number = Date.now) {
    this.#key = key;
    this.#bindings = new StampedTokens(key, now);
    this.#publicUrl = publicUrl;
    this.#warning = new SparseWarning(log, 'a form came by another address than PLOIDY_PUBLIC_URL');
  }

  /** Binds forms to this browser; returns the binding and the headers of the page that keep it. */
  bind({ headers }: Pick<SignInContext, 'headers'>): { binding: string; headers: Record<string, string> } {
    const present = this.bindingOf({ headers });
    const isFresh = present !== undefined && this.#bindings.isValid(present, bindingLifeMs - lifeMs);
    const binding = isFresh ? present : this.#bindings.issue();
    const cookie = writeCookie(formCookie, binding, this.#publicUrl(), lifeMs);
    return { binding, headers: { ...formHeaders, 'set-cookie': cookie } };
  }

  /** Returns the binding of this browser, if any: a name that this service gave it. */
  bindingOf(context: Pick<SignInContext, 'headers'>): string | undefined {
    return this.browserOf(context)?.name;
  }

  /** Returns the binding of this browser, if any, with its age. */
  browserOf({ headers }: Pick<SignInContext, 'headers'>): Browser | undefined {
    const name = readCookie(headers['cookie'], cookieName(formCookie, this.#publicUrl()));
    const ageMs = name === undefined ? undefined : this.#bindings.ageMsOf(name);
    if (name === undefined || ageMs === undefined || ageMs >= bindingLifeMs) return undefined;
    return { name, ageMs };
  }

  /** Returns the proof for a hidden field. `purpose` contains every value that must stay unchanged. */
  proof(binding: string, purpose: string): string {
    return createHmac('sha256', this.#key).update(`${binding}\n${purpose}`).digest('base64url');
  }

  /**
   * Explains why a submitted form is refused; `undefined` for a form shown in this browser. Origin headers of
   * the browser are trusted.
   */
  faultIn(
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
    this.#warning.report({ origin, publicUrl });
    return `This service is set up as ${publicUrl}; you used ${origin}. Sign in at the first address, or ask the operator of the service.`;
  }

  #isProof(binding: string, purpose: string, proof: string): boolean {
    const right = Buffer.from(this.proof(binding, purpose));
    const given = Buffer.from(proof);
    return given.length === right.length && timingSafeEqual(given, right);
  }
}
