import type { Caller } from '../../access/caller.ts';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { Reader, Records, Transaction } from '../../platform/records/records.ts';
import type { FilesTable } from '../../platform/records/schema.ts';
import type { Audit } from '../audit/index.ts';

/** Callbacks by which other domains take part in the transaction that changes a file. Registered by the app. */
export interface FileListeners {
  /** A file is being deleted: retires what was made from it, unless its rows are kept. */
  deleted: ((tx: Transaction, fileId: string, keepRows: boolean) => Promise<void>)[];
  /** A file has new bytes. */
  overwritten: ((tx: Transaction, fileId: string) => Promise<void>)[];
  /** An upload that requested ingestion is complete. */
  ingest: ((
    tx: Transaction,
    file: FilesTable,
    by: { userId: string; mayReplace: boolean },
  ) => Promise<void>)[];
  /** Reports whether this id is reserved for a file that is still being generated. */
  promised: ((tx: Transaction, fileId: string) => Promise<boolean>)[];
  /** Reports whether the current rows of a caller cover those of a query with the file as its result. */
  coversResult: (fileId: string, caller: Caller) => Promise<boolean>;
  /** Returns ids of the results in an account that `coversResult` refuses to the caller who ran their queries. */
  uncoveredResults: (account: string, caller: Caller) => Promise<readonly string[]>;
  /** Throws a Problem if the file cannot move to another project now. Called before and within the move. */
  moving: ((read: Reader | Transaction, fileId: string) => Promise<void>)[];
  /**
   * Throws a Problem if the caller may not change the rows that a file adds to or removes from projects. Called in the
   * transaction for each project.
   */
  rowsChange: ((tx: Transaction, caller: Caller, file: FilesTable, project: string) => Promise<void>)[];
  /** Prepares the data that moves with a file, outside the move's transaction. */
  followers: ((fileId: string, project: string) => Promise<Follower>)[];
}

/** Data that moves with a file. */
export interface Follower {
  /** Moves the data in the file's transaction. False if it changed since it was prepared; the caller prepares it again. */
  follow(tx: Transaction, project: string): Promise<boolean>;
  /** Discards what was prepared, after a move that failed. */
  discard(): Promise<void>;
}

export interface FileDeps {
  records: Records;
  blobs: Blobs;
  audit: Audit;
  listeners: FileListeners;
  /** Size of all files of an account; undefined for no limit. */
  accountBytesMax?: number | undefined;
}
