import type { Blobs } from '../../../platform/blobs/blobs.ts';
import { removeFreed } from '../../../platform/blobs/remove-freed.ts';
import { eachAlone, rowsOfPages } from '../../../platform/concurrency/each-alone.ts';
import type { Reader, Records } from '../../../platform/records/records.ts';
import type { LakeCopiesTable } from '../../../platform/records/schema-lake.ts';
import { hasLostRows, isWhole } from '../../lake/index.ts';
import { everyRow } from './audiences.ts';
import type { Grant } from './reading-grants.ts';

/** Time for which a copy is kept after its successor was made, for those who read it. */
const retiredMs = 10 * 60_000;
/** Time after the last opening for which a copy is kept; credentials of an opening end before. */
const unopenedMs = 24 * 3_600_000;

/** Copies that are looked at together. */
const pageMax = 500;

type Copy = Pick<LakeCopiesTable, 'project_id' | 'lake_version' | 'read_tables'>;

/**
 * Reports whether the bytes of a blob may be given to an audience of a project's tables: it has this copy, or sees the files
 * themselves. Every row in them is in the present lake. Rows that were removed or replaced end it at once, whatever was signed before.
 */
export async function isServed(
  read: Reader,
  { project, audience }: Pick<Grant, 'project' | 'audience'>,
  key: string,
): Promise<boolean> {
  const seesFiles = audience === everyRow;
  if (seesFiles && (await isWhole(read, project, key))) return true;
  const copy = await read
    .selectFrom('lake_copies')
    .select(['project_id', 'lake_version', 'read_tables', 'audience'])
    .where('blob_key', '=', key)
    .executeTakeFirst();
  if (copy) return copy.project_id === project && copy.audience === audience && !(await hasLost(read, copy));
  if (!seesFiles) return false;
  const filled = await read
    .selectFrom('annotated_segments')
    .select('segment_key')
    .where('blob_key', '=', key)
    .executeTakeFirst();
  return filled !== undefined && (await isWhole(read, project, filled.segment_key));
}

/** Removes unreadable copies, those with a successor, and unused ones. */
export async function sweepCopies(records: Records, blobs: Blobs, signal: AbortSignal): Promise<void> {
  const now = Date.now();
  const after = (last: { id: string } | undefined) =>
    records.read
      .selectFrom('lake_copies')
      .select(['id', 'project_id', 'lake_version', 'read_tables', 'retired_at', 'opened_at', 'state'])
      .where('id', '>', last?.id ?? '')
      .orderBy('id')
      .limit(pageMax)
      .execute();
  const sweepOne = async (copy: Awaited<ReturnType<typeof after>>[number]): Promise<void> => {
    const isDone = copy.opened_at < now - unopenedMs || (copy.retired_at ?? now) < now - retiredMs;
    if (!isDone && (copy.state !== 'succeeded' || !(await hasLost(records.read, copy)))) return;
    // Used again since it was looked at, it stays.
    const removal = records.transact((tx) =>
      tx
        .deleteFrom('lake_copies')
        .where('id', '=', copy.id)
        .where('lake_version', '=', copy.lake_version)
        .where('opened_at', '=', copy.opened_at)
        .where('retired_at', 'is not distinct from', copy.retired_at)
        .returning('blob_key')
        .execute(),
    );
    const freed = await removal;
    await removeFreed(
      blobs,
      freed.flatMap(({ blob_key }) => blob_key ?? []),
    );
  };
  await eachAlone(rowsOfPages(after, pageMax), sweepOne, {
    failed: 'a copy of a table could not be swept; it is tried again',
    about: ({ id }) => ({ copy: id }),
    signal,
  });
}

function hasLost(read: Reader, { project_id, lake_version, read_tables }: Copy): Promise<boolean> {
  const tables = JSON.parse(read_tables) as string[];
  return hasLostRows(read, project_id, { version: lake_version, tables });
}
