import type { Readable } from 'node:stream';
import type { Caller } from '../../access/caller.ts';
import { newId } from '../../ids.ts';
import type { BlobInfo, PutOptions } from '../../platform/blobs/blobs.ts';
import { removeFreed } from '../../platform/blobs/remove-freed.ts';
import type { Transaction } from '../../platform/records/records.ts';
import type { FilesTable, UploadsTable } from '../../platform/records/schema.ts';
import { notFound } from '../../problem.ts';
import { actor } from '../audit/index.ts';
import { lockProject, type ProjectRecord } from '../projects/index.ts';
import { type Adopted, adopt, takeOver } from './adopt.ts';
import { nameTaken } from './file.ts';
import type { FileParts } from './files.ts';
import { endedAt, fileByName, findFile, noteArrival } from './store.ts';
import type { UploadRights } from './upload-rights.ts';

export interface NewFile {
  id?: string;
  name: string;
  contentType?: string;
  overwrite?: boolean;
  contentMD5?: string;
  size?: number;
  ingest?: boolean;
}

/** What PUT sends along with the bytes. */
export interface UploadBody {
  stream: Readable;
  md5: string | undefined;
  signal: AbortSignal;
}

/** In one piece, by one PUT, or in parts that are joined in the end. */
export type UploadKind = 'whole' | 'parts';

export interface UploadLimits {
  /** Life of an upload, in ms. */
  lifeMs: Record<UploadKind, number>;
  sizeMax: number;
  /** How long after its promise expired an upload may still end that the store lets go on, in ms. */
  lateMs: number;
}

/**
 * Uploads: what POST /files or POST /uploads promised, until it expires. A file row appears, or changes, only in the transaction
 * that follows the last byte; until then the old bytes are what everybody sees. Parts and their joining are in parted-uploads.ts.
 */
export class Uploads {
  readonly #parts: FileParts;
  readonly #rights: UploadRights;
  readonly #limits: UploadLimits;

  constructor(parts: FileParts, rights: UploadRights, limits: UploadLimits) {
    this.#parts = parts;
    this.#rights = rights;
    this.#limits = limits;
  }

  /** The file that a new upload would replace, or `undefined`. */
  async replaced(project: string, input: NewFile): Promise<FilesTable | undefined> {
    const { read } = this.#parts.records;
    if (input.id !== undefined) return findFile(read, input.id);
    if (!input.overwrite) return undefined;
    return fileByName(read, project, input.name);
  }

  /**
   * Promises to take bytes. Problem 409 when the name is taken and the file is not to be overwritten, 404 when the id is that of
   * something else. `replaced`: the file that the caller was found to be allowed to replace.
   */
  async begin(
    project: ProjectRecord,
    input: NewFile,
    by: { caller: Caller; requestId: string; replaced: FilesTable | undefined },
    kind: UploadKind = 'whole',
  ): Promise<UploadsTable> {
    const { records, audit } = this.#parts;
    return records.transact(async (tx) => {
      // A file that gets another name takes the uploads to it along: none may begin unseen at that moment.
      await lockProject(tx, project.id);
      const holder = await fileByName(tx, project.id, input.name);
      const overwrites = input.overwrite === true || (input.id !== undefined && holder?.id === input.id);
      if (holder && !overwrites) throw nameTaken();
      if (input.id !== undefined) await this.#requireFree(tx, project.id, input.id);
      const row = this.#rowOf(project, input, by.caller, kind);
      if (holder && input.id === undefined) row.file_id = holder.id;
      else if (row.overwrite && input.id === undefined) row.file_id = await announcedId(tx, row);
      row.replaces = by.replaced?.id === row.file_id ? 1 : 0;
      await tx.insertInto('uploads').values(row).execute();
      await audit.append(tx, {
        account: project.account,
        ...actor(by.caller, by.requestId),
        action: 'files.create',
        resource: { type: 'file', id: row.file_id, dataset: project.id },
        outcome: 'done',
      });
      return row;
    });
  }

  /** An id may be a file's of the same project; no other's, and not that of one that is being made. */
  async #requireFree(tx: Transaction, project: string, id: string): Promise<void> {
    const present = await findFile(tx, id);
    if (present && present.project_id !== project) throw notFound();
    if (present) return;
    for (const isPromised of this.#parts.listeners.promised) if (await isPromised(tx, id)) throw notFound();
  }

  #rowOf(project: ProjectRecord, input: NewFile, caller: Caller, kind: UploadKind): UploadsTable {
    const now = Date.now();
    // Of a file that does not exist yet nothing is known but its project: who may replace any file there may replace it.
    const about = { account: project.account, dataset: project.id, type: 'file' } as const;
    return {
      id: newId(),
      file_id: input.id ?? newId(),
      account_id: project.account,
      project_id: project.id,
      name: input.name,
      content_type: input.contentType ?? 'application/octet-stream',
      overwrite: input.overwrite && caller.may('files.overwrite', about) ? 1 : 0,
      replaces: 0,
      made_blob: null,
      content_md5: input.contentMD5 ?? null,
      size: input.size ?? null,
      ingest: input.ingest ? 1 : 0,
      owner_id: caller.userId,
      created_at: now,
      expires_at: now + this.#limits.lifeMs[kind],
      parts_size: kind === 'parts' ? 0 : null,
      completed_at: null,
      arrived_tag: null,
    };
  }

  /** An upload in one piece. */
  async find(id: string): Promise<UploadsTable | undefined> {
    return this.#parts.records.read
      .selectFrom('uploads')
      .selectAll()
      .where('id', '=', id)
      .where('parts_size', 'is', null)
      .where('expires_at', '>', Date.now())
      .executeTakeFirst();
  }

  /** Takes the bytes, makes them durable, and only then shows them. May be repeated; the same bytes change nothing. */
  async receive(upload: UploadsTable, body: UploadBody): Promise<FilesTable> {
    const md5 = body.md5 ?? upload.content_md5;
    const promised = { ...this.promised(upload), ...(md5 !== null && { md5 }), signal: body.signal };
    // Before all the bytes, and when they are there, which may be hours later.
    await this.#rights.require(upload);
    const info = await this.#parts.blobs.put(body.stream, promised);
    return this.#keep(upload, info, (tx) => this.#adopt(tx, upload, info));
  }

  /** What the bytes of an upload have to be. */
  promised(upload: UploadsTable): PutOptions {
    return {
      sizeMax: this.#limits.sizeMax,
      ...(upload.size !== null && { size: upload.size }),
      ...(upload.content_md5 !== null && { md5: upload.content_md5 }),
    };
  }

  /**
   * The same for bytes that came by way of the store, under this tag. Problem 409 when the name was taken meanwhile, 404 when the
   * project is gone: the blob is then removed, as it is when somebody else has dealt with the same arrival.
   */
  async adoptArrival(upload: UploadsTable, info: BlobInfo, tag: string): Promise<void> {
    await this.#keep(upload, info, async (tx) => {
      await lockProject(tx, upload.project_id);
      if (!(await noteArrival(tx, upload.id, tag))) return { file: undefined, freed: [info.key] };
      return this.#adopt(tx, upload, info);
    });
  }

  async #keep<F>(
    upload: UploadsTable,
    info: BlobInfo,
    take: (tx: Transaction) => Promise<{ file: F; freed: string[] }>,
  ): Promise<F> {
    try {
      await this.#rights.require(upload);
    } catch (error) {
      await removeFreed(this.#parts.blobs, [info.key]);
      throw error;
    }
    const { file, freed } = await takeOver(this.#parts, info.key, take);
    await removeFreed(this.#parts.blobs, freed);
    return file;
  }

  async #adopt(tx: Transaction, upload: UploadsTable, info: BlobInfo): Promise<Adopted> {
    // Its file may have been renamed since, and the upload with it; or it has gone into another project.
    await lockProject(tx, upload.project_id);
    const current = await tx.selectFrom('uploads').selectAll().where('id', '=', upload.id).executeTakeFirst();
    if (!current || current.expires_at === endedAt) throw notFound();
    const by = { userId: upload.owner_id, via: 'signature' };
    return adopt(this.#parts, tx, { upload: current, info, by });
  }

  /** Promises that expire after this may still be kept. */
  openSince(): number {
    return Date.now() - this.#limits.lateMs;
  }

  async anyOpen(): Promise<boolean> {
    const { read } = this.#parts.records;
    const open = read
      .selectFrom('uploads')
      .select('id')
      .where('parts_size', 'is', null)
      .where('expires_at', '>', this.openSince());
    return (await open.limit(1).executeTakeFirst()) !== undefined;
  }

  /** Removes promises that have expired, and parts whose upload is gone. */
  async sweep(): Promise<void> {
    const { records, blobs } = this.#parts;
    const orphans = await records.transact(async (tx) => {
      await tx.deleteFrom('uploads').where('expires_at', '<=', this.openSince()).execute();
      return tx
        .deleteFrom('upload_parts')
        .where((where) =>
          where.not(
            where.exists(
              where
                .selectFrom('uploads')
                .select('uploads.id')
                .whereRef('uploads.id', '=', 'upload_parts.upload_id'),
            ),
          ),
        )
        .returning('blob_key')
        .execute();
    });
    await removeFreed(
      blobs,
      orphans.map(({ blob_key }) => blob_key),
    );
  }
}

/** The id of a file that was promised under the same name and has not come yet: whoever overwrites it does not make another one. */
async function announcedId(tx: Transaction, { project_id, name, file_id }: UploadsTable): Promise<string> {
  const announced = await tx
    .selectFrom('uploads')
    .select('file_id')
    .where('project_id', '=', project_id)
    .where('name', '=', name)
    .where('completed_at', 'is', null)
    .where('made_blob', 'is', null)
    .where('expires_at', '>', Date.now())
    // One that has come has another name by now, or is in another project: else it would have been found by its name.
    .where((where) =>
      where.not(
        where.exists(
          where.selectFrom('files').select('files.id').whereRef('files.id', '=', 'uploads.file_id'),
        ),
      ),
    )
    .orderBy('created_at')
    .orderBy('id')
    .executeTakeFirst();
  return announced?.file_id ?? file_id;
}
