import { type Remover, rowsOf } from '../../deletion/index.ts';
import { retireSource } from '../../lake/index.ts';
import { removeCounts } from './counts.ts';
import { withoutRemoved } from './removed-queries.ts';

/** Removes the cohorts of a project, and their members in other projects. */
const cohortsOfProject: Remover = {
  of: 'project',
  table: 'cohorts',
  remove: async (tx, id, rowsMax) => {
    const cohorts = await tx
      .deleteFrom('cohorts')
      .where('id', 'in', (query) =>
        query.selectFrom('cohorts').select('id').where('project_id', '=', id).limit(rowsMax),
      )
      .returning('id')
      .execute();
    if (cohorts.length === 0) return { rows: 0, blobs: [] };
    const ids = cohorts.map((cohort) => cohort.id);
    await removeCounts(tx, ids);
    const parts = await tx.deleteFrom('cohort_parts').where('cohort_id', 'in', ids).returning('id').execute();
    for (const part of parts) await retireSource(tx, part.id, true);
    return { rows: cohorts.length, blobs: [] };
  },
};

/** Removes the queries of other cohorts over the project: they may name patients. */
const queriesOfProject: Remover = {
  of: 'project',
  table: 'cohort_parts',
  remove: async (tx, id, rowsMax) => {
    const parts = await tx
      .selectFrom('cohort_parts')
      .select(['id', 'cohort_id'])
      .where('project_id', '=', id)
      .limit(rowsMax)
      .execute();
    if (parts.length === 0) return { rows: 0, blobs: [] };
    // Locks the cohort before its parts, as changes do.
    const cohortIds = [...new Set(parts.map((part) => part.cohort_id))];
    const asking = await tx
      .updateTable('cohorts')
      .set((cohort) => ({ id: cohort.ref('id') }))
      .where('id', 'in', cohortIds)
      .returningAll()
      .execute();
    const ids = parts.map((part) => part.id);
    await tx.deleteFrom('cohort_parts').where('id', 'in', ids).execute();
    for (const { id: cohort, queries } of await withoutRemoved(tx, asking))
      await tx.updateTable('cohorts').set({ queries }).where('id', '=', cohort).execute();
    return { rows: parts.length, blobs: [] };
  },
};

/** Removes a project's share of cohorts. */
export const cohortRemovers: readonly Remover[] = [
  cohortsOfProject,
  queriesOfProject,
  rowsOf('project', 'cohort_counts'),
  rowsOf('account', 'cohorts'),
  rowsOf('account', 'cohort_parts'),
  rowsOf('account', 'cohort_counts'),
];
