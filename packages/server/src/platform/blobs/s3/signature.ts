import { createHash, createHmac } from 'node:crypto';
import { encodeText, type S3Credentials } from './address.ts';

/**
 * AWS Signature Version 4 for S3 (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html). Held to
 * the examples of that page by signature.test.ts.
 */

/** What is signed. `path` is percent-encoded already; header names are lower case. */
export interface Signable {
  method: string;
  /** `host[:port]` as the `Host` header will say it. */
  host: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  /** SHA-256 of the body in hex, or `UNSIGNED-PAYLOAD`. */
  payloadHash: string;
}

export interface Signer extends S3Credentials {
  region: string;
}

const algorithm = 'AWS4-HMAC-SHA256';
const unsignedPayload = 'UNSIGNED-PAYLOAD';

/** SHA-256 of no bytes at all. */
export const emptyHash = createHash('sha256').digest('hex');

/** The headers of a signed request: those given, and `host`, `x-amz-date`, `x-amz-content-sha256`, `authorization`. */
export function signHeaders(signer: Signer, request: Signable, now: Date): Record<string, string> {
  const date = amzDate(now);
  const headers: Record<string, string> = {
    ...request.headers,
    host: request.host,
    'x-amz-content-sha256': request.payloadHash,
    'x-amz-date': date,
  };
  const scope = scopeOf(signer, date);
  const { signature, signedHeaders } = sign(signer, { ...request, headers }, date, scope);
  const credential = `Credential=${signer.accessKeyId}/${scope}`;
  return {
    ...headers,
    authorization: `${algorithm} ${credential}, SignedHeaders=${signedHeaders}, Signature=${signature}`,
  };
}

/** The query of an address that works by itself for `lifeS` seconds (at most a week). Headers named in it have to be sent. */
export function presign(
  signer: Signer,
  request: Omit<Signable, 'payloadHash'>,
  lifeS: number,
  now: Date,
): string {
  const date = amzDate(now);
  const scope = scopeOf(signer, date);
  const headers = { ...request.headers, host: request.host };
  const query = {
    ...request.query,
    'X-Amz-Algorithm': algorithm,
    'X-Amz-Credential': `${signer.accessKeyId}/${scope}`,
    'X-Amz-Date': date,
    'X-Amz-Expires': String(lifeS),
    'X-Amz-SignedHeaders': Object.keys(headers).sort().join(';'),
  };
  const signable = { ...request, headers, query, payloadHash: unsignedPayload };
  const { signature } = sign(signer, signable, date, scope);
  return `${canonicalQuery(query)}&X-Amz-Signature=${signature}`;
}

/** Parameters in the order and the encoding that are signed. */
export function canonicalQuery(query: Record<string, string>): string {
  return Object.entries(query)
    .map(([name, value]) => [encodeText(name), encodeText(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function sign(
  signer: Signer,
  request: Signable,
  date: string,
  scope: string,
): { signature: string; signedHeaders: string } {
  const names = Object.keys(request.headers).sort();
  const signedHeaders = names.join(';');
  const canonical = [
    request.method,
    request.path,
    canonicalQuery(request.query),
    ...names.map((name) => `${name}:${request.headers[name]?.trim().replace(/ +/g, ' ')}`),
    '',
    signedHeaders,
    request.payloadHash,
  ].join('\n');
  const text = [algorithm, date, scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  const day = hmac(`AWS4${signer.secretAccessKey}`, date.slice(0, 8));
  const key = hmac(hmac(hmac(day, signer.region), 's3'), 'aws4_request');
  return { signature: hmac(key, text).toString('hex'), signedHeaders };
}

function scopeOf(signer: Signer, date: string): string {
  return `${date.slice(0, 8)}/${signer.region}/s3/aws4_request`;
}

function hmac(key: string | Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** `20130524T000000Z` */
function amzDate(now: Date): string {
  return now.toISOString().replace(/[-:]|\.\d{3}/g, '');
}
