import { createHmac, timingSafeEqual } from 'node:crypto';
import { Problem } from '../../base/problem.ts';

/** Input that a signature binds. */
interface SignedUrlInput {
  /** Purpose of the URL with its method, for instance `PUT upload`. */
  purpose: string;
  /** The path as it will be sent, percent-encoded. */
  path: string;
  /** Name of the credential that the URL was made for; no secret. */
  holder: string;
  /** Further query parameters; `by`, `expires` and `signature` are ours. */
  parameters?: Record<string, string>;
  /** Epoch milliseconds; rounded down to the second. */
  expiresAt: number;
}

/** Reason for refusing a URL, or its content. */
type SignedUrlVerdict =
  | { valid: true; holder: string; parameters: Record<string, string>; expiresAt: number }
  | { valid: false; reason: 'expired' | 'forged' };

/** Returns the path with its parameters, holder, expiry and an HMAC-SHA256 over all of that and the purpose. */
export function signUrl(key: Uint8Array, input: SignedUrlInput): string {
  const query = new URLSearchParams(input.parameters);
  if (['by', 'expires', 'signature'].some((name) => query.has(name))) {
    throw new Error('A signed URL has its own parameters "by", "expires" and "signature".');
  }
  query.set('by', input.holder);
  query.set('expires', String(Math.floor(input.expiresAt / 1000)));
  query.set('signature', signature(key, input.purpose, input.path, query).toString('base64url'));
  return `${input.path}?${query}`;
}

/**
 * Checks a URL (path and query as received) against `purpose`. Every parameter is signed: one more, one fewer or one changed
 * makes it forged. `now` is epoch milliseconds.
 */
export function verifySignedUrl(
  key: Uint8Array,
  purpose: string,
  url: string,
  now: number,
): SignedUrlVerdict {
  const cut = url.indexOf('?');
  const path = cut < 0 ? url : url.slice(0, cut);
  const query = new URLSearchParams(cut < 0 ? '' : url.slice(cut + 1));
  const signatures = query.getAll('signature');
  // The text is compared, not what it decodes to: base64url has several spellings for the same bytes.
  const given = Buffer.from(signatures.length === 1 ? (signatures[0] ?? '') : '');
  query.delete('signature');
  const wanted = Buffer.from(signature(key, purpose, path, query).toString('base64url'));
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
    return { valid: false, reason: 'forged' };
  }
  const expiresAt = Number(query.get('expires')) * 1000;
  if (!(now < expiresAt)) return { valid: false, reason: 'expired' };
  const { by: holder, expires: _, ...parameters } = Object.fromEntries(query);
  // Earlier versions signed without a user.
  if (!holder) return { valid: false, reason: 'forged' };
  return { valid: true, holder, parameters, expiresAt };
}

/** Verifies a URL and returns its holder and parameters. Problem 403 when it is forged, changed or expired. */
export function requireSignedUrl(
  key: Uint8Array,
  purpose: string,
  url: string,
  now: number,
): { holder: string; parameters: Record<string, string> } {
  const verdict = verifySignedUrl(key, purpose, url, now);
  if (verdict.valid) return verdict;
  throw verdict.reason === 'expired'
    ? new Problem(403, 'URL_EXPIRED', 'This address has expired. Ask for a new one.')
    : new Problem(403, 'URL_INVALID', 'This address is not valid. Use it exactly as it was given.');
}

/** Signs JSON, in which no two different inputs look alike. */
function signature(key: Uint8Array, purpose: string, path: string, query: URLSearchParams): Buffer {
  const parameters = [...query].map((pair) => JSON.stringify(pair)).sort();
  return createHmac('sha256', key)
    .update(JSON.stringify([purpose, path, parameters]))
    .digest();
}
