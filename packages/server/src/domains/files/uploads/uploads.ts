import type { Readable } from 'node:stream';
import type { Caller } from '../../../access/caller.ts';
import { newId } from '../../../base/ids.ts';
import { notFound } from '../../../base/problem.ts';
import type { BlobInfo, PutOptions } from '../../../platform/blobs/blobs.ts';
import { expectArrival } from '../../../platform/blobs/intents.ts';
import { removeFreed } from '../../../platform/blobs/remove-freed.ts';
import { readSharedNow } from '../../../platform/records/clock.ts';
import type { Transaction } from '../../../platform/records/records.ts';
import type { FilesTable, UploadsTable } from '../../../platform/records/schema.ts';
import { actor } from '../../audit/index.ts';
import { type Adopted, adopt, takeOver } from '../adopt.ts';
import { nameTaken } from '../file.ts';
import type { FileDeps } from '../file-deps.ts';
import { lockProject, type ProjectRecord } from '../projects/index.ts';
import { requireAccountRoom } from '../quotas.ts';
import { endedAt, fileByName, findFile, noteArrival } from '../store.ts';
import { uploadKey } from './object-keys.ts';
import type { UploadRights } from './upload-rights.ts';

interface NewFile {
  id?: string;
  name: string;
  contentType?: string;
  overwrite?: boolean;
  contentMD5?: string;
  size?: number;
  ingest?: boolean;
}

/** Body of a PUT. */
export interface UploadBody {
  stream: Readable;
  md5: string | undefined;
  signal: AbortSignal;
  /** Id of the PUT request, for the audit log. */
  requestId?: string;
}

/** One PUT of all bytes, or parts that are joined at the end. */
type UploadKind = 'whole' | 'parts';

interface UploadLimits {
  /** Lifetime of an upload, in ms. */
  lifeMs: Record<UploadKind, number>;
  sizeMax: number;
  /** Time after expiry in which a transfer that the store still accepts may end, in ms. */
  lateMs: number;
}

/**
 * Uploads begun by POST /files or POST /uploads, until they expire. A file row appears or changes only in the
 * transaction after the last byte; until then all readers see the old bytes. Parts are in parted-uploads.ts.
 */
export class Uploads {
  readonly #deps: FileDeps;
  readonly #rights: UploadRights;
  readonly #limits: UploadLimits;

  constructor(deps: FileDeps, rights: UploadRights, limits: UploadLimits) {
    this.#deps = deps;
    this.#rights = rights;
    this.#limits = limits;
  }

  /** Finds the file that a new upload would replace. */
  async replaced(project: string, input: NewFile): Promise<FilesTable | undefined> {
    const { read } = this.#deps.records;
    if (input.id !== undefined) return findFile(read, input.id);
    if (!input.overwrite) return undefined;
    return fileByName(read, project, input.name);
  }

  /**
   * Registers an upload. Problem 409 if the name is taken without `overwrite`, 404 if the id belongs to
   * another resource. `replaced`: the file that the caller may replace.
   */
  async begin(
    project: ProjectRecord,
    input: NewFile,
    by: { caller: Caller; requestId: string; replaced: FilesTable | undefined },
    kind: UploadKind = 'whole',
  ): Promise<UploadsTable> {
    const { records, audit, accountBytesMax } = this.#deps;
    return records.transact(async (tx) => {
      await requireAccountRoom(tx, project.account, accountBytesMax, input.size);
      // A rename also renames the uploads to the file: a new one must not begin unseen at that moment.
      await lockProject(tx, project.id);
      const holder = await fileByName(tx, project.id, input.name);
      const overwrites = input.overwrite === true || (input.id !== undefined && holder?.id === input.id);
      if (holder && !overwrites) throw nameTaken();
      if (input.id !== undefined) await this.#requireFree(tx, project.id, input.id);
      const row = this.#rowOf(project, input, by.caller, kind);
      if (holder && input.id === undefined) row.file_id = holder.id;
      else if (row.overwrite && input.id === undefined) row.file_id = await pendingFileId(tx, row);
      row.replaces = by.replaced?.id === row.file_id ? 1 : 0;
      await tx.insertInto('uploads').values(row).execute();
      if (this.#deps.blobs.direct)
        await expectArrival(tx, uploadKey(row), row.expires_at + this.#limits.lateMs);
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

  /** Requires an id to be unused or that of a file of the project. */
  async #requireFree(tx: Transaction, project: string, id: string): Promise<void> {
    const present = await findFile(tx, id);
    if (present && present.project_id !== project) throw notFound();
    if (present) return;
    for (const isPromised of this.#deps.listeners.promised) if (await isPromised(tx, id)) throw notFound();
  }

  #rowOf(project: ProjectRecord, input: NewFile, caller: Caller, kind: UploadKind): UploadsTable {
    const now = Date.now();
    // The file does not exist yet: only a right to every file of the project permits to replace it.
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
      via: caller.via,
    };
  }

  /** Finds an upload in one piece. */
  async find(id: string): Promise<UploadsTable | undefined> {
    return this.#deps.records.read
      .selectFrom('uploads')
      .selectAll()
      .where('id', '=', id)
      .where('parts_size', 'is', null)
      .where('expires_at', '>', Date.now())
      .executeTakeFirst();
  }

  /** Stores the bytes durably, then shows them. Idempotent: the same bytes change nothing. */
  async receive(upload: UploadsTable, body: UploadBody): Promise<FilesTable> {
    const md5 = body.md5 ?? upload.content_md5;
    const promised = { ...this.promised(upload), ...(md5 !== null && { md5 }), signal: body.signal };
    // Checked before the bytes arrive and again after, possibly hours later.
    await this.#rights.require(upload, upload.via);
    const info = await this.#deps.blobs.put(body.stream, promised);
    return this.#keep(upload, info, (tx) => this.#adopt(tx, upload, info, body.requestId));
  }

  /** Constraints on the bytes of an upload. */
  promised(upload: UploadsTable): PutOptions {
    return {
      sizeMax: this.#limits.sizeMax,
      ...(upload.size !== null && { size: upload.size }),
      ...(upload.content_md5 !== null && { md5: upload.content_md5 }),
    };
  }

  /**
   * Adopts bytes that were written to the store under this tag. Problem 409 if the name was taken meanwhile,
   * 404 if the project is gone; the blob is then removed, also if another process adopted the same arrival.
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
      await this.#rights.require(upload, upload.via);
    } catch (error) {
      await removeFreed(this.#deps.blobs, [info.key]);
      throw error;
    }
    const { file, freed } = await takeOver(this.#deps, info.key, take);
    await removeFreed(this.#deps.blobs, freed);
    return file;
  }

  async #adopt(tx: Transaction, upload: UploadsTable, info: BlobInfo, requestId?: string): Promise<Adopted> {
    // The file and its upload may have been renamed or moved meanwhile.
    await lockProject(tx, upload.project_id);
    const current = await tx.selectFrom('uploads').selectAll().where('id', '=', upload.id).executeTakeFirst();
    if (!current || current.expires_at === endedAt) throw notFound();
    await this.#rights.hold(tx, upload.via);
    const by = { userId: upload.owner_id, via: 'signature', ...(requestId !== undefined && { requestId }) };
    return adopt(this.#deps, tx, { upload: current, info, by });
  }

  /** Uploads that expire after this time may still end. */
  openSince(now = Date.now()): number {
    return now - this.#limits.lateMs;
  }

  async anyOpen(): Promise<boolean> {
    const { read } = this.#deps.records;
    const open = read
      .selectFrom('uploads')
      .select('id')
      .where('parts_size', 'is', null)
      .where('expires_at', '>', this.openSince());
    return (await open.limit(1).executeTakeFirst()) !== undefined;
  }

  /** Removes expired uploads, by the clock of the store, and parts whose upload is gone. */
  async sweep(): Promise<void> {
    const { records, blobs } = this.#deps;
    const orphans = await records.transact(async (tx) => {
      const now = await readSharedNow(records.dialect, tx);
      await tx.deleteFrom('uploads').where('expires_at', '<=', this.openSince(now)).execute();
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

/** Reuses the id of a pending upload of the same name, so that the overwrite makes no second file. */
async function pendingFileId(tx: Transaction, { project_id, name, file_id }: UploadsTable): Promise<string> {
  const announced = await tx
    .selectFrom('uploads')
    .select('file_id')
    .where('project_id', '=', project_id)
    .where('name', '=', name)
    .where('completed_at', 'is', null)
    .where('made_blob', 'is', null)
    .where('expires_at', '>', Date.now())
    // An existing file was renamed or moved: else it would have been found by its name.
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
