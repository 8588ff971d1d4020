import { hash, timingSafeEqual } from 'node:crypto';

/** Format of an S256 challenge: base64url of 32 bytes (RFC 7636 §4.2). */
export const codeChallengePattern = /^[A-Za-z0-9_-]{43}$/;
const verifierPattern = /^[A-Za-z0-9._~-]{43,128}$/;

/** Reports whether a verifier matches a challenge. Either without the other does not match. */
export function verifierMatches(challenge: string | null, verifier: string | undefined): boolean {
  if (challenge === null) return verifier === undefined;
  if (verifier === undefined || !verifierPattern.test(verifier)) return false;
  const computed = Buffer.from(hash('sha256', verifier, 'base64url'));
  const stored = Buffer.from(challenge);
  return computed.length === stored.length && timingSafeEqual(computed, stored);
}
