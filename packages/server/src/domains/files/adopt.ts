import { nameKey } from '../../base/names.ts';
import { notFound } from '../../base/problem.ts';
import type { BlobInfo } from '../../platform/blobs/blobs.ts';
import { orDiscard, removeFreed } from '../../platform/blobs/remove-freed.ts';
import { isUniqueViolation } from '../../platform/records/errors.ts';
import type { Transaction } from '../../platform/records/records.ts';
import type { FilesTable, UploadsTable } from '../../platform/records/schema.ts';
import { attributesOf, idTaken, nameTaken, overtaken } from './file.ts';
import type { FileDeps } from './file-deps.ts';
import { lockProject } from './projects/index.ts';
import { requireAccountRoom } from './quotas.ts';
import { fileByName, findFile } from './store.ts';

/** Actor that completed an upload, for the audit log. */
interface Completer {
  userId: string | null;
  via: string;
  requestId?: string;
}

/** Completed upload that becomes its file. */
interface Completion {
  upload: UploadsTable;
  info: BlobInfo;
  by: Completer;
  /** Reports whether the actor may replace a file that was unknown when the upload began. */
  mayReplace?: (present: FilesTable) => boolean;
}

export interface Adopted {
  file: FilesTable;
  /** Blobs no longer referenced, to be removed after the commit. */
  freed: string[];
}

/** Turns the bytes of an upload into its file, in one transaction, for every kind of upload. */
export async function adopt(
  deps: FileDeps,
  tx: Transaction,
  { upload, info, by, mayReplace = () => false }: Completion,
): Promise<Adopted> {
  const { audit, listeners } = deps;
  await lockProject(tx, upload.project_id);
  const present = await findFile(tx, upload.file_id);
  if (present && present.project_id !== upload.project_id) throw notFound();
  const file = fileRow(upload, info, present);
  if (present && sameFile(present, file)) {
    if (upload.made_blob === null) {
      // Without a permission to replace, note the upload's own blob: else a blob of another upload would
      // count as its own.
      await noteMade(tx, upload, upload.replaces === 1 ? present.blob_key : info.key);
      if (isOurs(present, upload) || mayReplace(present))
        await ingest(deps, tx, { upload, file: present, by, mayReplace });
    }
    return { file: present, freed: [info.key] };
  }
  // Stale retry: the file has been replaced or deleted since.
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
  // Its parts, which are counted still, have become the file.
  await requireAccountRoom(tx, file.account_id, deps.accountBytesMax, -(upload.parts_size ?? 0));
  await noteMade(tx, upload, info.key);
  await ingest(deps, tx, { upload, file, by, mayReplace });
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

/** Records the blob that an upload made: sending the same bytes again then starts and reverts nothing. */
async function noteMade(tx: Transaction, { id }: UploadsTable, blobKey: string): Promise<void> {
  await tx.updateTable('uploads').set({ made_blob: blobKey }).where('id', '=', id).execute();
}

/** Starts the ingestion if the upload requested one. */
async function ingest(
  { listeners }: FileDeps,
  tx: Transaction,
  made: Pick<Completion, 'upload' | 'by' | 'mayReplace'> & { file: FilesTable },
): Promise<void> {
  const { upload, file, by, mayReplace } = made;
  if (!upload.ingest) return;
  const uploader = {
    userId: upload.owner_id,
    mayReplace: upload.overwrite === 1 || upload.replaces === 1 || mayReplace?.(file) === true,
    ...(by.requestId !== undefined && { requestId: by.requestId }),
  };
  for (const listener of listeners.ingest) await listener(tx, file, uploader);
}

/** Runs the transaction that adopts a new blob, and removes the blob if it fails. */
export async function takeOver<T>(
  { records, blobs }: FileDeps,
  blobKey: string,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const discard = () => removeFreed(blobs, [blobKey]);
  return orDiscard(discard, () => records.transact(work).catch(refuseTaken));
}

/** Maps the conflict of two files created under one name at once. */
function refuseTaken(error: unknown): never {
  throw isUniqueViolation(error, 'files') ? nameTaken() : error;
}

/**
 * Reports whether the upload may replace the file under its id: it was there from the start, or the upload
 * made it. Starting first grants no permission to replace.
 */
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
