import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

type Headers = Record<string, string | string[] | undefined>;

/** Signature of a request by the clients of S3 (AWS Signature Version 4, in the header `Authorization`). */
export interface Signature {
  accessKey: string;
  /** `date/region/service/aws4_request` */
  scope: string;
  /** Lower-case names, sorted. */
  signedHeaders: string[];
  digest: string;
}

export interface SignedRequest {
  method: string;
  /** Path and query as sent. */
  url: string;
  headers: Headers;
}

/** Milliseconds by which the clocks of a client and the service may differ, as at Amazon. */
const skewMaxMs = 15 * 60_000;
const form =
  /^AWS4-HMAC-SHA256\s+Credential=([\w-]{1,64})\/(\d{8}\/[\w-]{1,64}\/s3\/aws4_request),\s*SignedHeaders=([a-z\d;-]{1,2000}),\s*Signature=([\da-f]{64})$/;

/** Reads the signature of a request; nothing if it has none of this kind. */
export function signatureOf(headers: Headers): Signature | undefined {
  const [, accessKey, scope, names, digest] = form.exec(textOf(headers, 'authorization')) ?? [];
  if (!accessKey || !scope || !names || !digest) return undefined;
  return { accessKey, scope, signedHeaders: names.split(';'), digest };
}

/** Reports whether a request was signed with this secret in the last minutes, with its host and session token. */
export function isSignedWith(
  secret: string,
  { scope, signedHeaders, digest }: Signature,
  request: SignedRequest,
  now: number,
): boolean {
  const stamp = textOf(request.headers, 'x-amz-date');
  const isRecent = Math.abs(timeOf(stamp) - now) <= skewMaxMs;
  const isBound = ['host', 'x-amz-date', 'x-amz-security-token'].every((name) =>
    signedHeaders.includes(name),
  );
  if (!isRecent || !isBound || !scope.startsWith(stamp.slice(0, 8))) return false;
  const text = ['AWS4-HMAC-SHA256', stamp, scope, sha256(canonicalOf(request, signedHeaders))].join('\n');
  const key = scope.split('/').reduce<Uint8Array | string>(mac, `AWS4${secret}`);
  return timingSafeEqual(mac(key, text), Buffer.from(digest, 'hex'));
}

/** Builds the text that is signed. Paths of objects hold no character that would be escaped. */
function canonicalOf({ method, url, headers }: SignedRequest, signedHeaders: string[]): string {
  const [path = '', query = ''] = url.split('?', 2);
  const pairs = query === '' ? [] : query.split('&').map((pair) => (pair.includes('=') ? pair : `${pair}=`));
  return [
    method,
    path,
    pairs.sort().join('&'),
    ...signedHeaders.map((name) => `${name}:${textOf(headers, name)}`),
    '',
    signedHeaders.join(';'),
    textOf(headers, 'x-amz-content-sha256') || sha256(''),
  ].join('\n');
}

function textOf(headers: Headers, name: string): string {
  const value = headers[name];
  return (Array.isArray(value) ? value.join(',') : (value ?? '')).trim().replace(/ +/g, ' ');
}

/** Reads `YYYYMMDDTHHMMSSZ`; anything else is no time. */
function timeOf(stamp: string): number {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(stamp) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const mac = (key: Uint8Array | string, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();
