import type { Blobs } from '../../platform/blobs/blobs.ts';
import { removeFreed } from '../../platform/blobs/remove-freed.ts';
import type { Records } from '../../platform/records/records.ts';

/** Retired segments stay this long at the least, for queries that were just being started. */
const retiredMs = 10 * 60_000;
const batchRows = 500;

/** Removes retired segments that no running query can read any more. */
export async function sweepSegments(records: Records, blobs: Blobs): Promise<number> {
  const rows = await records.read
    .selectFrom('segments as s')
    .select(['s.id', 's.blob_key'])
    .where('s.removed_at', '<', Date.now() - retiredMs)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('queries as q')
            .select('q.id')
            .whereRef('q.project_id', '=', 's.project_id')
            .whereRef('q.lake_version', '>=', 's.added_version')
            .whereRef('q.lake_version', '<', 's.removed_version')
            .where('q.state', '=', 'running'),
        ),
      ),
    )
    .limit(batchRows)
    .execute();
  for (const { id, blob_key } of rows) {
    // The row goes first: a blob without a row is swept, a row without a blob would fail queries.
    const isFree = await records.transact(async (tx) => {
      await tx.deleteFrom('segments').where('id', '=', id).execute();
      const other = tx.selectFrom('segments').select('id').where('blob_key', '=', blob_key);
      return (await other.executeTakeFirst()) === undefined;
    });
    if (isFree) await removeFreed(blobs, [blob_key]);
  }
  return rows.length;
}
