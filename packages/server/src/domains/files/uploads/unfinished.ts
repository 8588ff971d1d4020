import { sql } from 'kysely';
import type { Caller } from '../../../access/caller.ts';
import type { PageRequest } from '../../../api/paging.ts';
import { notFound } from '../../../base/problem.ts';
import { removeFreed } from '../../../platform/blobs/remove-freed.ts';
import type { Reader } from '../../../platform/records/records.ts';
import type { UploadsTable } from '../../../platform/records/schema.ts';
import { actor } from '../../audit/index.ts';
import type { FileDeps } from '../file-deps.ts';
import { lockProject } from '../projects/index.ts';
import { endedAt } from '../store.ts';
import { discardJoined } from './arrived-parts.ts';

/** Upload in parts that is not complete, with the number of its parts that have arrived. */
export interface UnfinishedUpload extends UploadsTable {
  parts: number;
}

/** Lists the open uploads in parts of a user in a project, oldest first, one more than the page. */
export async function unfinishedUploads(
  read: Reader,
  project: string,
  userId: string,
  { size, after }: PageRequest,
): Promise<UnfinishedUpload[]> {
  const rows = await read
    .selectFrom('uploads')
    .selectAll()
    .select((row) =>
      row
        .selectFrom('upload_parts')
        .select(sql<number>`count(*)`.as('parts'))
        .whereRef('upload_parts.upload_id', '=', 'uploads.id')
        .as('parts'),
    )
    .where('project_id', '=', project)
    .where('owner_id', '=', userId)
    .where('expires_at', '>', Date.now())
    .where('parts_size', 'is not', null)
    .where('completed_at', 'is', null)
    .$if(after !== undefined, (query) => query.where('id', '>', String(after?.[0])))
    .orderBy('id')
    .limit(size + 1)
    .execute();
  return rows.map((row) => ({ ...row, parts: Number(row.parts) }));
}

/** Ends an upload and removes its parts. Problem 404 if it was completed or ended meanwhile. */
export async function abortUpload(
  { records, audit, blobs }: FileDeps,
  upload: UploadsTable,
  by: { caller: Caller; requestId: string },
): Promise<void> {
  const parts = await records.transact(async (tx) => {
    await lockProject(tx, upload.project_id);
    // The row stays until bytes that are on their way cannot arrive any more.
    const ended = await tx
      .updateTable('uploads')
      .set({ expires_at: endedAt, parts_size: 0 })
      .where('id', '=', upload.id)
      .where('completed_at', 'is', null)
      .where('expires_at', '>', Date.now())
      .executeTakeFirst();
    if (ended.numUpdatedRows === 0n) throw notFound();
    const removed = await tx
      .deleteFrom('upload_parts')
      .where('upload_id', '=', upload.id)
      .returning('blob_key')
      .execute();
    await audit.append(tx, {
      account: upload.account_id,
      ...actor(by.caller, by.requestId),
      action: 'uploads.abort',
      resource: { type: 'file', id: upload.file_id, dataset: upload.project_id },
      outcome: 'done',
    });
    return removed;
  });
  await removeFreed(
    blobs,
    parts.map(({ blob_key }) => blob_key),
  );
  await discardJoined(blobs.direct, upload);
}
