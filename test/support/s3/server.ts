import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { authenticate, type Credentials, credentials, region } from './authentication.ts';
import { Bucket, type StoredObject } from './bucket.ts';
import { S3Refusal } from './refusal.ts';

/** Interception of a request by a test. */
export type Fault =
  /** The connection ends without an answer. */
  | 'drop'
  /** The answer begins and ends in the middle of its body. */
  | 'cut'
  /** The answer begins and stays in the middle of its body. */
  | 'stall'
  /** The request is served and its answer lost. */
  | 'lose answer'
  | { status: number; code: string }
  /** Resolves when the server listens. */
  | { after: Promise<void> };

export interface S3Server {
  bucket: Bucket;
  /** The only credentials that are accepted. */
  credentials: Credentials;
  /** Settings for a service that keeps its blobs here. */
  settings: Record<string, string>;
  /** Operations served, such as `PUT blobs/…?uploadId`: method, key, sub-resource. */
  served: string[];
  /** Answers that are not sent to their end yet. */
  answering: Set<ServerResponse>;
  /** Asked for each request; stays until it is set anew. */
  fault: (request: IncomingMessage) => Fault | undefined;
  close(): Promise<void>;
}

const bucketName = 'test-bucket';
const pageKeys = 7;

/**
 * Returns a small, strict S3: checks signatures, hashes, sizes, conditions and the rules of parts, refuses what it does not
 * know. Pages are short, so that paging is used. Held to a real server by running the same tests there
 * (docs/design/adr/0010-s3.md).
 */
export async function startS3(): Promise<S3Server> {
  const server: S3Server = {
    bucket: new Bucket(),
    credentials,
    settings: {},
    served: [],
    answering: new Set(),
    fault: () => undefined,
    close: async () => {
      listener.closeAllConnections();
      listener.close();
      await once(listener, 'close');
    },
  };
  const listener = createServer((request, response) => {
    handle(server, request, response).catch(() => response.destroy());
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  server.settings = {
    PLOIDY_BLOBS: `s3://${bucketName}/some/prefix?endpoint=http://127.0.0.1:${port}&region=${region}`,
    PLOIDY_S3_ACCESS_KEY_ID: credentials.accessKeyId,
    PLOIDY_S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
  return server;
}

async function handle(server: S3Server, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const fault = server.fault(request);
  if (fault === 'drop') return void request.socket.destroy();
  try {
    if (typeof fault === 'object' && 'status' in fault) throw new S3Refusal(fault.status, fault.code);
    if (typeof fault === 'object') await fault.after;
    const answer = await serve(server, request);
    server.answering.add(response);
    response.once('close', () => server.answering.delete(response));
    if (fault === 'lose answer') return void request.socket.destroy();
    response.writeHead(answer.status ?? 200, { date: new Date().toUTCString(), ...answer.headers });
    if (fault === 'cut' || fault === 'stall') {
      response.write(answer.body?.subarray(0, answer.body.length / 2) ?? '');
      if (fault === 'cut') setImmediate(() => response.destroy());
    } else response.end(request.method === 'HEAD' ? undefined : answer.body);
  } catch (error) {
    if (!(error instanceof S3Refusal)) throw error;
    request.resume();
    response.writeHead(error.status, { 'content-type': 'application/xml' });
    response.end(`<?xml version="1.0"?>\n<Error><Code>${error.code}</Code></Error>`);
  }
}

interface Answer {
  status?: number;
  headers?: Record<string, string | number>;
  body?: Buffer;
}

async function serve(server: S3Server, request: IncomingMessage): Promise<Answer> {
  const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
  const hash = authenticate(request, url, server.credentials);
  const [, bucketPart, ...keyParts] = url.pathname.split('/');
  if (bucketPart !== bucketName) throw new S3Refusal(404, 'NoSuchBucket');
  const key = keyParts.map(decodeURIComponent).join('/');
  if (request.headers['transfer-encoding'] !== undefined) throw new S3Refusal(411, 'MissingContentLength');
  const body = await buffer(request);
  checkBody(request, body, hash);
  const query = url.searchParams;
  const { bucket } = server;
  const kind = ['uploads', 'uploadId', 'list-type'].find((name) => query.has(name)) ?? '';
  server.served.push(`${request.method} ${key}${kind && `?${kind}`}`);
  switch (`${request.method} ${key === '' ? 'bucket' : 'object'} ${kind}`.trim()) {
    case 'GET bucket list-type':
      return xml(listing(bucket, query));
    case 'GET bucket uploads':
      return xml(uploadsListing(bucket, query));
    case 'GET object':
    case 'HEAD object':
      return read(request, bucket.get(key), query);
    case 'DELETE object':
      bucket.objects.delete(key);
      return { status: 204 };
    case 'PUT object': {
      if (request.headers['x-amz-copy-source']) {
        const { etag } = bucket.put(key, copySource(request, bucket));
        return xml(`<CopyObjectResult><ETag>${etag}</ETag></CopyObjectResult>`);
      }
      return { headers: { etag: bucket.put(key, body).etag } };
    }
    case 'POST object uploads':
      return xml(
        `<InitiateMultipartUploadResult><UploadId>${bucket.begin(key)}</UploadId></InitiateMultipartUploadResult>`,
      );
    case 'PUT object uploadId': {
      const copied = request.headers['x-amz-copy-source'] !== undefined;
      const bytes = copied ? copySource(request, bucket) : body;
      const number = Number(query.get('partNumber'));
      const etag = bucket.putPart(query.get('uploadId') ?? '', key, number, bytes);
      return copied ? xml(`<CopyPartResult><ETag>${etag}</ETag></CopyPartResult>`) : { headers: { etag } };
    }
    case 'POST object uploadId': {
      const parts = [
        ...String(body).matchAll(/<Part><ETag>([^<]+)<\/ETag><PartNumber>(\d+)<\/PartNumber><\/Part>/g),
      ].map(([, etag = '', number]) => ({ number: Number(number), etag: etag.replaceAll('&quot;', '"') }));
      const { etag } = bucket.complete(query.get('uploadId') ?? '', key, parts);
      return xml(`<CompleteMultipartUploadResult><ETag>${etag}</ETag></CompleteMultipartUploadResult>`);
    }
    case 'DELETE object uploadId':
      bucket.upload(query.get('uploadId') ?? '', key);
      bucket.uploads.delete(query.get('uploadId') ?? '');
      return { status: 204 };
    default:
      throw new S3Refusal(501, 'NotImplemented');
  }
}

function checkBody(request: IncomingMessage, body: Buffer, hash: string | undefined): void {
  const sha256 = createHash('sha256').update(body).digest('hex');
  if (hash !== undefined && hash !== sha256) throw new S3Refusal(400, 'XAmzContentSHA256Mismatch');
  const md5 = request.headers['content-md5'];
  if (md5 !== undefined && md5 !== createHash('md5').update(body).digest('base64')) {
    throw new S3Refusal(400, 'BadDigest');
  }
}

function read(request: IncomingMessage, object: StoredObject, query: URLSearchParams): Answer {
  const size = object.bytes.length;
  const overrides = [...query].filter(([name]) => name.startsWith('response-'));
  const headers = {
    etag: object.etag,
    'last-modified': new Date(object.modifiedAt).toUTCString(),
    'accept-ranges': 'bytes',
    ...Object.fromEntries(overrides.map(([name, value]) => [name.slice('response-'.length), value])),
  };
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  if (from === undefined) return { headers: { ...headers, 'content-length': size }, body: object.bytes };
  const start = Number(from);
  if (start >= size) throw new S3Refusal(416, 'InvalidRange');
  const end = to ? Math.min(Number(to) + 1, size) : size;
  const range = { 'content-length': end - start, 'content-range': `bytes ${start}-${end - 1}/${size}` };
  return { status: 206, headers: { ...headers, ...range }, body: object.bytes.subarray(start, end) };
}

function copySource(request: IncomingMessage, bucket: Bucket): Buffer {
  const source = decodeURIComponent(String(request.headers['x-amz-copy-source']));
  if (!source.startsWith(`/${bucketName}/`)) throw new S3Refusal(404, 'NoSuchBucket');
  const object = bucket.get(source.slice(bucketName.length + 2));
  const wanted = request.headers['x-amz-copy-source-if-match'];
  if (wanted !== undefined && wanted !== object.etag) throw new S3Refusal(412, 'PreconditionFailed');
  const range = request.headers['x-amz-copy-source-range'];
  if (range === undefined) return object.bytes;
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(String(range)) ?? [];
  if (Number(to) >= object.bytes.length) throw new S3Refusal(400, 'InvalidArgument');
  return object.bytes.subarray(Number(from), Number(to) + 1);
}

function listing(bucket: Bucket, query: URLSearchParams): string {
  const after = query.get('continuation-token') ?? '';
  const keys = [...bucket.objects.keys()]
    .filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after)
    .sort();
  const items = keys.slice(0, pageKeys).map((key) => {
    const { bytes, etag, modifiedAt } = bucket.get(key);
    const time = new Date(modifiedAt).toISOString();
    return `<Contents><Key>${key}</Key><LastModified>${time}</LastModified><ETag>${etag.replaceAll('"', '&quot;')}</ETag><Size>${bytes.length}</Size></Contents>`;
  });
  const more = keys.length > pageKeys;
  const next = more ? `<NextContinuationToken>${keys[pageKeys - 1]}</NextContinuationToken>` : '';
  return `<ListBucketResult><IsTruncated>${more}</IsTruncated>${next}${items.join('')}</ListBucketResult>`;
}

function uploadsListing(bucket: Bucket, query: URLSearchParams): string {
  const items = [...bucket.uploads]
    .filter(([, { key }]) => key.startsWith(query.get('prefix') ?? ''))
    .map(([id, { key, startedAt }]) => {
      const time = new Date(startedAt).toISOString();
      return `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${time}</Initiated></Upload>`;
    });
  return `<ListMultipartUploadsResult>${items.join('')}</ListMultipartUploadsResult>`;
}

function xml(text: string): Answer {
  const body = Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${text}`);
  return { headers: { 'content-type': 'application/xml', 'content-length': body.length }, body };
}
