import { annotation } from '@ploidy/formats';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { Records } from '../../platform/records/records.ts';
import { removeRows, retiredBatchRows, retiredMs } from './retired.ts';

/** Removes retired segments that no running query can read any more. Answers how many. */
export async function sweepSegments(records: Records, blobs: Blobs, signal?: AbortSignal): Promise<number> {
  for (let removed = 0; ; ) {
    const rows = await retiredSegments(records);
    await removeRows(records, blobs, 'segments', rows);
    removed += rows.length;
    if (rows.length < retiredBatchRows || signal?.aborted) return removed;
  }
}

/** Two questions about queries: joined by OR, SQLite answers them by looking through the whole history for each segment. */
function retiredSegments(records: Records): Promise<{ id: string; blob_key: string }[]> {
  return records.read
    .selectFrom('segments as s')
    .select(['s.id', 's.blob_key'])
    .where('s.removed_at', '<', Date.now() - retiredMs)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('queries as q')
            .select('q.id')
            .where('q.state', '=', 'running')
            .whereRef('q.project_id', '=', 's.project_id')
            .whereRef('q.lake_version', '>=', 's.added_version')
            .whereRef('q.lake_version', '<', 's.removed_version'),
        ),
      ),
    )
    .where(({ and, eb, exists, not, selectFrom }) =>
      // Those of the service are read by queries of all projects.
      not(
        and([
          eb('s.table_name', '=', annotation.name),
          exists(
            selectFrom('queries as q')
              .select('q.id')
              .where('q.state', '=', 'running')
              .whereRef('q.started_at', '<', 's.removed_at'),
          ),
        ]),
      ),
    )
    .limit(retiredBatchRows)
    .execute();
}
