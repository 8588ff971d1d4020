import { type Remover, rowsOf } from '../deletion/index.ts';
import { retireSource } from '../lake/index.ts';
import { withoutRemoved } from './removed-queries.ts';

/** The cohorts of a project go with it, and with them their members in other projects. */
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
    const parts = await tx
      .deleteFrom('cohort_parts')
      .where(
        'cohort_id',
        'in',
        cohorts.map((cohort) => cohort.id),
      )
      .returning('id')
      .execute();
    for (const part of parts) await retireSource(tx, part.id, true);
    return { rows: cohorts.length, blobs: [] };
  },
};

/** What other cohorts ask of the project goes as well: it may name patients. */
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
    // The cohort before its parts, as whoever changes it does.
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

/** What of a project's removal is the cohorts' part. */
export const cohortRemovers: readonly Remover[] = [
  cohortsOfProject,
  queriesOfProject,
  rowsOf('account', 'cohorts'),
  rowsOf('account', 'cohort_parts'),
];
