import type { Caller } from '../../../access/caller.ts';
import type { PageRequest } from '../../../api/paging.ts';
import { newId, timestamp } from '../../../base/ids.ts';
import type { Reader, Transaction } from '../../../platform/records/records.ts';
import type { CohortCountsTable, CohortPartsTable } from '../../../platform/records/schema-cohorts.ts';
import { type CohortRecord, seenBy } from './cohort.ts';

/** Count of a cohort as the API shows it. */
interface CountView {
  project: string;
  count: number;
  countedTime: string;
}

/** Counts of one cohort in one project that are kept: the newest. */
export const countsMax = 1000;

/** Keeps a count in the history of its cohort. */
export async function keepCount(
  tx: Transaction,
  part: Pick<CohortPartsTable, 'cohort_id' | 'project_id' | 'account_id' | 'member_count' | 'counted_at'>,
): Promise<void> {
  const { cohort_id, project_id, account_id, member_count, counted_at } = part;
  const row: CohortCountsTable = { id: newId(), cohort_id, project_id, account_id, member_count, counted_at };
  await tx.insertInto('cohort_counts').values(row).execute();
  const oldest = await tx
    .selectFrom('cohort_counts')
    .select('id')
    .where('cohort_id', '=', cohort_id)
    .where('project_id', '=', project_id)
    // Ids of one millisecond have no order.
    .orderBy('counted_at', 'desc')
    .orderBy('id', 'desc')
    .offset(countsMax)
    .limit(1)
    .executeTakeFirst();
  if (oldest) await tx.deleteFrom('cohort_counts').where('id', '=', oldest.id).execute();
}

/** Removes the history of cohorts that are deleted. */
export async function removeCounts(tx: Transaction, cohortIds: string[]): Promise<void> {
  await tx.deleteFrom('cohort_counts').where('cohort_id', 'in', cohortIds).execute();
}

/** Lists the counts of a cohort in the projects whose tables the caller may read, newest first, plus one row. */
export async function listCounts(
  read: Reader,
  caller: Caller,
  cohort: CohortRecord,
  page: PageRequest,
): Promise<CohortCountsTable[]> {
  const counted = await read
    .selectFrom('cohort_counts as c')
    .innerJoin('projects as p', 'p.id', 'c.project_id')
    .select('c.project_id')
    .distinct()
    .where('c.cohort_id', '=', cohort.id)
    .execute();
  const seen = counted.map(({ project_id }) => project_id).filter(seenBy(caller, cohort));
  if (seen.length === 0) return [];
  let query = read
    .selectFrom('cohort_counts')
    .selectAll()
    .where('cohort_id', '=', cohort.id)
    .where('project_id', 'in', seen)
    .orderBy('id', 'desc')
    .limit(page.size + 1);
  if (page.after) query = query.where('id', '<', String(page.after[0]));
  return query.execute();
}

/** Shows a count. */
export function viewOfCount({ project_id, member_count, counted_at }: CohortCountsTable): CountView {
  return { project: project_id, count: member_count, countedTime: timestamp(counted_at) };
}
