import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { encodePath, encodeText, type S3Address, type S3Credentials, urlOf } from './address.ts';
import { type Body, bytesBody } from './body.ts';
import { S3Error } from './errors.ts';
import { canonicalQuery, emptyHash, presign, type Signer, signHeaders } from './signature.ts';
import { Transport } from './transport.ts';
import { elementsOf, escaped, textOf } from './xml.ts';

/** An object as a list or a look tells of it. */
export interface S3Object {
  /** Without the prefix of the store. */
  key: string;
  size: number;
  etag: string;
  /** Epoch milliseconds by the store's clock, in whole seconds: all that every answer holds. */
  modifiedAt: number;
}

export interface S3Call {
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Body;
  signal?: AbortSignal | undefined;
}

/** Here a store may work for minutes before it answers. */
const slow = new Set(['CopyObject', 'UploadPartCopy', 'CompleteMultipartUpload']);

/** The requests of S3 that the store of blobs is made of. Keys are without the prefix. */
export class S3Client {
  readonly #address: S3Address;
  readonly #signer: Signer;
  readonly #transport = new Transport();

  constructor(address: S3Address, credentials: S3Credentials) {
    this.#address = address;
    this.#signer = { ...credentials, region: address.region };
  }

  close(): void {
    this.#transport.close();
  }

  async put(key: string, body: Body, signal?: AbortSignal): Promise<void> {
    await this.#ask('PutObject', 'PUT', key, { body, signal });
  }

  /** The object, or bytes `[start, end)` of it, with its size as a whole; with `etag` only if it is still that one. */
  async get(
    key: string,
    range?: { start: number; end?: number },
    etag?: string,
  ): Promise<{ bytes: IncomingMessage; size: number }> {
    const end = range?.end === undefined ? '' : range.end - 1;
    const headers = {
      ...(range && { range: `bytes=${range.start}-${end}` }),
      ...(etag !== undefined && { 'if-match': etag }),
    };
    const bytes = await this.#transport.open(this.#outgoing('GetObject', 'GET', key, { headers }));
    const size = wholeSize(bytes, range?.start);
    if (size !== undefined) return { bytes, size };
    bytes.destroy();
    throw new Error('The store answered GetObject without what was asked for, or without its length.');
  }

  async head(key: string, signal?: AbortSignal): Promise<S3Object> {
    const { headers } = await this.#ask('HeadObject', 'HEAD', key, { signal });
    return {
      key,
      size: Number(headers['content-length']),
      etag: headers.etag ?? '',
      modifiedAt: wholeSecond(headers['last-modified'] ?? ''),
    };
  }

  /** Some stores say that there was nothing to remove, also to a second try whose first was not answered. */
  async remove(key: string): Promise<void> {
    try {
      await this.#ask('DeleteObject', 'DELETE', key);
    } catch (error) {
      if (!(error instanceof S3Error && error.code === 'NoSuchKey')) throw error;
    }
  }

  /** One page of the objects whose keys begin so, with the store's time. */
  async list(
    prefix: string,
    after?: string,
  ): Promise<{ objects: S3Object[]; next: string | undefined; now: number }> {
    const query = {
      'list-type': '2',
      prefix: this.#address.prefix + prefix,
      ...(after !== undefined && { 'continuation-token': after }),
    };
    const { headers, body } = await this.#ask('ListObjectsV2', 'GET', undefined, { query });
    const objects = elementsOf(body, 'Contents').map((one) => ({
      key: this.#withoutPrefix(textOf(one, 'Key') ?? ''),
      size: Number(textOf(one, 'Size')),
      etag: textOf(one, 'ETag') ?? '',
      modifiedAt: wholeSecond(textOf(one, 'LastModified') ?? ''),
    }));
    const more = textOf(body, 'IsTruncated') === 'true';
    const next = more ? textOf(body, 'NextContinuationToken') : undefined;
    // What is no list would pass for an empty one, or for the end: parts would be missing in files, and what is held be removed.
    if (!/<ListBucketResult[\s>]/.test(body) || (more && !next))
      throw new Error('The store answered ListObjectsV2 without a list, or without where it goes on.');
    return { objects, next, now: wholeSecond(headers.date ?? '') };
  }

  async beginParts(key: string, signal?: AbortSignal): Promise<string> {
    const { body } = await this.#ask('CreateMultipartUpload', 'POST', key, {
      query: { uploads: '' },
      signal,
    });
    const id = textOf(body, 'UploadId');
    if (!id) throw new Error('The store began an upload without saying which.');
    return id;
  }

  /** Answers the part's ETag. */
  async putPart(
    key: string,
    uploadId: string,
    part: number,
    body: Body,
    signal?: AbortSignal,
  ): Promise<string> {
    const query = { partNumber: String(part), uploadId };
    const { headers } = await this.#ask('UploadPart', 'PUT', key, { query, body, signal });
    return headers.etag ?? '';
  }

  /** A part that is a range of another object, copied within the store. Answers its ETag. */
  async copyPart(
    key: string,
    uploadId: string,
    part: number,
    from: { key: string; start: number; end: number; etag: string },
  ): Promise<string> {
    const query = { partNumber: String(part), uploadId };
    const headers = {
      'x-amz-copy-source': this.#copySource(from.key),
      'x-amz-copy-source-range': `bytes=${from.start}-${from.end - 1}`,
      'x-amz-copy-source-if-match': from.etag,
    };
    const { body } = await this.#ask('UploadPartCopy', 'PUT', key, { query, headers });
    return textOf(body, 'ETag') ?? '';
  }

  async copy(key: string, from: { key: string; etag: string }): Promise<void> {
    const headers = {
      'x-amz-copy-source': this.#copySource(from.key),
      'x-amz-copy-source-if-match': from.etag,
    };
    await this.#ask('CopyObject', 'PUT', key, { headers });
  }

  /** Answers whether the store says that the object is there. */
  async completeParts(key: string, uploadId: string, etags: string[]): Promise<boolean> {
    const parts = etags.map(
      (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`,
    );
    const xml = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
    const query = { uploadId };
    const { body } = await this.#ask('CompleteMultipartUpload', 'POST', key, { query, body: bytesBody(xml) });
    return textOf(body, 'ETag') !== undefined;
  }

  async abortParts(key: string, uploadId: string): Promise<void> {
    await this.#ask('AbortMultipartUpload', 'DELETE', key, { query: { uploadId } });
  }

  /** Uploads in parts that have not been completed. One page: those that are removed make place for the next. */
  async unfinished(prefix: string): Promise<{ key: string; uploadId: string; startedAt: number }[]> {
    const query = { uploads: '', prefix: this.#address.prefix + prefix };
    const { body } = await this.#ask('ListMultipartUploads', 'GET', undefined, { query });
    return elementsOf(body, 'Upload').map((one) => ({
      key: this.#withoutPrefix(textOf(one, 'Key') ?? ''),
      uploadId: textOf(one, 'UploadId') ?? '',
      startedAt: wholeSecond(textOf(one, 'Initiated') ?? ''),
    }));
  }

  /** An address that works by itself. `headers` have to be sent with it as they are here. */
  address(method: string, key: string, lifeS: number, more: Pick<S3Call, 'query' | 'headers'> = {}): string {
    const { query = {}, headers = {} } = more;
    const { origin, path } = urlOf(this.#address, this.#address.publicEndpoint, this.#full(key));
    const { host } = new URL(origin);
    const signed = presign(this.#signer, { method, host, path, query, headers }, lifeS, new Date());
    return `${origin}${path}?${signed}`;
  }

  #ask(
    operation: string,
    method: string,
    key: string | undefined,
    call: S3Call = {},
  ): Promise<{ headers: IncomingHttpHeaders; body: string }> {
    return this.#transport.ask(this.#outgoing(operation, method, key, call));
  }

  #outgoing(operation: string, method: string, key: string | undefined, call: S3Call) {
    const { query = {}, headers = {}, body, signal } = call;
    const { origin, path } = urlOf(this.#address, this.#address.endpoint, key && this.#full(key));
    const text = canonicalQuery(query);
    const url = new URL(`${origin}${path}${text && `?${text}`}`);
    const payloadHash = body?.sha256 ?? emptyHash;
    const signable = { method, host: url.host, path, query, headers, payloadHash };
    return {
      operation,
      method,
      url,
      headers: () => signHeaders(this.#signer, signable, new Date()),
      body,
      isSlow: slow.has(operation),
      signal,
    };
  }

  #full(key: string): string {
    return this.#address.prefix + key;
  }

  #withoutPrefix(key: string): string {
    return key.slice(this.#address.prefix.length);
  }

  #copySource(key: string): string {
    return `/${encodeText(this.#address.bucket)}/${encodePath(this.#full(key))}`;
  }
}

function wholeSecond(text: string): number {
  return Math.floor(Date.parse(text) / 1000) * 1000;
}

/** Of the object whose bytes an answer holds from `start`; undefined when they begin elsewhere, or their number is not told. */
function wholeSize({ statusCode, headers }: IncomingMessage, start: number | undefined): number | undefined {
  if (statusCode === 206) {
    const [, first, size] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
    return Number(first) === start ? Number(size) : undefined;
  }
  // A range may be passed over (RFC 9110 §14.2): then all bytes come.
  const isFromStart = start === undefined || start === 0;
  return isFromStart && headers['content-length'] !== undefined
    ? Number(headers['content-length'])
    : undefined;
}
