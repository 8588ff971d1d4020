import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { fromBase32, toBase32 } from './base32.ts';

/** Parameters of RFC 6238 that every authenticator supports: SHA-1, six digits, 30 seconds. */
const stepMs = 30_000;
const digits = 6;
/** One step early or late: clocks of phones differ, and typing takes time (§5.2). */
const stepsAside = 1;

/** Returns a new secret in base32: 160 bits, as long as the hash (RFC 4226 §4, R6). */
export function newSecret(): string {
  return toBase32(randomBytes(20));
}

/** Returns the code of a time step. */
export function codeAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  // RFC 4226 §5.3, dynamic truncation.
  const offset = (mac.at(-1) ?? 0) & 0xf;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits;
  return String(number).padStart(digits, '0');
}

/** Returns the time step of a moment. */
export function stepAt(timeMs: number): number {
  return Math.floor(timeMs / stepMs);
}

/** Returns the valid step of a code; `undefined` without one. */
export function matchingStep(secret: string, code: string, timeMs: number): number | undefined {
  const given = Buffer.from(code.padEnd(digits, ' ').slice(0, digits + 1));
  const now = stepAt(timeMs);
  let found: number | undefined;
  for (let step = now - stepsAside; step <= now + stepsAside; step++) {
    const right = Buffer.from(codeAt(secret, step));
    if (given.length === right.length && timingSafeEqual(given, right)) found = step;
  }
  return found;
}

/** Returns the content of the QR code for authenticators (Key URI Format). */
export function otpauthUri(secret: string, email: string, host: string): string {
  const issuer = `Ploidy ${host}`.replace(/:/g, ' ');
  const query = new URLSearchParams({ secret, issuer, algorithm: 'SHA1', digits: '6', period: '30' });
  return `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(email)}?${query.toString().replaceAll('+', '%20')}`;
}
