import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { Answer, anyType, type Route, route } from '../../../api/route.ts';
import { idParam } from '../../../api/shapes.ts';
import { notFound, Problem } from '../../../base/problem.ts';
import type { DirectTransfers } from '../../../platform/blobs/blobs.ts';
import { isPlaced } from '../../../platform/blobs/keys.ts';
import type { FilesTable, UploadsTable } from '../../../platform/records/schema.ts';
import type { AddressUse, AddressUses } from '../../audit/index.ts';
import type { Purpose, SignedAddresses } from '../../identity/addresses/index.ts';
import { disposition, download, downloadAnswers, downloadHeaders } from '../download.ts';
import { attributesOf, attributesOfUpload, viewOf } from '../file.ts';
import type { FileDeps } from '../file-deps.ts';
import type { Files } from '../files.ts';
import { projectExists } from '../projects/index.ts';
import { fileShape, filesTag, partParams, partShape } from '../shapes.ts';
import { partKey, uploadKey } from './object-keys.ts';
import type { PartedUploads } from './parted-uploads.ts';
import type { Uploads } from './uploads.ts';

/** Lifetime of an address of the store that a checked download is sent on to: the request for it follows at once. */
const storeLifeMs = 60_000;

/** Caller who asks for an address: it ends with the credential of that request. */
type Holder = Pick<Caller, 'via'>;

/** Addresses of bytes: each permits one method on one file, upload or part. */
export class Transfers {
  readonly #addresses: SignedAddresses;
  readonly #direct: DirectTransfers | undefined;

  /** `direct`: present when clients reach the blob store, which then takes and sends the bytes. */
  constructor(addresses: SignedAddresses, direct: DirectTransfers | undefined) {
    this.#addresses = addresses;
    this.#direct = direct;
  }

  async uploadUrl(upload: UploadsTable, holder: Holder): Promise<string> {
    const { id, expires_at: expiresAt, content_md5: md5, size } = upload;
    const terms = { expiresAt, ...(md5 !== null && { md5 }), ...(size !== null && { size }) };
    if (this.#direct) return this.#direct.uploadUrl(uploadKey(upload), terms);
    const path = `/v1/transfers/uploads/${id}`;
    return this.#addresses.sign({ purpose: 'PUT upload', path, holder, expiresAt });
  }

  /** Address of a part; expires no later than the upload. */
  async partUrl(upload: UploadsTable, number: number, holder: Holder): Promise<string> {
    const expiresAt = Math.min(upload.expires_at, Date.now() + this.#addresses.lifeMs);
    if (this.#direct) return this.#direct.uploadUrl(partKey(upload, number, holder.via), { expiresAt });
    const path = `/v1/transfers/uploads/${upload.id}/parts/${number}`;
    return this.#addresses.sign({ purpose: 'PUT part', path, holder, expiresAt });
  }

  downloadUrl({ id }: FilesTable, holder: Holder): string {
    return this.#addresses.sign({ purpose: 'GET file', path: `/v1/transfers/files/${id}`, holder });
  }

  /** Opens a signed address. Problem 403 if it is forged, changed or expired, or its credential has ended. */
  open(purpose: Purpose, url: string): ReturnType<SignedAddresses['open']> {
    return this.#addresses.open(purpose, url);
  }

  /** Address of the store for a download that was checked, if clients reach the store. */
  async storeUrl({ blob_key: key, content_type, name }: FilesTable): Promise<string | undefined> {
    // The store's address could not require the ETag: bytes of a connected bucket pass through the service.
    if (isPlaced(key)) return undefined;
    const headers = { contentType: content_type, disposition: disposition(name) };
    return this.#direct?.downloadUrl(key, { expiresAt: Date.now() + storeLifeMs, ...headers });
  }
}

const tag = filesTag;

const signedQuery = Type.Object({
  by: Type.Optional(Type.String()),
  expires: Type.Optional(Type.String()),
  signature: Type.Optional(Type.String()),
});

interface TransferDeps extends FileDeps {
  uses: AddressUses;
  files: Files;
  uploads: Uploads;
  partedUploads: PartedUploads;
  transfers: Transfers;
}

/** Routes of /v1/transfers, which carry the bytes. */
export function transferRoutes(deps: TransferDeps): Route[] {
  return [uploadRoute(deps), partRoute(deps), downloadRoute(deps)];
}

function useOf(upload: UploadsTable, by: Caller, requestId: string): AddressUse {
  return { by, action: 'transfers.upload', resource: attributesOfUpload(upload), requestId };
}

const one = (value: string | string[] | undefined) => (typeof value === 'string' ? value : undefined);

function uploadRoute({ uploads, transfers, records, uses }: TransferDeps): Route {
  return route({
    method: 'PUT',
    path: '/v1/transfers/uploads/:id',
    operation: 'transfers.upload',
    conflicts: ['FILE_EXISTS', 'FILE_CHANGED'],
    tag,
    summary: 'Put the bytes of a file (the `uploadUrl` of POST /v1/files)',
    description: 'Needs no credentials: the address ends with those that asked for it. May be repeated.',
    headers: ['Content-MD5'],
    params: idParam,
    query: signedQuery,
    streamsBody: true,
    answers: { 200: { schema: fileShape, description: 'The file, complete and durable' } },
    handle: async ({ params, url, headers, stream, signal, requestId }) => {
      const { caller } = await transfers.open('PUT upload', url);
      const upload = await uploads.find(params.id);
      // The address is valid, so its upload was not removed for age: its target is gone.
      if (!upload || !(await projectExists(records.read, upload.project_id))) throw notFound();
      const body = { stream, md5: one(headers['content-md5']), signal, requestId };
      const file = await uploads.receive(upload, body);
      await uses.record(useOf(upload, caller, requestId));
      return viewOf(file);
    },
  });
}

function partRoute({ partedUploads, transfers, records, uses }: TransferDeps): Route {
  return route({
    method: 'PUT',
    path: '/v1/transfers/uploads/:id/parts/:number',
    operation: 'transfers.upload',
    conflicts: ['UPLOAD_COMPLETE'],
    tag,
    summary: 'Put the bytes of a part (the `uploadUrl` of GET /v1/uploads/{id}/parts/{number})',
    description: 'Needs no credentials: the address ends with those that asked for it. May be repeated.',
    headers: ['Content-MD5'],
    params: partParams,
    query: signedQuery,
    streamsBody: true,
    answers: { 200: { schema: partShape, description: 'The part, durable' } },
    handle: async ({ params, url, headers, stream, signal, requestId }) => {
      const { caller } = await transfers.open('PUT part', url);
      const upload = await partedUploads.find(params.id);
      if (!upload || !(await projectExists(records.read, upload.project_id))) throw notFound();
      const body = { stream, md5: one(headers['content-md5']), signal, via: caller.via };
      const received = await partedUploads.receive(upload, params.number, body);
      await uses.record(useOf(upload, caller, requestId));
      return received;
    },
  });
}

/** Problem 403 unless the user who requested an address may read the file now: an address does not outlive the right. */
async function requireReader({ files }: TransferDeps, caller: Caller, file: FilesTable): Promise<void> {
  const located = await files.locateToRead(file.id, caller);
  if (located && caller.may(located.operation ?? 'files.read', located.attributes)) return;
  const message = 'The user who asked for this address may no longer read the file. Ask for a new address.';
  throw new Problem(403, 'FORBIDDEN', message);
}

/** Request headers in which a client names the bytes that it has, by the service's ETags: those of the store differ. */
const conditions = downloadHeaders.filter((name) => name !== 'Range').map((name) => name.toLowerCase());

function downloadRoute(deps: TransferDeps): Route {
  const { files, blobs, transfers, records, uses } = deps;
  return route({
    method: 'GET',
    path: '/v1/transfers/files/:id',
    operation: 'transfers.download',
    tag,
    summary: 'Get the bytes of a file (the `downloadUrl` of GET /v1/files/{id})',
    params: idParam,
    query: signedQuery,
    headers: downloadHeaders,
    answers: {
      200: { description: 'The bytes', contentType: anyType, etag: true },
      302: { description: 'The bytes are in an object store, at an address that is valid for a minute' },
      ...downloadAnswers,
    },
    handle: async ({ params, url, method, headers, requestId }) => {
      const { caller } = await transfers.open('GET file', url);
      const file = await files.find(params.id);
      if (!file || !(await projectExists(records.read, file.project_id))) throw notFound();
      await requireReader(deps, caller, file);
      if (method === 'GET') {
        await uses.record({
          by: caller,
          action: 'transfers.download',
          resource: attributesOf(file),
          requestId,
        });
        const location = conditions.some((name) => headers[name] !== undefined)
          ? undefined
          : await transfers.storeUrl(file);
        if (location !== undefined)
          return new Answer(302, undefined, { location, 'cache-control': 'no-store' });
      }
      return download(blobs, file, { method, headers }, (id) => files.find(id));
    },
  });
}
