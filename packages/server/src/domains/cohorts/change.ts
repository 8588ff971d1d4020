import { nameKey } from '../../names.ts';
import type { Reader, Transaction } from '../../platform/records/records.ts';
import type { CohortsTable } from '../../platform/records/schema-cohorts.ts';
import { conflict, invalidInput, notFound, Problem } from '../../problem.ts';
import { type CohortInput, type CohortRecord, queriesMax, queriesOf, type Sees } from './cohort.ts';
import { withoutRemoved } from './removed-queries.ts';

/**
 * The cohort as a change makes it. What its writer does not see of it stays: he was not shown it, so that he cannot have meant
 * to take it away.
 */
export async function changedRow(
  read: Reader | Transaction,
  { parts: _, ...row }: CohortsTable & Partial<CohortRecord>,
  { name, description, queries, subjectIds }: Partial<CohortInput>,
  sees: Sees,
): Promise<CohortsTable> {
  const [changed] = await withoutRemoved(read, [
    {
      ...row,
      ...(name !== undefined && { name, name_key: nameKey(name) }),
      ...(description !== undefined && { description }),
      ...(queries !== undefined && {
        queries: JSON.stringify([...queries, ...queriesOf(row).filter(({ project }) => !sees(project))]),
      }),
      ...(subjectIds !== undefined && sees(row.project_id) && { subject_ids: JSON.stringify(subjectIds) }),
    },
  ]);
  const present = changed as CohortsTable;
  if (queries !== undefined && queriesOf(present).length > queriesMax) {
    const message = `must be at most ${queriesMax} with those of projects that you may not read`;
    throw invalidInput([{ path: 'body/queries', message }]);
  }
  return present;
}

/** The cohort as it is now, which nobody else changes until the transaction ends. */
export async function lock(tx: Transaction, id: string): Promise<CohortsTable> {
  const query = tx.updateTable('cohorts').set({ id }).where('id', '=', id).returningAll();
  const row = await query.executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/** Others may have changed what the members of a cohort come from while they were found. */
export function requireSame(now: CohortsTable, then: CohortsTable): void {
  if (now.queries === then.queries && now.subject_ids === then.subject_ids) return;
  throw conflict(
    'COHORT_CHANGED',
    'Others are changing this cohort. Read it, and change it again if need be.',
  );
}

export function isChanged(error: unknown): boolean {
  return error instanceof Problem && error.code === 'COHORT_CHANGED';
}
