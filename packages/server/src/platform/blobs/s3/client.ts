import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client as Sdk,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { idleMs, type S3Access, type S3Address, sdkConfig, slowIdleMs } from './address.ts';
import { type Attempt, Attempts, type Request } from './attempts.ts';
import { type Body, hashed } from './body.ts';
import { S3Error } from './errors.ts';

/** An object as a list or HEAD reports it. */
export interface S3Object {
  /** Without the prefix of the store. */
  key: string;
  size: number;
  etag: string;
  /** Epoch milliseconds by the store's clock, in whole seconds: the precision of HEAD. */
  modifiedAt: number;
}

/** Requests of S3 that the store of blobs consists of. Keys are without the prefix. */
export class S3Client {
  readonly #address: S3Address;
  readonly #sdk: Sdk;
  /** Client for requests that the store answers after minutes. */
  readonly #slow: Sdk;
  /** Signs addresses of the endpoint that clients reach. */
  readonly #public: Sdk;
  readonly #attempts = new Attempts();
  readonly #encryption: { ServerSideEncryption?: 'AES256' | 'aws:kms'; SSEKMSKeyId?: string };

  constructor(address: S3Address, access: S3Access) {
    const { encryption, kmsKeyId } = access;
    this.#address = address;
    this.#encryption = {
      ...(encryption !== 'none' && { ServerSideEncryption: encryption }),
      ...(kmsKeyId !== '' && { SSEKMSKeyId: kmsKeyId }),
    };
    this.#sdk = new Sdk(sdkConfig(address, address.endpoint, idleMs, access));
    // One provider for all three: credentials of a role are fetched once.
    const shared = this.#sdk.config.credentials;
    const more = (endpoint: URL, timeoutMs: number): Sdk =>
      new Sdk({ ...sdkConfig(address, endpoint, timeoutMs, access), credentials: shared });
    this.#slow = more(address.endpoint, slowIdleMs);
    this.#public = more(address.publicEndpoint, idleMs);
  }

  /** Ends the connections. Requests in progress fail, and are not repeated. */
  close(): void {
    this.#attempts.close();
    for (const sdk of [this.#sdk, this.#slow, this.#public]) sdk.destroy();
  }

  async put(key: string, body: Body, signal?: AbortSignal): Promise<void> {
    await this.#send('PutObject', { body, signal }, (attempt) => {
      const input = { ...this.#object(key), ...attempt.body, ...this.#encryption };
      const command = new PutObjectCommand(input);
      command.middlewareStack.add((next) => (args) => next(hashed(args, body)), { step: 'build' });
      return this.#sdk.send(command, attempt.options);
    });
  }

  /** Reads an object, or bytes `[start, end)` of it, with its size as a whole; with `etag` only if it is still that one. */
  async get(
    key: string,
    range?: { start: number; end?: number },
    etag?: string,
  ): Promise<{ bytes: Readable; size: number }> {
    const end = range?.end === undefined ? '' : range.end - 1;
    const command = () =>
      new GetObjectCommand({
        ...this.#object(key),
        ...(range && { Range: `bytes=${range.start}-${end}` }),
        ...(etag !== undefined && { IfMatch: etag }),
      });
    const answer = await this.#send('GetObject', {}, ({ options }) => this.#sdk.send(command(), options));
    const bytes = answer.Body as Readable;
    const size = wholeSize(answer, range?.start);
    // Some stores ignore the condition.
    const isOther = etag !== undefined && answer.ETag !== etag;
    if (size !== undefined && !isOther) return { bytes, size };
    bytes.destroy();
    if (isOther) throw new S3Error('GetObject', 412, 'PreconditionFailed');
    throw new Error('The store answered GetObject without what was asked for, or without its length.');
  }

  async head(key: string, signal?: AbortSignal): Promise<S3Object> {
    const answer = await this.#send('HeadObject', { signal }, ({ options }) =>
      this.#sdk.send(new HeadObjectCommand(this.#object(key)), options),
    );
    return {
      key,
      size: Number(answer.ContentLength),
      etag: answer.ETag ?? '',
      modifiedAt: wholeSecond(answer.LastModified),
    };
  }

  /** Removes an object. Some stores answer that there was none, also to a repeated request whose first answer was lost. */
  async remove(key: string): Promise<void> {
    await this.#send('DeleteObject', {}, ({ options }) =>
      this.#sdk.send(new DeleteObjectCommand(this.#object(key)), options),
    ).catch(unless('NoSuchKey'));
  }

  /** Address of an object for systems with access to the bucket. */
  addressOf(key: string): string {
    return `s3://${this.#address.bucket}/${this.#address.prefix}${key}`;
  }

  /** Lists one page of the objects whose keys begin with `prefix`. */
  async list(prefix: string, after?: string): Promise<{ objects: S3Object[]; next: string | undefined }> {
    const answer = await this.#send('ListObjectsV2', {}, ({ options }) =>
      this.#sdk.send(
        new ListObjectsV2Command({
          Bucket: this.#address.bucket,
          Prefix: this.#address.prefix + prefix,
          ContinuationToken: after,
        }),
        options,
      ),
    );
    const { Contents = [], IsTruncated, NextContinuationToken: next } = answer;
    // An answer that is no list would pass for an empty one, or for the last page: parts would be missing in files.
    if (IsTruncated === undefined || (IsTruncated && !next))
      throw new Error('The store answered ListObjectsV2 without a list, or without where it goes on.');
    const objects = Contents.map(({ Key = '', Size, ETag = '', LastModified }) => ({
      key: Key.slice(this.#address.prefix.length),
      size: Number(Size),
      etag: ETag,
      modifiedAt: wholeSecond(LastModified),
    }));
    return { objects, next: IsTruncated ? next : undefined };
  }

  async beginParts(key: string, signal?: AbortSignal): Promise<string> {
    const { UploadId } = await this.#send('CreateMultipartUpload', { signal }, ({ options }) =>
      this.#sdk.send(
        new CreateMultipartUploadCommand({ ...this.#object(key), ...this.#encryption }),
        options,
      ),
    );
    if (!UploadId) throw new Error('The store began an upload without an id.');
    return UploadId;
  }

  /** Resolves to the ETag of the part. */
  async putPart(
    key: string,
    uploadId: string,
    part: number,
    body: Body,
    signal?: AbortSignal,
  ): Promise<string> {
    const { ETag } = await this.#send('UploadPart', { body, signal }, (attempt) => {
      const input = { ...this.#object(key), ...attempt.body, UploadId: uploadId, PartNumber: part };
      const command = new UploadPartCommand(input);
      command.middlewareStack.add((next) => (args) => next(hashed(args, body)), { step: 'build' });
      return this.#sdk.send(command, attempt.options);
    });
    return ETag ?? '';
  }

  /** Makes a part of a range of another object, copied within the store. Resolves to its ETag. */
  async copyPart(
    key: string,
    uploadId: string,
    part: number,
    from: { key: string; start: number; end: number; etag: string },
  ): Promise<string> {
    const { CopyPartResult } = await this.#send('UploadPartCopy', this.#long, ({ options }) =>
      this.#slow.send(
        new UploadPartCopyCommand({
          ...this.#object(key),
          ...this.#source(from),
          UploadId: uploadId,
          PartNumber: part,
          CopySourceRange: `bytes=${from.start}-${from.end - 1}`,
        }),
        options,
      ),
    );
    return CopyPartResult?.ETag ?? '';
  }

  async copy(key: string, from: { key: string; etag: string }): Promise<void> {
    await this.#send('CopyObject', this.#long, ({ options }) =>
      this.#slow.send(
        new CopyObjectCommand({ ...this.#object(key), ...this.#source(from), ...this.#encryption }),
        options,
      ),
    );
  }

  /** Resolves to whether the store confirmed that the object is there. */
  async completeParts(key: string, uploadId: string, etags: string[]): Promise<boolean> {
    const Parts = etags.map((ETag, index) => ({ PartNumber: index + 1, ETag }));
    const { ETag } = await this.#send('CompleteMultipartUpload', this.#long, ({ options }) =>
      this.#slow.send(
        new CompleteMultipartUploadCommand({
          ...this.#object(key),
          UploadId: uploadId,
          MultipartUpload: { Parts },
        }),
        options,
      ),
    );
    return ETag !== undefined;
  }

  /** Removes the parts of an upload; one that is complete or aborted already is no error. */
  async abortParts(key: string, uploadId: string): Promise<void> {
    await this.#send('AbortMultipartUpload', {}, ({ options }) =>
      this.#sdk.send(new AbortMultipartUploadCommand({ ...this.#object(key), UploadId: uploadId }), options),
    ).catch(unless('NoSuchUpload'));
  }

  /** Signs an address to PUT an object to. `md5` (base64) and `size` have to be sent as they are here. */
  uploadUrl(key: string, lifeS: number, terms: { md5?: string; size?: number }): Promise<string> {
    const { md5, size } = terms;
    const command = new PutObjectCommand({
      ...this.#object(key),
      ...(md5 !== undefined && { ContentMD5: md5 }),
      ...(size !== undefined && { ContentLength: size }),
    });
    return getSignedUrl(this.#public, command, { expiresIn: lifeS });
  }

  /** Signs an address to GET an object from, which arrives under these headers. */
  downloadUrl(
    key: string,
    lifeS: number,
    terms: { contentType: string; disposition: string },
  ): Promise<string> {
    const command = new GetObjectCommand({
      ...this.#object(key),
      ResponseCacheControl: 'private, no-cache',
      ResponseContentDisposition: terms.disposition,
      ResponseContentType: terms.contentType,
    });
    return getSignedUrl(this.#public, command, { expiresIn: lifeS });
  }

  #send<T>(operation: string, request: Request, send: (attempt: Attempt) => Promise<T>): Promise<T> {
    return this.#attempts.run(operation, request, send);
  }

  /** Request that the store may answer after minutes. */
  get #long(): Request {
    const bucket = new HeadBucketCommand({ Bucket: this.#address.bucket });
    return { probe: (abortSignal) => this.#sdk.send(bucket, { abortSignal }) };
  }

  #object(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#address.bucket, Key: this.#address.prefix + key };
  }

  #source({ key, etag }: { key: string; etag: string }): { CopySource: string; CopySourceIfMatch: string } {
    const { bucket, prefix } = this.#address;
    return { CopySource: `/${bucket}/${encodeURI(prefix + key)}`, CopySourceIfMatch: etag };
  }
}

/** Ignores one refusal of the store. */
const unless =
  (code: string) =>
  (error: unknown): void => {
    if (!(error instanceof S3Error && error.code === code)) throw error;
  };

const wholeSecond = (time: Date | undefined): number => Math.floor(Number(time) / 1000) * 1000;

/** Returns the size of the object whose bytes an answer holds from `start`; undefined when they begin elsewhere, or have no length. */
function wholeSize(answer: GetObjectCommandOutput, start: number | undefined): number | undefined {
  if (answer.$metadata.httpStatusCode === 206) {
    const [, first, size] = /^bytes (\d+)-\d+\/(\d+)$/.exec(answer.ContentRange ?? '') ?? [];
    return Number(first) === start ? Number(size) : undefined;
  }
  // A server may ignore a range (RFC 9110 §14.2): then all bytes arrive.
  return start === undefined || start === 0 ? answer.ContentLength : undefined;
}
