import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const nonceBytes = 14;
const timeBytes = 6;
const proofBytes = 12;

/** Length of a stamped token: 32 bytes in base64url. */
export const stampedTokenLength = 43;

/**
 * Tokens that prove that this service issued them, and when. They need no record: a foreign token is refused at once, by every
 * process with the same key. 112 random bits are not guessed, nor are 96 bits of a proof.
 */
export class StampedTokens {
  readonly #key: Uint8Array;
  readonly #now: () => number;

  constructor(key: Uint8Array, now: () => number = Date.now) {
    this.#key = key;
    this.#now = now;
  }

  issue(): string {
    const stamped = Buffer.alloc(nonceBytes + timeBytes);
    randomBytes(nonceBytes).copy(stamped);
    stamped.writeUIntBE(this.#now(), nonceBytes, timeBytes);
    return Buffer.concat([stamped, this.#proofOf(stamped)]).toString('base64url');
  }

  /** Reports whether a token was issued here within the last `lifeMs`. A clock that was set back makes a token no older. */
  isValid(token: string, lifeMs: number): boolean {
    const ageMs = this.ageMsOf(token);
    return ageMs !== undefined && ageMs < lifeMs;
  }

  /** Returns the time since a token was issued here; `undefined` for a foreign one. */
  ageMsOf(token: string): number | undefined {
    if (token.length !== stampedTokenLength) return undefined;
    const bytes = Buffer.from(token, 'base64url');
    if (bytes.length !== nonceBytes + timeBytes + proofBytes || bytes.toString('base64url') !== token)
      return undefined;
    const stamped = bytes.subarray(0, nonceBytes + timeBytes);
    if (!timingSafeEqual(bytes.subarray(nonceBytes + timeBytes), this.#proofOf(stamped))) return undefined;
    return this.#now() - stamped.readUIntBE(nonceBytes, timeBytes);
  }

  #proofOf(stamped: Uint8Array): Buffer {
    return createHmac('sha256', this.#key).update(stamped).digest().subarray(0, proofBytes);
  }
}
