import { Type } from 'typebox';
import { anyType, type Route, route } from '../../../api/route.ts';
import { idParam } from '../../../api/shapes.ts';
import { notFound, Problem } from '../../../base/problem.ts';
import type { DirectTransfers } from '../../../platform/blobs/blobs.ts';
import { requireSignedUrl, signUrl } from '../../../platform/blobs/signed-url.ts';
import type { FilesTable, UploadsTable } from '../../../platform/records/schema.ts';
import type { Callers } from '../../identity/callers/index.ts';
import { disposition, download, downloadAnswers, downloadHeaders } from '../download.ts';
import { attributesOf, viewOf } from '../file.ts';
import type { FileDeps } from '../file-deps.ts';
import type { Files } from '../files.ts';
import { projectExists } from '../projects/index.ts';
import { fileShape, filesTag, partParams, partShape } from '../shapes.ts';
import { partKey, uploadKey } from './object-keys.ts';
import type { PartedUploads } from './parted-uploads.ts';
import type { Uploads } from './uploads.ts';

export interface TransferSettings {
  /** HMAC key of the signatures. */
  key: Uint8Array;
  /** Public address of the service, without a trailing slash. */
  publicUrl: () => string;
  lifeMs: number;
  /** Present when clients reach the blob store: addresses then are those of the store. */
  direct?: DirectTransfers | undefined;
}

/** Signed addresses: each permits one method on one file or upload until it expires. */
export class Transfers {
  readonly #settings: TransferSettings;

  constructor(settings: TransferSettings) {
    this.#settings = settings;
  }

  async uploadUrl(upload: UploadsTable): Promise<string> {
    const { expires_at: expiresAt, content_md5: md5, size } = upload;
    const terms = { expiresAt, ...(md5 !== null && { md5 }), ...(size !== null && { size }) };
    if (this.#settings.direct) return this.#settings.direct.uploadUrl(uploadKey(upload), terms);
    return this.#sign('PUT upload', `/v1/transfers/uploads/${upload.id}`, upload.expires_at);
  }

  /** Address of a part; expires no later than the upload. */
  async partUrl(upload: UploadsTable, number: number): Promise<string> {
    const { direct, lifeMs } = this.#settings;
    const expiresAt = Math.min(upload.expires_at, Date.now() + lifeMs);
    if (direct) return direct.uploadUrl(partKey(upload, number), { expiresAt });
    return this.#sign('PUT part', `/v1/transfers/uploads/${upload.id}/parts/${number}`, expiresAt);
  }

  /** `userId`: user that downloads are attributed to. */
  async downloadUrl(file: FilesTable, userId: string): Promise<string> {
    const { direct, lifeMs } = this.#settings;
    const expiresAt = Date.now() + lifeMs;
    if (direct) {
      const headers = { contentType: file.content_type, disposition: disposition(file.name) };
      return direct.downloadUrl(file.blob_key, { expiresAt, ...headers });
    }
    return this.#sign('GET file', `/v1/transfers/files/${file.id}`, expiresAt, { user: userId });
  }

  /**
   * Verifies a signed address and returns its parameters. Problem 403 if it is forged, changed or expired.
   */
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
  user: Type.Optional(Type.String({ description: 'User who requested the address' })),
});

interface TransferDeps extends FileDeps {
  callers: Callers;
  files: Files;
  uploads: Uploads;
  partedUploads: PartedUploads;
  transfers: Transfers;
}

/** Routes of /v1/transfers, which carry the bytes. */
export function transferRoutes(deps: TransferDeps): Route[] {
  return [uploadRoute(deps), partRoute(deps), downloadRoute(deps)];
}

const one = (value: string | string[] | undefined) => (typeof value === 'string' ? value : undefined);

function uploadRoute({ uploads, transfers, records }: TransferDeps): Route {
  return route({
    method: 'PUT',
    path: '/v1/transfers/uploads/:id',
    operation: 'transfers.upload',
    conflicts: ['FILE_EXISTS', 'FILE_CHANGED'],
    tag,
    summary: 'Put the bytes of a file (the `uploadUrl` of POST /v1/files)',
    description: 'Needs no credentials. May be repeated.',
    headers: ['Content-MD5'],
    params: idParam,
    query: signedQuery,
    streamsBody: true,
    answers: { 200: { schema: fileShape, description: 'The file, complete and durable' } },
    handle: async ({ params, url, headers, stream, signal, requestId }) => {
      transfers.check('PUT upload', url);
      const upload = await uploads.find(params.id);
      // The address is valid, so its upload was not removed for age: its target is gone.
      if (!upload || !(await projectExists(records.read, upload.project_id))) throw notFound();
      const body = { stream, md5: one(headers['content-md5']), signal, requestId };
      return viewOf(await uploads.receive(upload, body));
    },
  });
}

function partRoute({ partedUploads, transfers, records }: TransferDeps): Route {
  return route({
    method: 'PUT',
    path: '/v1/transfers/uploads/:id/parts/:number',
    operation: 'transfers.upload',
    conflicts: ['UPLOAD_COMPLETE'],
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

/**
 * Problem 403 unless the user who requested an address may read the file now: an address does not outlive the
 * right.
 */
async function requireReader(
  { callers, files }: TransferDeps,
  user: string,
  file: FilesTable,
): Promise<void> {
  const caller = await callers.resolve({ userId: user, via: 'signature', keyAccount: file.account_id });
  const located = caller && (await files.locateToRead(file.id, caller));
  if (located && caller.may(located.operation ?? 'files.read', located.attributes)) return;
  const message = 'The user who asked for this address may no longer read the file. Ask for a new address.';
  throw new Problem(403, 'FORBIDDEN', message);
}

function downloadRoute(deps: TransferDeps): Route {
  const { files, blobs, transfers, records, audit } = deps;
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
      if (user !== null) await requireReader(deps, user, file);
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
