import { nameKey } from '../../../base/names.ts';
import { conflict, invalidInput, notFound, Problem } from '../../../base/problem.ts';
import type { Reader, Transaction } from '../../../platform/records/records.ts';
import type { CohortsTable } from '../../../platform/records/schema-cohorts.ts';
import { type CohortInput, type CohortRecord, queriesMax, queriesOf, type Sees } from './cohort.ts';
import { withoutRemoved } from './removed-queries.ts';

/**
 * Applies a change to a cohort. Parts that the caller cannot see stay: the caller cannot have meant to delete
 * them.
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

/** Locks a cohort until the transaction ends, and returns its present state. */
export async function lock(tx: Transaction, id: string): Promise<CohortsTable> {
  const query = tx.updateTable('cohorts').set({ id }).where('id', '=', id).returningAll();
  const row = await query.executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/** Problem 409 if the queries or patients changed while members were searched. */
export function requireSame(now: CohortsTable, then: CohortsTable): void {
  if (now.queries === then.queries && now.subject_ids === then.subject_ids) return;
  throw conflict(
    'COHORT_CHANGED',
    'The cohort was changed meanwhile. Read it, and change it again if needed.',
  );
}

export function isChanged(error: unknown): boolean {
  return error instanceof Problem && error.code === 'COHORT_CHANGED';
}
