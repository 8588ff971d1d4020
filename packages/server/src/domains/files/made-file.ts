import { newId } from '../../ids.ts';
import { nameKey } from '../../names.ts';
import type { BlobInfo } from '../../platform/blobs/blobs.ts';
import type { Transaction } from '../../platform/records/records.ts';
import type { FilesTable } from '../../platform/records/schema.ts';
import type { QueriesTable } from '../../platform/records/schema-lake.ts';
import { fileByName } from './store.ts';

/** A file that the service itself has made. */
export interface MadeFile {
  id?: string;
  account: string;
  project: string;
  name: string;
  contentType: string;
  origin: Exclude<FilesTable['origin'], 'upload'>;
  ownerId: string;
  blob: BlobInfo;
}

/** Makes a file of a blob; its name must be free. */
export async function addMadeFile(tx: Transaction, made: MadeFile): Promise<FilesTable> {
  const { blob } = made;
  const now = Date.now();
  const row: FilesTable = {
    id: made.id ?? newId(),
    account_id: made.account,
    project_id: made.project,
    name: made.name,
    name_key: nameKey(made.name),
    content_type: made.contentType,
    blob_key: blob.key,
    size: blob.size,
    sha256: blob.sha256,
    origin: made.origin,
    owner_id: made.ownerId,
    created_at: now,
    modified_at: now,
  };
  await tx.insertInto('files').values(row).execute();
  return row;
}

/** Makes the result of a query a file of its project; the file's id is the query's (docs/clarifications.md). */
export async function addResultFile(
  tx: Transaction,
  { query, name, blob }: { query: QueriesTable; name: string; blob: BlobInfo },
): Promise<void> {
  await addMadeFile(tx, {
    id: query.id,
    account: query.account_id,
    project: query.project_id,
    name,
    contentType: 'text/csv; charset=utf-8; header=present',
    origin: 'query',
    ownerId: query.user_id,
    blob,
  });
}

/** Whether a file of the project has exactly this name. */
export async function isNameTaken(tx: Transaction, project: string, name: string): Promise<boolean> {
  return (await fileByName(tx, project, name)) !== undefined;
}
