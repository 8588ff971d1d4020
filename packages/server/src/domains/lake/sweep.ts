import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { Records } from '../../platform/records/records.ts';
import { removeRows, retiredBatchRows, retiredMs } from './retired.ts';

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
    .limit(retiredBatchRows)
    .execute();
  await removeRows(records, blobs, 'segments', rows);
  return rows.length;
}
