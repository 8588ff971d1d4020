import { createHash, randomBytes } from 'node:crypto';

/** Creates a token of 256 random bits for an address, a cookie or a form. Possession grants its rights. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Key under which a token is stored: SHA-256, hex. A token of this length cannot be guessed, so nothing slower is needed. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
