import type { Caller } from '../../access/caller.ts';
import type { AlsoNeeded, Located } from '../../api/route.ts';
import { storageUnavailable } from '../../base/problem.ts';
import { removeFreed } from '../../platform/blobs/remove-freed.ts';
import { prepared } from '../../platform/records/prepared.ts';
import type { FilesTable } from '../../platform/records/schema.ts';
import { actor } from '../audit/index.ts';
import { attributesOf, attributesToRead, type FileToRead, requireBytes } from './file.ts';
import type { FileDeps } from './file-deps.ts';
import { lockFile } from './lock-file.ts';
import { type ChangeBy, type FileChange, updateFile } from './update-file.ts';
import type { DirectUploads } from './uploads/direct-uploads.ts';

/** Finds, renames, moves and deletes files. Uploads are in uploads.ts, bytes in download.ts. */
export class Files {
  readonly #deps: FileDeps;
  readonly #directUploads: DirectUploads | undefined;
  readonly #byId: (id: string) => Promise<FilesTable[]>;

  /** `directUploads` is present when clients write to the blob store directly. */
  constructor(deps: FileDeps, directUploads?: DirectUploads) {
    this.#deps = deps;
    this.#directUploads = directUploads;
    this.#byId = prepared(deps.records.read, (read, id: string) =>
      read.selectFrom('files').selectAll().where('id', '=', id),
    );
  }

  /** Finds a file by its id, a UUID in either case. Problem 503: bytes may just have been sent, and the store does not answer. */
  async find(id: string): Promise<FilesTable | undefined> {
    const file = id.toLowerCase();
    const unnoticed = await this.#directUploads?.notice({ file });
    const [record] = await this.#byId(file);
    if (!record && unnoticed !== undefined) throw storageUnavailable(unnoticed);
    return record;
  }

  /** Finds a file of a project that has one of these names. */
  async named(project: string, names: readonly string[]): Promise<FilesTable | undefined> {
    const all = this.#deps.records.read.selectFrom('files').selectAll().where('project_id', '=', project);
    return all.where('name', 'in', names).orderBy('name').limit(1).executeTakeFirst();
  }

  /** Locates a file for routes that read it. */
  async locateToRead(id: string, caller: Caller | undefined): Promise<Located<FilesTable> | undefined> {
    const record = await this.find(id);
    return record && { record, ...(await this.#toRead(record, caller)) };
  }

  /** Reports whether a caller may read a file now, as `locateToRead` decides. */
  async mayRead(file: FileToRead, caller: Caller): Promise<boolean> {
    const { operation, attributes } = await this.neededToRead(file, caller);
    return caller.may(operation, attributes);
  }

  async neededToRead(file: FileToRead, caller: Caller): Promise<AlsoNeeded> {
    return { operation: 'files.read', ...(await this.#toRead(file, caller)) };
  }

  /**
   * Returns what an ingestion needs of a caller for its file. Results of queries hold rows, and chosen masks show values
   * of a file to others: both also need the right to read the file now.
   */
  async neededToIngest(file: FileToRead, caller: Caller, choosesMasks = false): Promise<AlsoNeeded[]> {
    const source: AlsoNeeded = { operation: 'ingestions.source', attributes: attributesOf(file) };
    if (file.origin !== 'query' && !choosesMasks) return [source];
    return [source, await this.neededToRead(file, caller)];
  }

  /**
   * Decides how a file is read. Users may read results of their own queries without rights on files, while their current rows
   * cover the result's.
   */
  async #toRead(
    file: FileToRead,
    caller: Caller | undefined,
  ): Promise<Pick<Located<FilesTable>, 'attributes' | 'operation'>> {
    if (!isOwnResult(file, caller)) return { attributes: attributesOf(file) };
    if (await this.#deps.listeners.coversResult(file.id, caller))
      return { attributes: attributesOf(file), operation: 'files.readOwnResult' };
    return { attributes: attributesToRead(file) };
  }

  /** Locates a file for its deletion. Users may delete results of their own queries: results count towards a quota. */
  async locateToDelete(id: string, caller: Caller): Promise<Located<FilesTable> | undefined> {
    const located = await this.locate(id);
    if (!located || !isOwnResult(located.record, caller)) return located;
    return { ...located, operation: 'files.deleteOwnResult' };
  }

  async locate(id: string): Promise<Located<FilesTable> | undefined> {
    const record = await this.find(id);
    return record && { attributes: attributesOf(record), record };
  }

  /** Renames a file, or moves it into another project of its account. */
  async update(file: FilesTable, change: FileChange, by: ChangeBy): Promise<FilesTable> {
    return updateFile(this.#deps, file, change, by);
  }

  /** Problem 412 if the conditions name other bytes, 409 if the file left the project that permissions were checked for. */
  async delete(file: FilesTable, keepRows: boolean, by: ChangeBy): Promise<void> {
    const { records, audit, blobs, listeners } = this.#deps;
    const blobKey = await records.transact(async (tx) => {
      // An ingestion that ends now either commits first, and its rows are deleted too, or finds no file.
      const present = await lockFile(tx, file);
      requireBytes(by.conditions, present, false);
      for (const refuse of keepRows ? [] : listeners.rowsChange)
        await refuse(tx, by.caller, present, present.project_id);
      await tx.deleteFrom('files').where('id', '=', file.id).execute();
      for (const listener of listeners.deleted) await listener(tx, file.id, keepRows);
      await audit.append(tx, {
        account: file.account_id,
        ...actor(by.caller, by.requestId),
        action: 'files.delete',
        resource: attributesOf(present),
        outcome: 'done',
        details: { size: present.size, keepRows },
      });
      return present.blob_key;
    });
    await removeFreed(blobs, [blobKey]);
  }
}

function isOwnResult(file: FileToRead, caller: Caller | undefined): caller is Caller {
  return file.origin === 'query' && file.owner_id === caller?.userId;
}
