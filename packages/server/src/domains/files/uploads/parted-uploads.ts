import type { Caller } from '../../../access/caller.ts';
import { conflict, notFound, Problem } from '../../../base/problem.ts';
import type { BlobInfo } from '../../../platform/blobs/blobs.ts';
import { removeFreed } from '../../../platform/blobs/remove-freed.ts';
import type { Reader, Transaction } from '../../../platform/records/records.ts';
import type { FilesTable, UploadsTable } from '../../../platform/records/schema.ts';
import type { UploadPartsTable } from '../../../platform/records/schema-uploads.ts';
import { actor } from '../../audit/index.ts';
import { adopt, takeOver } from '../adopt.ts';
import { attributesOf } from '../file.ts';
import type { FileDeps } from '../file-deps.ts';
import { lockProject, requireProject } from '../projects/index.ts';
import { requireAccountRoom } from '../quotas.ts';
import { fileByName, findFile } from '../store.ts';
import { discardJoined, joinArrived } from './arrived-parts.ts';
import type { UploadRights } from './upload-rights.ts';
import type { UploadBody } from './uploads.ts';

/** Part as it was received. */
interface PartView {
  number: number;
  size: number;
  /** Lower-case hex. */
  sha256: string;
}

/** Body of the PUT of a part, whose address may come from another credential than its upload. */
type PartBody = UploadBody & { via: string };

/** Attempts to join parts again because one of them was replaced meanwhile. */
const attemptsMax = 5;

interface CalledBy {
  caller: Caller;
  requestId: string;
}

/**
 * Uploads in parts. Each part is a blob referenced by a row of `upload_parts`; the last one sent under a
 * number counts. Joining makes a new blob; one transaction makes it the file and deletes the parts.
 */
export class PartedUploads {
  readonly #deps: FileDeps;
  readonly #rights: UploadRights;
  readonly #sizeMax: number;
  /** Running completions: a repeated request awaits the first instead of joining again. */
  readonly #completing = new Map<string, Promise<void>>();

  constructor(deps: FileDeps, rights: UploadRights, limits: { sizeMax: number }) {
    this.#deps = deps;
    this.#rights = rights;
    this.#sizeMax = limits.sizeMax;
  }

  async find(id: string): Promise<UploadsTable | undefined> {
    return this.#deps.records.read
      .selectFrom('uploads')
      .selectAll()
      .where('id', '=', id)
      .where('parts_size', 'is not', null)
      .where('expires_at', '>', Date.now())
      .executeTakeFirst();
  }

  /** Stores a part durably and replaces an earlier one of the same number. */
  async receive(upload: UploadsTable, number: number, body: PartBody): Promise<PartView> {
    requireOpen(upload);
    await this.#rights.require(upload, body.via);
    const { blobs } = this.#deps;
    const { key, size, sha256 } = await blobs.put(body.stream, {
      sizeMax: Math.min(this.#sizeMax, upload.size ?? this.#sizeMax),
      ...(body.md5 !== undefined && { md5: body.md5 }),
      signal: body.signal,
    });
    const row: UploadPartsTable = {
      upload_id: upload.id,
      project_id: upload.project_id,
      number,
      blob_key: key,
      size,
      created_at: Date.now(),
    };
    const replaced = await takeOver(this.#deps, key, (tx) => this.#keep(tx, row, body.via));
    if (replaced !== undefined) await removeFreed(blobs, [replaced]);
    return { number, size, sha256 };
  }

  /** Returns the blob of the replaced part. */
  async #keep(tx: Transaction, row: UploadPartsTable, via: string): Promise<string | undefined> {
    await requireProject(tx, row.project_id);
    const upload = await lockUpload(tx, row.upload_id);
    await this.#rights.hold(tx, via);
    const before = await tx
      .selectFrom('upload_parts')
      .select(['blob_key', 'size'])
      .where('upload_id', '=', row.upload_id)
      .where('number', '=', row.number)
      .executeTakeFirst();
    const total = (upload.parts_size ?? 0) - (before?.size ?? 0) + row.size;
    if (total > this.#sizeMax) {
      const message = `All parts together may have at most ${this.#sizeMax} bytes. Send a smaller file.`;
      throw new Problem(413, 'TOO_LARGE', message);
    }
    await tx.updateTable('uploads').set({ parts_size: total }).where('id', '=', upload.id).execute();
    await requireAccountRoom(tx, upload.account_id, this.#deps.accountBytesMax);
    await tx
      .insertInto('upload_parts')
      .values(row)
      .onConflict((taken) => taken.columns(['upload_id', 'number']).doUpdateSet(row))
      .execute();
    return before?.blob_key;
  }

  /**
   * Joins the parts by number into the file. Idempotent once complete. Problem 409 without parts, or if the
   * name is taken; the upload then stays open.
   */
  async complete(upload: UploadsTable, by: CalledBy): Promise<void> {
    const running = this.#completing.get(upload.id);
    if (running) return running;
    const completion = this.#complete(upload, by);
    this.#completing.set(upload.id, completion);
    try {
      await completion;
    } finally {
      this.#completing.delete(upload.id);
    }
  }

  async #complete(upload: UploadsTable, by: CalledBy): Promise<void> {
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const present = await this.find(upload.id);
      if (!present) throw notFound();
      if (present.completed_at !== null) return;
      const rows = await partsOf(this.#deps.records.read, upload.id);
      const joined = await this.#join(present, rows);
      if (joined && (await this.#finish(upload, rows, joined, by))) return;
    }
    const message = 'Parts are still being sent. Complete the upload when all have been received.';
    throw conflict('UPLOAD_BUSY', message);
  }

  /** Returns `undefined` if a part was replaced or another request joined the parts meanwhile. */
  async #join(upload: UploadsTable, rows: UploadPartsTable[]): Promise<BlobInfo | undefined> {
    const { blobs } = this.#deps;
    const promised = {
      sizeMax: this.#sizeMax,
      ...(upload.size !== null && { size: upload.size }),
      ...(upload.content_md5 !== null && { md5: upload.content_md5 }),
    };
    const arrived = await joinArrived(blobs.direct, upload, promised, (via) => this.#rights.isLive(via));
    if (arrived !== 'none') return arrived;
    if (rows.length === 0) {
      if ((await this.find(upload.id))?.completed_at) return undefined;
      throw conflict('UPLOAD_EMPTY', 'No part has been sent yet. An empty file has one empty part.');
    }
    try {
      return await blobs.join(keysOf(rows), promised);
    } catch (error) {
      if (!(error instanceof Problem && error.status === 404)) throw error;
      const now = await partsOf(this.#deps.records.read, upload.id);
      if (String(keysOf(now)) !== String(keysOf(rows))) return undefined;
      throw new Error('A part of an upload has lost its bytes.', { cause: error });
    }
  }

  /** Reports whether these parts have become the file. */
  async #finish(
    upload: UploadsTable,
    rows: UploadPartsTable[],
    joined: BlobInfo,
    { caller, requestId }: CalledBy,
  ): Promise<boolean> {
    const { blobs } = this.#deps;
    const adopted = await takeOver(this.#deps, joined.key, async (tx) => {
      // Lock order: the project first, then its content.
      await lockProject(tx, upload.project_id);
      const open = await lockOpen(tx, upload.id);
      const same = open && String(keysOf(await partsOf(tx, upload.id))) === String(keysOf(rows));
      if (!same) return undefined;
      await tx.deleteFrom('upload_parts').where('upload_id', '=', upload.id).execute();
      await tx
        .updateTable('uploads')
        .set({ completed_at: Date.now(), parts_size: 0 })
        .where('id', '=', upload.id)
        .execute();
      const mayReplace = (present: FilesTable) => caller.may('uploads.overwrite', attributesOf(present));
      await requireReplaceable(tx, open, mayReplace);
      // The join may take hours.
      await this.#rights.hold(tx, caller.via);
      const by = actor(caller, requestId);
      return adopt(this.#deps, tx, { upload: open, info: joined, by, mayReplace });
    });
    await removeFreed(blobs, adopted ? [...adopted.freed, ...keysOf(rows)] : [joined.key]);
    if (adopted) await discardJoined(blobs.direct, upload);
    return adopted !== undefined;
  }
}

/**
 * Checks the permission to replace files that appeared after the upload began. Problem 403 if the caller may
 * not replace the file under the upload's id or the one under its name.
 */
async function requireReplaceable(
  tx: Transaction,
  { file_id, project_id, name, overwrite, replaces }: UploadsTable,
  mayReplace: (present: FilesTable) => boolean,
): Promise<void> {
  const present = overwrite === 1 || replaces === 1 ? await findFile(tx, file_id) : undefined;
  const holder = overwrite === 1 ? await fileByName(tx, project_id, name) : undefined;
  if ([present, holder].every((file) => !file || mayReplace(file))) return;
  throw new Problem(
    403,
    'FORBIDDEN',
    'You may not replace the present file. A permitted user has to complete the upload.',
  );
}

/** Problem 409 for a complete upload. */
export function requireOpen(upload: UploadsTable): void {
  if (upload.completed_at === null) return;
  throw conflict('UPLOAD_COMPLETE', 'This upload is complete. Begin a new one to replace the file.');
}

/** Locks an upload that still accepts parts. */
async function lockOpen(tx: Transaction, id: string): Promise<UploadsTable | undefined> {
  return tx
    .updateTable('uploads')
    .set({ id })
    .where('id', '=', id)
    .where('completed_at', 'is', null)
    .where('expires_at', '>', Date.now())
    .returningAll()
    .executeTakeFirst();
}

async function lockUpload(tx: Transaction, id: string): Promise<UploadsTable> {
  const open = await lockOpen(tx, id);
  if (open) return open;
  const ended = await tx.selectFrom('uploads').selectAll().where('id', '=', id).executeTakeFirst();
  if (ended) requireOpen(ended);
  // It expired, or its file is in another project.
  throw notFound();
}

async function partsOf(read: Reader | Transaction, upload: string): Promise<UploadPartsTable[]> {
  return read
    .selectFrom('upload_parts')
    .selectAll()
    .where('upload_id', '=', upload)
    .orderBy('number')
    .execute();
}

function keysOf(rows: UploadPartsTable[]): string[] {
  return rows.map((row) => row.blob_key);
}
