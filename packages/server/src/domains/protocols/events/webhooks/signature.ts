import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** Creates a secret of Standard Webhooks 1.0: `whsec_` and 256 random bits in Base64. */
export function newSecret(): string {
  return prefix + randomBytes(32).toString('base64');
}

/**
 * Returns the headers of a message (Standard Webhooks 1.0): id, time of the attempt in seconds, and a signature by each secret.
 *
 * @param atMs Epoch milliseconds.
 */
export function signedHeaders(
  { id, body }: { id: string; body: string },
  secrets: readonly string[],
  atMs: number,
): Record<string, string> {
  const at = Math.floor(atMs / 1000);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': signatures.join(' '),
  };
}
