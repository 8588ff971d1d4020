import type { Reader, Transaction } from '../../../platform/records/records.ts';
import type { CohortsTable } from '../../../platform/records/schema-cohorts.ts';
import { queriesOf } from './cohort.ts';

/** Removes the queries over removed projects from cohorts: these projects have no patients, and cannot be named. */
export async function withoutRemoved<C extends CohortsTable>(
  read: Reader | Transaction,
  cohorts: C[],
): Promise<C[]> {
  const named = new Set(cohorts.flatMap((cohort) => queriesOf(cohort).map(({ project }) => project)));
  if (named.size === 0) return cohorts;
  const found = await read
    .selectFrom('projects')
    .select('id')
    .where('id', 'in', [...named])
    .execute();
  if (found.length === named.size) return cohorts;
  const there = new Set(found.map(({ id }) => id));
  return cohorts.map((cohort) => ({
    ...cohort,
    queries: JSON.stringify(queriesOf(cohort).filter(({ project }) => there.has(project))),
  }));
}
