import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { S3Refusal } from './refusal.ts';

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** Temporary credentials have one, and are refused without it. */
  sessionToken?: string;
}

export const credentials: Credentials = { accessKeyId: 'TESTKEY', secretAccessKey: 'test/secret+key' };
export const region = 'eu-test-1';
const skewMaxMs = 15 * 60_000;

/**
 * Checks Signature Version 4 of a request as S3 does. It is written from Amazon's description and shares nothing with the
 * client under test. Returns the required hash of the body, if the request names one.
 */
export function authenticate(request: IncomingMessage, url: URL, known: Credentials): string | undefined {
  const token = request.headers['x-amz-security-token'] ?? url.searchParams.get('X-Amz-Security-Token');
  if ((token ?? undefined) !== known.sessionToken) throw new S3Refusal(403, 'InvalidToken');
  return url.searchParams.has('X-Amz-Signature')
    ? checkPresigned(request, url, known)
    : checkHeader(request, url, known);
}

function checkHeader(request: IncomingMessage, url: URL, known: Credentials): string {
  const header = request.headers.authorization ?? '';
  const match = /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
    header,
  );
  if (!match) throw new S3Refusal(403, 'AccessDenied');
  const [, credential = '', signedHeaders = '', signature = ''] = match;
  const date = one(request, 'x-amz-date');
  const hash = one(request, 'x-amz-content-sha256');
  if (Math.abs(Date.now() - timeOf(date)) > skewMaxMs) throw new S3Refusal(403, 'RequestTimeTooSkewed');
  const names = signedHeaders.split(';');
  const mustBeSigned = Object.keys(request.headers).filter((name) => name.startsWith('x-amz-'));
  for (const name of ['host', ...mustBeSigned]) {
    if (!names.includes(name)) throw new S3Refusal(403, 'AccessDenied');
  }
  const query = [...url.searchParams].map(([name, value]) => [name, value] as const);
  compare(request, url, known, { credential, names, date, hash, query, signature });
  return hash;
}

function checkPresigned(request: IncomingMessage, url: URL, known: Credentials): undefined {
  const get = (name: string): string => url.searchParams.get(name) ?? '';
  const date = get('X-Amz-Date');
  const lifeS = Number(get('X-Amz-Expires'));
  if (!(lifeS >= 1 && lifeS <= 604_800)) throw new S3Refusal(400, 'AuthorizationQueryParametersError');
  if (Date.now() > timeOf(date) + lifeS * 1000) throw new S3Refusal(403, 'AccessDenied');
  const query = [...url.searchParams].filter(([name]) => name !== 'X-Amz-Signature');
  compare(request, url, known, {
    credential: get('X-Amz-Credential'),
    names: get('X-Amz-SignedHeaders').split(';'),
    date,
    hash: 'UNSIGNED-PAYLOAD',
    query,
    signature: get('X-Amz-Signature'),
  });
}

interface Claim {
  credential: string;
  names: string[];
  date: string;
  hash: string;
  query: (readonly [string, string])[];
  signature: string;
}

function compare(request: IncomingMessage, url: URL, known: Credentials, claim: Claim): void {
  const { credential, names, date, hash, query, signature } = claim;
  const [keyId, day = '', ...scope] = credential.split('/');
  if (keyId !== known.accessKeyId) throw new S3Refusal(403, 'InvalidAccessKeyId');
  if (day !== date.slice(0, 8) || scope.join('/') !== `${region}/s3/aws4_request`) {
    throw new S3Refusal(400, 'AuthorizationHeaderMalformed');
  }
  const encode = (text: string): string =>
    [...Buffer.from(text)]
      .map((byte) => {
        const character = String.fromCharCode(byte);
        return /[A-Za-z0-9._~-]/.test(character)
          ? character
          : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
      })
      .join('');
  const sortedQuery = query
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map((pair) => pair.join('='));
  const path = url.pathname.split('/').map((part) => encode(decodeURIComponent(part)));
  const headers = names.map((name) => `${name}:${one(request, name).trim()}\n`);
  const canonical = [
    request.method,
    path.join('/'),
    sortedQuery.join('&'),
    headers.join(''),
    names.join(';'),
    hash,
  ];
  const digest = createHash('sha256').update(canonical.join('\n')).digest('hex');
  const text = ['AWS4-HMAC-SHA256', date, [day, ...scope].join('/'), digest].join('\n');
  let key: Buffer = Buffer.from(`AWS4${known.secretAccessKey}`);
  for (const word of [day, ...scope]) key = createHmac('sha256', key).update(word).digest();
  if (createHmac('sha256', key).update(text).digest('hex') !== signature) {
    throw new S3Refusal(403, 'SignatureDoesNotMatch');
  }
}

function one(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  if (typeof value !== 'string') throw new S3Refusal(403, 'SignatureDoesNotMatch');
  return value;
}

function timeOf(date: string): number {
  const iso = date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const time = Date.parse(iso);
  if (Number.isNaN(time)) throw new S3Refusal(403, 'AccessDenied');
  return time;
}
