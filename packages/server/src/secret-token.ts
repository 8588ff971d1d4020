import { createHash, randomBytes } from 'node:crypto';

/** A new token: 256 random bits, as they stand in an address, a cookie or a form. Whoever has it may what it stands for. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Under which a token is stored: SHA-256, hex. So much chance is not guessed, so nothing slower is needed. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
