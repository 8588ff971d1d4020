import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Refresh token: `<grant>.<number>.<HMAC of both>`. The grant's row holds the current number: one conditional
 * UPDATE uses up a token, older ones are recognised, and a repeated exchange returns the same successor. No
 * token is stored.
 */
interface RefreshToken {
  grantId: string;
  number: number;
}

/** Writes a token; `key` is derived from the master key for this purpose only. */
export function writeRefreshToken(key: Uint8Array, { grantId, number }: RefreshToken): string {
  return `${grantId}.${number}.${signature(key, grantId, number).toString('base64url')}`;
}

/** Reads a token; `undefined` for a forged or malformed one. */
export function readRefreshToken(key: Uint8Array, text: string): RefreshToken | undefined {
  const match = /^([0-9a-f-]{36})\.([1-9]\d{0,14})\.([\w-]{43})$/.exec(text);
  const [, grantId, digits, mac] = match ?? [];
  if (grantId === undefined || digits === undefined || mac === undefined) return undefined;
  const number = Number(digits);
  const given = Buffer.from(mac, 'base64url');
  const right = signature(key, grantId, number);
  // A token has one spelling, but base64url of 32 bytes leaves two unused bits.
  if (given.length !== right.length || given.toString('base64url') !== mac) return undefined;
  return timingSafeEqual(given, right) ? { grantId, number } : undefined;
}

function signature(key: Uint8Array, grantId: string, number: number): Buffer {
  return createHmac('sha256', key).update(`${grantId}.${number}`).digest();
}
