import { annotation } from '@ploidy/formats/tables';
import type { Blobs } from '../../../platform/blobs/blobs.ts';
import { doAll } from '../../../platform/concurrency/do-all.ts';
import type { Reader, Records } from '../../../platform/records/records.ts';
import { isRunning, type RetiredPage, removeRetired } from './retired.ts';

/** Removes retired segments, and states of files, that no running query can read any more. */
export async function sweepSegments(records: Records, blobs: Blobs, signal: AbortSignal): Promise<void> {
  const removeFrom = (table: 'segments' | 'lake_files'): Promise<void> => {
    const page = (of: RetiredPage) => retiredRows(records.read, table, of).execute();
    return removeRetired({ records, blobs }, table, page, signal);
  };
  await doAll([() => removeFrom('segments'), () => removeFrom('lake_files')]);
}

/**
 * Checks each condition that keeps a row with a separate query: joined by OR, the database would scan all
 * past queries.
 */
function retiredRows(
  read: Reader,
  table: 'segments' | 'lake_files',
  { before, after, rowsMax }: RetiredPage,
) {
  return (
    read
      // Both tables have these columns.
      .selectFrom(`${table as 'segments'} as s`)
      .select(({ and, eb, exists, or, selectFrom }) => {
        const asked = selectFrom('trino_statements as t').select('t.id').where('t.state', '=', isRunning);
        const pinnedByAsked = asked
          .whereRef('t.project_id', '=', 's.project_id')
          .whereRef('t.lake_version', '>=', 's.added_version')
          .whereRef('t.lake_version', '<', 's.removed_version');
        const askedBefore = asked.whereRef('t.created_at', '<', 's.removed_at');
        const running = selectFrom('queries as q').select('q.id').where('q.state', '=', isRunning);
        const pinned = running
          .whereRef('q.project_id', '=', 's.project_id')
          .whereRef('q.lake_version', '>=', 's.added_version')
          .whereRef('q.lake_version', '<', 's.removed_version');
        const copied = selectFrom('lake_copies as c')
          .select('c.id')
          .where('c.state', '=', isRunning)
          .whereRef('c.project_id', '=', 's.project_id')
          .whereRef('c.lake_version', '>=', 's.added_version')
          .whereRef('c.lake_version', '<', 's.removed_version');
        // Segments of the service are read by queries of all projects.
        const begun = running.whereRef('q.started_at', '<', 's.removed_at');
        return [
          's.id',
          eb.ref('s.removed_at').$castTo<number>().as('at'),
          or([
            exists(pinned),
            exists(pinnedByAsked),
            exists(copied),
            and([eb('s.table_name', '=', annotation.name), or([exists(begun), exists(askedBefore)])]),
          ]).as('held'),
        ];
      })
      .where('s.removed_at', '<', before)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('s.removed_at', 's.id'), '>', tuple(after.at, after.id)),
      )
      .orderBy('s.removed_at')
      .orderBy('s.id')
      .limit(rowsMax)
  );
}
