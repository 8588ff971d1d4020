import { nameKey } from '../../names.ts';
import type { BlobInfo } from '../../platform/blobs/blobs.ts';
import { orDiscard, removeFreed } from '../../platform/blobs/remove-freed.ts';
import { isUniqueViolation } from '../../platform/records/errors.ts';
import type { Transaction } from '../../platform/records/records.ts';
import type { FilesTable, UploadsTable } from '../../platform/records/schema.ts';
import { notFound } from '../../problem.ts';
import { lockProject } from '../projects/index.ts';
import { attributesOf, idTaken, nameTaken, overtaken } from './file.ts';
import type { FileParts } from './files.ts';
import { fileByName, findFile } from './store.ts';

/** Who completed an upload, for the audit log. */
export interface Completer {
  userId: string | null;
  via: string;
  requestId?: string;
}

/** A completed upload that is to become its file. */
export interface Completion {
  upload: UploadsTable;
  info: BlobInfo;
  by: Completer;
  /** Whether he may replace a file of which nothing was known when the upload began. */
  mayReplace?: (present: FilesTable) => boolean;
}

export interface Adopted {
  file: FilesTable;
  /** Blobs that no row holds any more, to be removed after the commit. */
  freed: string[];
}

/** The step in which the bytes of an upload become its file, by the same rules however they came. */
export async function adopt(
  parts: FileParts,
  tx: Transaction,
  { upload, info, by, mayReplace = () => false }: Completion,
): Promise<Adopted> {
  const { audit, listeners } = parts;
  await lockProject(tx, upload.project_id);
  const present = await findFile(tx, upload.file_id);
  if (present && present.project_id !== upload.project_id) throw notFound();
  const file = fileRow(upload, info, present);
  if (present && sameFile(present, file)) {
    if (upload.made_blob === null) {
      // Not the blob of the file where he need not be allowed to replace: what others have sent would count as made by this upload.
      await noteMade(tx, upload, upload.replaces === 1 ? present.blob_key : info.key);
      if (isOurs(present, upload) || mayReplace(present))
        await ingest(parts, tx, { upload, file: present, mayReplace });
    }
    return { file: present, freed: [info.key] };
  }
  // Sent again after others have replaced or deleted what it made: it would undo that.
  if (upload.made_blob !== null && !present) throw notFound();
  if (upload.made_blob !== null && present?.blob_key !== upload.made_blob) throw overtaken();
  if (present && !isOurs(present, upload) && !mayReplace(present)) throw idTaken();
  const holder = await fileByName(tx, upload.project_id, upload.name);
  const freed = present ? [present.blob_key] : [];
  if (holder && holder.id !== file.id) {
    if (!upload.overwrite) throw nameTaken();
    await tx.deleteFrom('files').where('id', '=', holder.id).execute();
    for (const listener of listeners.deleted) await listener(tx, holder.id, false);
    freed.push(holder.blob_key);
  }
  if (present) {
    await tx.updateTable('files').set(file).where('id', '=', file.id).execute();
    for (const listener of listeners.overwritten) await listener(tx, file.id);
  } else await tx.insertInto('files').values(file).execute();
  await noteMade(tx, upload, info.key);
  await ingest(parts, tx, { upload, file, mayReplace });
  await audit.append(tx, {
    account: file.account_id,
    ...by,
    action: present ? 'files.overwrite' : 'files.upload',
    resource: attributesOf(file),
    outcome: 'done',
    details: { size: file.size, sha256: file.sha256 },
  });
  return { file, freed };
}

/** From now on the same bytes sent again begin nothing, and undo nothing that others do. */
async function noteMade(tx: Transaction, { id }: UploadsTable, blobKey: string): Promise<void> {
  await tx.updateTable('uploads').set({ made_blob: blobKey }).where('id', '=', id).execute();
}

/** Begins the ingestion, if one was asked for. */
async function ingest(
  { listeners }: FileParts,
  tx: Transaction,
  made: { upload: UploadsTable; file: FilesTable; mayReplace: (present: FilesTable) => boolean },
): Promise<void> {
  const { upload, file, mayReplace } = made;
  if (!upload.ingest) return;
  const uploader = {
    userId: upload.owner_id,
    mayReplace: upload.overwrite === 1 || upload.replaces === 1 || mayReplace(file),
  };
  for (const listener of listeners.ingest) await listener(tx, file, uploader);
}

/** Runs the transaction that takes over a new blob. */
export async function takeOver<T>(
  { records, blobs }: FileParts,
  blobKey: string,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const discard = () => removeFreed(blobs, [blobKey]);
  return orDiscard(discard, () => records.transact(work).catch(refuseTaken));
}

/** Two files that came at once under one name. */
function refuseTaken(error: unknown): never {
  throw isUniqueViolation(error, 'files') ? nameTaken() : error;
}

/** Whether the upload may replace a file under its id: it was there from the beginning, or the bytes are its own. Being early is no right. */
function isOurs(present: FilesTable, { overwrite, replaces, made_blob }: UploadsTable): boolean {
  return overwrite === 1 || replaces === 1 || present.blob_key === made_blob;
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
