import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { networksOf } from '../../base/network.ts';
import type { Share } from '../../platform/concurrency/places.ts';
import type { Authentication } from './authentication.ts';
import { clientAddress } from './client-address.ts';

/**
 * Sender of a request, by its headers: `signedIn` a caller; `claimed` credentials that were not verified yet; `browser` a
 * browser that saw a page of the sign-in; `anonymous` all others.
 */
export type Part = 'signedIn' | 'claimed' | 'browser' | 'anonymous';

export interface Visitor {
  part: Part;
  /** The narrowest first. */
  shares: readonly Share[];
}

/** Shares: a tenth for one caller, browser or network; a quarter for a /48 of IPv6; a half for a network's browsers. */
const own = 0.1;
const wider = 0.25;
const browsersOfNetwork = 0.5;

/** Distinguishes visitors, so that a flood of some does not affect the others. */
export class Visitors {
  readonly #authentication: Authentication;
  readonly #browserIn: (headers: IncomingHttpHeaders) => string | undefined;

  constructor(
    authentication: Authentication,
    browserIn: (headers: IncomingHttpHeaders) => string | undefined,
  ) {
    this.#authentication = authentication;
    this.#browserIn = browserIn;
  }

  /** Looks at the headers of a request before anything is done for it. */
  of(request: FastifyRequest): Visitor {
    const { headers } = request;
    const networks = networksOf(clientAddress(request));
    const known = this.#authentication.knownCaller(headers);
    if (known !== undefined) return signedIn(known);
    const anonymous = networks.map((name, at) => ({ name, part: at === 0 ? own : wider }));
    const browser = this.#browserIn(headers);
    if (browser === undefined) {
      const part = this.#authentication.hasCredentials(headers) ? 'claimed' : 'anonymous';
      return { part, shares: anonymous };
    }
    // Also with the cookie of a session that has ended: the next step of its user is to sign in.
    const shares = [
      { name: `browser:${browser}`, part: own },
      { name: networks.at(-1) ?? '', part: browsersOfNetwork },
    ];
    return { part: 'browser', shares };
  }
}

/** Returns the visitor that a user is, once authenticated. */
export function signedIn(userId: string): Visitor {
  return { part: 'signedIn', shares: [{ name: userId, part: own }] };
}

/** Returns an anonymous visitor whose network has sent too much: its requests are worked on one at a time. */
export function oneAtATime({ shares }: Visitor): Visitor {
  return { part: 'anonymous', shares: shares.map((one, at) => (at === 0 ? { ...one, part: 0 } : one)) };
}
