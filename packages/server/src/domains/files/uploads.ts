import type { Readable } from 'node:stream';
import type { Caller } from '../../access/caller.ts';
import { newId } from '../../ids.ts';
import { nameKey } from '../../names.ts';
import type { BlobInfo } from '../../platform/blobs/blobs.ts';
import { isUniqueViolation } from '../../platform/records/errors.ts';
import type { Transaction } from '../../platform/records/records.ts';
import type { FilesTable, UploadsTable } from '../../platform/records/schema.ts';
import { conflict, notFound, Problem } from '../../problem.ts';
import { actor } from '../audit/index.ts';
import { lockProject, type ProjectRecord, requireProject } from '../projects/index.ts';
import { attributesOf } from './file.ts';
import type { FileParts } from './files.ts';
import { findFile } from './store.ts';

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

const nameTaken = () =>
  conflict(
    'FILE_EXISTS',
    'A file with this name already exists in the project. Send overwrite: true to replace it.',
  );

/**
 * Uploads: what POST /files promised, until it expires. A file row appears, or changes, only in the transaction that
 * follows the last byte; until then the old bytes are what everybody sees.
 */
export class Uploads {
  readonly #parts: FileParts;
  readonly #lifeMs: number;
  readonly #sizeMax: number;

  constructor(parts: FileParts, limits: { lifeMs: number; sizeMax: number }) {
    this.#parts = parts;
    this.#lifeMs = limits.lifeMs;
    this.#sizeMax = limits.sizeMax;
  }

  /** The file that a new upload would replace, or `undefined`. */
  async replaced(project: string, input: NewFile): Promise<FilesTable | undefined> {
    const { read } = this.#parts.records;
    if (input.id !== undefined) return findFile(read, input.id);
    if (!input.overwrite) return undefined;
    return byName(read, project, input.name);
  }

  /** Promises to take bytes. Problem 409 when the name is taken and the file is not to be overwritten. */
  async begin(
    project: ProjectRecord,
    input: NewFile,
    by: { caller: Caller; requestId: string },
  ): Promise<UploadsTable> {
    const { records, audit } = this.#parts;
    return records.transact(async (tx) => {
      await requireProject(tx, project.id);
      const holder = await byName(tx, project.id, input.name);
      const overwrites = input.overwrite === true || (input.id !== undefined && holder?.id === input.id);
      if (holder && !overwrites) throw nameTaken();
      const now = Date.now();
      const row: UploadsTable = {
        id: newId(),
        file_id: input.id ?? holder?.id ?? newId(),
        account_id: project.account,
        project_id: project.id,
        name: input.name,
        content_type: input.contentType ?? 'application/octet-stream',
        overwrite: input.overwrite ? 1 : 0,
        content_md5: input.contentMD5 ?? null,
        size: input.size ?? null,
        ingest: input.ingest ? 1 : 0,
        owner_id: by.caller.userId,
        created_at: now,
        expires_at: now + this.#lifeMs,
      };
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

  async find(id: string): Promise<UploadsTable | undefined> {
    return this.#parts.records.read
      .selectFrom('uploads')
      .selectAll()
      .where('id', '=', id)
      .where('expires_at', '>', Date.now())
      .executeTakeFirst();
  }

  /** Takes the bytes, makes them durable, and only then shows them. May be repeated; the same bytes change nothing. */
  async receive(upload: UploadsTable, body: UploadBody): Promise<FilesTable> {
    const { records, blobs } = this.#parts;
    const md5 = body.md5 ?? upload.content_md5;
    const info = await blobs.put(body.stream, {
      sizeMax: this.#sizeMax,
      ...(upload.size !== null && { size: upload.size }),
      ...(md5 !== null && { md5 }),
      signal: body.signal,
    });
    const { file, freed } = await records
      .transact((tx) => this.#adopt(tx, upload, info))
      .catch(async (error: unknown) => {
        const refused = isUniqueViolation(error, 'files') ? nameTaken() : error;
        // After any other error it may have been committed all the same: then the sweep decides about the blob.
        if (refused instanceof Problem) await blobs.remove(info.key);
        throw refused;
      });
    for (const key of freed) await blobs.remove(key);
    return file;
  }

  /** Removes promises that have expired. */
  async sweep(): Promise<void> {
    await this.#parts.records.transact((tx) =>
      tx.deleteFrom('uploads').where('expires_at', '<=', Date.now()).execute(),
    );
  }

  async #adopt(
    tx: Transaction,
    upload: UploadsTable,
    info: BlobInfo,
  ): Promise<{ file: FilesTable; freed: string[] }> {
    const { audit, listeners } = this.#parts;
    await lockProject(tx, upload.project_id);
    const present = await findFile(tx, upload.file_id);
    if (present && present.project_id !== upload.project_id) throw notFound();
    const file = fileRow(upload, info, present);
    if (present && sameFile(present, file)) return { file: present, freed: [info.key] };
    const holder = await byName(tx, upload.project_id, upload.name);
    const freed = present ? [present.blob_key] : [];
    if (holder && holder.id !== file.id) {
      if (!upload.overwrite) throw nameTaken();
      await tx.deleteFrom('files').where('id', '=', holder.id).execute();
      for (const listener of listeners.deleted) await listener(tx, holder.id, false);
      freed.push(holder.blob_key);
    }
    if (present) await tx.updateTable('files').set(file).where('id', '=', file.id).execute();
    else await tx.insertInto('files').values(file).execute();
    if (upload.ingest) for (const listener of listeners.ingest) await listener(tx, file, upload.owner_id);
    await audit.append(tx, {
      account: file.account_id,
      userId: upload.owner_id,
      via: 'signature',
      action: present ? 'files.overwrite' : 'files.upload',
      resource: attributesOf(file),
      outcome: 'done',
      details: { size: file.size, sha256: file.sha256 },
    });
    return { file, freed };
  }
}

function fileRow(upload: UploadsTable, info: BlobInfo, present: FilesTable | undefined): FilesTable {
  const now = Date.now();
  return {
    id: upload.file_id,
    account_id: upload.account_id,
    project_id: upload.project_id,
    name: upload.name,
    name_key: nameKey(upload.name),
    content_type: upload.content_type,
    blob_key: info.key,
    size: info.size,
    sha256: info.sha256,
    origin: 'upload',
    owner_id: present?.owner_id ?? upload.owner_id,
    created_at: present?.created_at ?? now,
    modified_at: now,
  };
}

function sameFile(a: FilesTable, b: FilesTable): boolean {
  return (
    a.sha256 === b.sha256 && a.name === b.name && a.content_type === b.content_type && a.origin === b.origin
  );
}

async function byName(db: Transaction | FileParts['records']['read'], project: string, name: string) {
  return db
    .selectFrom('files')
    .selectAll()
    .where('project_id', '=', project)
    .where('name', '=', name)
    .executeTakeFirst();
}
