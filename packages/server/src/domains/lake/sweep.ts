import { annotation } from '@ploidy/formats/tables';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { Reader, Records } from '../../platform/records/records.ts';
import { isRunning, type RetiredPage, removeRetired } from './retired.ts';

/** Removes retired segments that no running query can read any more. */
export async function sweepSegments(records: Records, blobs: Blobs, signal: AbortSignal): Promise<void> {
  const page = (of: RetiredPage) => retiredSegments(records.read, of).execute();
  await removeRetired({ records, blobs }, 'segments', page, signal);
}

/** Each half of what holds a segment is a question of its own: joined by OR they would be answered by reading the whole history of queries. */
function retiredSegments(read: Reader, { before, after, rowsMax }: RetiredPage) {
  return read
    .selectFrom('segments as s')
    .select(({ and, eb, exists, or, selectFrom }) => {
      const running = selectFrom('queries as q').select('q.id').where('q.state', '=', isRunning);
      const pinned = running
        .whereRef('q.project_id', '=', 's.project_id')
        .whereRef('q.lake_version', '>=', 's.added_version')
        .whereRef('q.lake_version', '<', 's.removed_version');
      // Those of the service are read by queries of all projects.
      const begun = running.whereRef('q.started_at', '<', 's.removed_at');
      return [
        's.id',
        eb.ref('s.removed_at').$castTo<number>().as('at'),
        or([exists(pinned), and([eb('s.table_name', '=', annotation.name), exists(begun)])]).as('held'),
      ];
    })
    .where('s.removed_at', '<', before)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('s.removed_at', 's.id'), '>', tuple(after.at, after.id)))
    .orderBy('s.removed_at')
    .orderBy('s.id')
    .limit(rowsMax);
}
