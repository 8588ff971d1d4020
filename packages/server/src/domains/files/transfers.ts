import type { DirectTransfers } from '../../platform/blobs/blobs.ts';
import { requireSignedUrl, signUrl } from '../../platform/blobs/signed-url.ts';
import type { FilesTable, UploadsTable } from '../../platform/records/schema.ts';
import { notFound } from '../../problem.ts';
import { anyType, type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { idParam } from '../../shapes.ts';
import { projectExists } from '../projects/index.ts';
import { disposition, download, downloadAnswers, downloadHeaders } from './download.ts';
import { attributesOf, viewOf } from './file.ts';
import type { FileParts, Files } from './files.ts';
import type { PartedUploads } from './parted-uploads.ts';
import { placeOf, placeOfPart } from './places.ts';
import { fileShape, filesTag, partParams, partShape } from './shapes.ts';
import type { Uploads } from './uploads.ts';

export interface TransferSettings {
  /** HMAC key of the signatures. */
  key: Uint8Array;
  /** Where clients reach the service, without a slash at the end. */
  publicUrl: () => string;
  lifeMs: number;
  /** Present when clients reach the store themselves: then the addresses are the store's. */
  direct?: DirectTransfers | undefined;
}

/** Addresses that authenticate by themselves: for one file or upload, one method, until they expire. */
export class Transfers {
  readonly #settings: TransferSettings;

  constructor(settings: TransferSettings) {
    this.#settings = settings;
  }

  uploadUrl(upload: UploadsTable): string {
    const { expires_at: expiresAt, content_md5: md5, size } = upload;
    const terms = { expiresAt, ...(md5 !== null && { md5 }), ...(size !== null && { size }) };
    if (this.#settings.direct) return this.#settings.direct.uploadUrl(placeOf(upload), terms);
    return this.#sign('PUT upload', `/v1/transfers/uploads/${upload.id}`, upload.expires_at);
  }

  /** Of a part; it works no longer than the upload lives. */
  partUrl(upload: UploadsTable, number: number): string {
    const { direct, lifeMs } = this.#settings;
    const expiresAt = Math.min(upload.expires_at, Date.now() + lifeMs);
    if (direct) return direct.uploadUrl(placeOfPart(upload, number), { expiresAt });
    return this.#sign('PUT part', `/v1/transfers/uploads/${upload.id}/parts/${number}`, expiresAt);
  }

  /** `userId` is who asked for it: downloads count as his. */
  downloadUrl(file: FilesTable, userId: string): string {
    const { direct, lifeMs } = this.#settings;
    const expiresAt = Date.now() + lifeMs;
    if (direct) {
      const headers = { contentType: file.content_type, disposition: disposition(file.name) };
      return direct.downloadUrl(file.blob_key, { expiresAt, ...headers });
    }
    return this.#sign('GET file', `/v1/transfers/files/${file.id}`, expiresAt, { user: userId });
  }

  /** What the address says beside its expiry. Problem 403 when it is forged, changed or expired. */
  check(purpose: 'PUT upload' | 'PUT part' | 'GET file', url: string): Record<string, string> {
    return requireSignedUrl(this.#settings.key, purpose, url, Date.now());
  }

  #sign(purpose: string, path: string, expiresAt: number, parameters: Record<string, string> = {}): string {
    const signed = signUrl(this.#settings.key, { purpose, path, expiresAt, parameters });
    return `${this.#settings.publicUrl()}${signed}`;
  }
}

const tag = filesTag;

const signedQuery = Type.Object({
  expires: Type.Optional(Type.String()),
  signature: Type.Optional(Type.String()),
  user: Type.Optional(Type.String({ description: 'Who asked for the address' })),
});

interface TransferParts extends FileParts {
  files: Files;
  uploads: Uploads;
  partedUploads: PartedUploads;
  transfers: Transfers;
}

/** /v1/transfers: where the bytes go and come from. */
export function transferRoutes(parts: TransferParts): Route[] {
  return [uploadRoute(parts), partRoute(parts), downloadRoute(parts)];
}

const one = (value: string | string[] | undefined) => (typeof value === 'string' ? value : undefined);

function uploadRoute({ uploads, transfers, records }: TransferParts): Route {
  return route({
    method: 'PUT',
    path: '/v1/transfers/uploads/:id',
    operation: 'transfers.upload',
    tag,
    summary: 'Put the bytes of a file (the `uploadUrl` of POST /v1/files)',
    description: 'Needs no credentials. May be repeated.',
    headers: ['Content-MD5'],
    params: idParam,
    query: signedQuery,
    streamsBody: true,
    answers: { 200: { schema: fileShape, description: 'The file, complete and durable' } },
    handle: async ({ params, url, headers, stream, signal }) => {
      transfers.check('PUT upload', url);
      const upload = await uploads.find(params.id);
      // The address is good, so it was not forgotten for its age: what it was for is gone.
      if (!upload || !(await projectExists(records.read, upload.project_id))) throw notFound();
      return viewOf(await uploads.receive(upload, { stream, md5: one(headers['content-md5']), signal }));
    },
  });
}

function partRoute({ partedUploads, transfers, records }: TransferParts): Route {
  return route({
    method: 'PUT',
    path: '/v1/transfers/uploads/:id/parts/:number',
    operation: 'transfers.upload',
    tag,
    summary: 'Put the bytes of a part (the `uploadUrl` of GET /v1/uploads/{id}/parts/{number})',
    description: 'Needs no credentials. May be repeated.',
    headers: ['Content-MD5'],
    params: partParams,
    query: signedQuery,
    streamsBody: true,
    answers: { 200: { schema: partShape, description: 'The part, durable' } },
    handle: async ({ params, url, headers, stream, signal }) => {
      transfers.check('PUT part', url);
      const upload = await partedUploads.find(params.id);
      if (!upload || !(await projectExists(records.read, upload.project_id))) throw notFound();
      const body = { stream, md5: one(headers['content-md5']), signal };
      return partedUploads.receive(upload, params.number, body);
    },
  });
}

function downloadRoute({ files, blobs, transfers, records, audit }: TransferParts): Route {
  return route({
    method: 'GET',
    path: '/v1/transfers/files/:id',
    operation: 'transfers.download',
    tag,
    summary: 'Get the bytes of a file (the `downloadUrl` of GET /v1/files/{id})',
    params: idParam,
    query: signedQuery,
    headers: downloadHeaders,
    answers: { 200: { description: 'The bytes', contentType: anyType, etag: true }, ...downloadAnswers },
    handle: async ({ params, url, method, headers, requestId }) => {
      const { user = null } = transfers.check('GET file', url);
      const file = await files.find(params.id);
      if (!file || !(await projectExists(records.read, file.project_id))) throw notFound();
      if (method === 'GET') {
        await audit.record({
          account: file.account_id,
          userId: user,
          via: 'signature',
          action: 'transfers.download',
          resource: attributesOf(file),
          outcome: 'done',
          requestId,
        });
      }
      return download(blobs, file, { method, headers }, (id) => files.find(id));
    },
  });
}
