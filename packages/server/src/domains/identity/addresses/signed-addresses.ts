import type { Caller } from '../../../access/caller.ts';
import { requireSignedUrl, signUrl } from '../../../platform/blobs/signed-url.ts';
import type { Holders } from './holders.ts';

/** Uses of a signed address: a method, and what it transfers. */
export const purposes = [
  'PUT upload',
  'PUT part',
  'GET file',
  'GET blocks',
  'GET picture',
  'GET rows',
] as const;

export type Purpose = (typeof purposes)[number];

interface NewAddress {
  purpose: Purpose;
  /** Path of the route, percent-encoded. */
  path: string;
  parameters?: Record<string, string>;
  /** Caller who asks for the address: it ends with the credential of this request. */
  holder: Pick<Caller, 'via'>;
  /** Epoch milliseconds; by default after the lifetime of addresses. */
  expiresAt?: number;
}

interface SignedAddressDeps {
  /** HMAC key of the signatures. */
  key: Uint8Array;
  /** Public address of the service, without a trailing slash. */
  publicUrl: () => string;
  lifeMs: number;
  holders: Holders;
}

/**
 * Addresses that need no credentials: each permits one purpose on one path, until it expires or the credential that asked for it
 * ends. All signed addresses of the service are made and opened here.
 */
export class SignedAddresses {
  readonly #deps: SignedAddressDeps;

  constructor(deps: SignedAddressDeps) {
    this.#deps = deps;
  }

  get lifeMs(): number {
    return this.#deps.lifeMs;
  }

  sign({ holder, expiresAt = Date.now() + this.#deps.lifeMs, ...address }: NewAddress): string {
    const { key, publicUrl } = this.#deps;
    return `${publicUrl()}${signUrl(key, { ...address, holder: holder.via, expiresAt })}`;
  }

  /**
   * Verifies an address and returns its parameters with its caller as of now. Problem 403 if it is forged, changed or expired, or
   * if its credential has ended.
   */
  async open(purpose: Purpose, url: string): Promise<{ caller: Caller; parameters: Record<string, string> }> {
    const { key, holders } = this.#deps;
    const { holder, parameters } = requireSignedUrl(key, purpose, url, Date.now());
    return { caller: await holders.require(holder), parameters };
  }
}
