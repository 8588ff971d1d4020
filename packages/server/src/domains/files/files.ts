import type { Caller } from '../../access/caller.ts';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import { removeFreed } from '../../platform/blobs/remove-freed.ts';
import { prepared } from '../../platform/records/prepared.ts';
import type { Reader, Records, Transaction } from '../../platform/records/records.ts';
import type { FilesTable } from '../../platform/records/schema.ts';
import type { Located } from '../../route.ts';
import { type Audit, actor } from '../audit/index.ts';
import type { Arrivals } from './arrivals.ts';
import { attributesOf, requireBytes } from './file.ts';
import { lockFile } from './lock-file.ts';
import { type ChangeBy, type FileChange, updateFile } from './update-file.ts';

/** What other domains do when something happens to a file, in the same transaction. Handed in by app.ts. */
export interface FileListeners {
  /** A file is going away: retire what was made from it, unless its rows are to stay. */
  deleted: ((tx: Transaction, fileId: string, keepRows: boolean) => Promise<void>)[];
  /** A file has new bytes. */
  overwritten: ((tx: Transaction, fileId: string) => Promise<void>)[];
  /** An upload that asked for ingestion is complete. */
  ingest: ((
    tx: Transaction,
    file: FilesTable,
    by: { userId: string; mayReplace: boolean },
  ) => Promise<void>)[];
  /** Whether a file that is being made will have this id. */
  promised: ((tx: Transaction, fileId: string) => Promise<boolean>)[];
  /** A file is to be moved into another project: throws a Problem when that cannot be now. Asked before and within the move. */
  moving: ((read: Reader | Transaction, fileId: string) => Promise<void>)[];
  /** What moves along with a file: it is made ready outside of the move's transaction. */
  followers: ((fileId: string) => Promise<Follower>)[];
}

/** Something that moves along with a file. */
export interface Follower {
  /** In the move's transaction. False when it is no longer what was made ready; then all is made ready anew. */
  follow(tx: Transaction, project: string): Promise<boolean>;
  /** Takes back what was made ready, after a move that did not happen. */
  discard(): Promise<void>;
}

export interface FileParts {
  records: Records;
  blobs: Blobs;
  audit: Audit;
  listeners: FileListeners;
}

/** Files that are there: finding, renaming, moving and deleting. Uploads are in uploads.ts, bytes in download.ts. */
export class Files {
  readonly #parts: FileParts;
  readonly #arrivals: Arrivals | undefined;
  readonly #byId: (id: string) => Promise<FilesTable[]>;

  /** `arrivals`: when clients put bytes into the store themselves. */
  constructor(parts: FileParts, arrivals?: Arrivals) {
    this.#parts = parts;
    this.#arrivals = arrivals;
    this.#byId = prepared(parts.records.read, (read, id: string) =>
      read.selectFrom('files').selectAll().where('id', '=', id),
    );
  }

  /** Clients write UUIDs in either case. */
  async find(id: string): Promise<FilesTable | undefined> {
    const file = id.toLowerCase();
    await this.#arrivals?.notice({ file });
    return (await this.#byId(file))[0];
  }

  /** For routes that read: the user who ran a query may read its result whatever his other rights. */
  async locateToRead(id: string, caller: Caller | undefined): Promise<Located<FilesTable> | undefined> {
    const record = await this.find(id);
    if (!record) return undefined;
    const located = { attributes: attributesOf(record), record };
    const own = record.origin === 'query' && record.owner_id === caller?.userId;
    return own ? { ...located, operation: 'files.readOwnResult' } : located;
  }

  async locate(id: string): Promise<Located<FilesTable> | undefined> {
    const record = await this.find(id);
    return record && { attributes: attributesOf(record), record };
  }

  /** Renames a file, or moves it into another project of its account. */
  async update(file: FilesTable, change: FileChange, by: ChangeBy): Promise<FilesTable> {
    return updateFile(this.#parts, file, change, by);
  }

  /** Problem 412 when other bytes were meant, 409 when it has left the project where the caller's rights were asked. */
  async delete(file: FilesTable, keepRows: boolean, by: ChangeBy): Promise<void> {
    const { records, audit, blobs, listeners } = this.#parts;
    const blobKey = await records.transact(async (tx) => {
      // An ingestion that ends at this moment either comes first, and its rows go too, or finds no file.
      const present = await lockFile(tx, file);
      requireBytes(by.conditions, present, false);
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
