import { annotation } from '@ploidy/formats';
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
            .where('q.state', '=', 'running')
            .where(({ and, eb, or }) =>
              or([
                and([
                  eb('q.project_id', '=', eb.ref('s.project_id')),
                  eb('q.lake_version', '>=', eb.ref('s.added_version')),
                  eb('q.lake_version', '<', eb.ref('s.removed_version')),
                ]),
                // Those of the service are read by queries of all projects.
                and([
                  eb('s.table_name', '=', annotation.name),
                  eb('q.started_at', '<', eb.ref('s.removed_at')),
                ]),
              ]),
            ),
        ),
      ),
    )
    .limit(retiredBatchRows)
    .execute();
  await removeRows(records, blobs, 'segments', rows);
  return rows.length;
}
