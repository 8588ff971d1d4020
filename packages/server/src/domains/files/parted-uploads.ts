import type { Caller } from '../../access/caller.ts';
import type { BlobInfo } from '../../platform/blobs/blobs.ts';
import { removeFreed } from '../../platform/blobs/remove-freed.ts';
import type { Reader, Transaction } from '../../platform/records/records.ts';
import type { FilesTable, UploadsTable } from '../../platform/records/schema.ts';
import type { UploadPartsTable } from '../../platform/records/schema-uploads.ts';
import { conflict, notFound, Problem } from '../../problem.ts';
import { actor } from '../audit/index.ts';
import { lockProject, requireProject } from '../projects/index.ts';
import { adopt, takeOver } from './adopt.ts';
import { discardArrived, joinArrived } from './arrived-parts.ts';
import { attributesOf } from './file.ts';
import type { FileParts } from './files.ts';
import { fileByName, findFile } from './store.ts';
import type { UploadRights } from './upload-rights.ts';
import type { UploadBody } from './uploads.ts';

/** A part as it was taken. */
export interface PartView {
  number: number;
  size: number;
  /** Lower-case hex. */
  sha256: string;
}

/** How often parts are joined anew because one of them was sent again meanwhile. */
const attemptsMax = 5;

interface CalledBy {
  caller: Caller;
  requestId: string;
}

/**
 * Uploads in parts. A part is a blob of its own, held by a row of `upload_parts`; the last one sent under a number counts. Joining
 * them makes a new blob, and one transaction makes that the file and forgets the parts.
 */
export class PartedUploads {
  readonly #parts: FileParts;
  readonly #rights: UploadRights;
  readonly #sizeMax: number;
  /** Completions that run here, so that who asks again waits for the first instead of joining once more. */
  readonly #completing = new Map<string, Promise<void>>();

  constructor(parts: FileParts, rights: UploadRights, limits: { sizeMax: number }) {
    this.#parts = parts;
    this.#rights = rights;
    this.#sizeMax = limits.sizeMax;
  }

  async find(id: string): Promise<UploadsTable | undefined> {
    return this.#parts.records.read
      .selectFrom('uploads')
      .selectAll()
      .where('id', '=', id)
      .where('parts_size', 'is not', null)
      .where('expires_at', '>', Date.now())
      .executeTakeFirst();
  }

  /** Takes a part and makes it durable; one that was there under its number is replaced in that moment. */
  async receive(upload: UploadsTable, number: number, body: UploadBody): Promise<PartView> {
    requireOpen(upload);
    await this.#rights.require(upload);
    const { blobs } = this.#parts;
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
    const replaced = await takeOver(this.#parts, key, (tx) => this.#keep(tx, row));
    if (replaced !== undefined) await removeFreed(blobs, [replaced]);
    return { number, size, sha256 };
  }

  /** Answers the blob of the part that was replaced. */
  async #keep(tx: Transaction, row: UploadPartsTable): Promise<string | undefined> {
    await requireProject(tx, row.project_id);
    const upload = await lockUpload(tx, row.upload_id);
    const before = await tx
      .selectFrom('upload_parts')
      .select(['blob_key', 'size'])
      .where('upload_id', '=', row.upload_id)
      .where('number', '=', row.number)
      .executeTakeFirst();
    const total = (upload.parts_size ?? 0) - (before?.size ?? 0) + row.size;
    if (total > this.#sizeMax) {
      const message = `At most ${this.#sizeMax} bytes are taken, all parts together: send a smaller file.`;
      throw new Problem(413, 'TOO_LARGE', message);
    }
    await tx.updateTable('uploads').set({ parts_size: total }).where('id', '=', upload.id).execute();
    await tx
      .insertInto('upload_parts')
      .values(row)
      .onConflict((taken) => taken.columns(['upload_id', 'number']).doUpdateSet(row))
      .execute();
    return before?.blob_key;
  }

  /**
   * Joins the parts by their numbers and makes them the file. An upload that is complete stays so: asking again changes nothing.
   * Problem 409 without any part, and when the name is taken; then the upload goes on as it was.
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
      const rows = await partsOf(this.#parts.records.read, upload.id);
      const joined = await this.#join(present, rows);
      if (joined && (await this.#finish(upload, rows, joined, by))) return;
    }
    const message = 'Parts are still being sent. Complete the upload when all have been taken.';
    throw conflict('UPLOAD_BUSY', message);
  }

  /** Answers nothing when a part was replaced, or all were joined by somebody else, meanwhile. */
  async #join(upload: UploadsTable, rows: UploadPartsTable[]): Promise<BlobInfo | undefined> {
    const { blobs } = this.#parts;
    const promised = {
      sizeMax: this.#sizeMax,
      ...(upload.size !== null && { size: upload.size }),
      ...(upload.content_md5 !== null && { md5: upload.content_md5 }),
    };
    const arrived = await joinArrived(blobs.direct, upload, promised);
    if (arrived !== 'none') return arrived;
    if (rows.length === 0) {
      if ((await this.find(upload.id))?.completed_at) return undefined;
      throw conflict('UPLOAD_EMPTY', 'No part has been sent yet. An empty file has one empty part.');
    }
    try {
      return await blobs.join(keysOf(rows), promised);
    } catch (error) {
      if (!(error instanceof Problem && error.status === 404)) throw error;
      const now = await partsOf(this.#parts.records.read, upload.id);
      if (String(keysOf(now)) !== String(keysOf(rows))) return undefined;
      throw new Error('A part of an upload has lost its bytes.', { cause: error });
    }
  }

  /** Whether these parts have become the file. */
  async #finish(
    upload: UploadsTable,
    rows: UploadPartsTable[],
    joined: BlobInfo,
    { caller, requestId }: CalledBy,
  ): Promise<boolean> {
    const { blobs } = this.#parts;
    const adopted = await takeOver(this.#parts, joined.key, async (tx) => {
      // In the order in which everybody locks: the project, then what is in it.
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
      const by = actor(caller, requestId);
      return adopt(this.#parts, tx, { upload: open, info: joined, by, mayReplace });
    });
    await removeFreed(blobs, adopted ? [...adopted.freed, ...keysOf(rows)] : [joined.key]);
    if (adopted) await discardArrived(blobs.direct, upload);
    return adopted !== undefined;
  }
}

/**
 * Whoever began the upload was asked for rights then, to what was there then; the gate asks those to the upload. Problem 403 where the
 * file that is there by now, or the one that has its name and goes, is not his who joins the parts to replace.
 */
async function requireReplaceable(
  tx: Transaction,
  { file_id, project_id, name, overwrite, replaces }: UploadsTable,
  mayReplace: (present: FilesTable) => boolean,
): Promise<void> {
  const present = overwrite === 1 || replaces === 1 ? await findFile(tx, file_id) : undefined;
  const holder = overwrite === 1 ? await fileByName(tx, project_id, name) : undefined;
  if ([present, holder].every((file) => !file || mayReplace(file))) return;
  throw new Problem(403, 'FORBIDDEN', 'You may not replace the file that is there. Somebody who may has to.');
}

/** Problem 409 for an upload that is complete. */
export function requireOpen(upload: UploadsTable): void {
  if (upload.completed_at === null) return;
  throw conflict('UPLOAD_COMPLETE', 'This upload is complete. Begin a new one to replace the file.');
}

/** The upload, as long as it takes parts; until the transaction ends nobody else changes it. */
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
  // Its time is over, or its file is in another project now.
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
