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
      .deleteFrom('cohort_parts')
      .where('id', 'in', (query) =>
        query.selectFrom('cohort_parts').select('id').where('project_id', '=', id).limit(rowsMax),
      )
      .returning('cohort_id')
      .execute();
    if (parts.length === 0) return { rows: 0, blobs: [] };
    const asking = await tx
      .updateTable('cohorts')
      .set((cohort) => ({ id: cohort.ref('id') }))
      .where(
        'id',
        'in',
        parts.map((part) => part.cohort_id),
      )
      .returningAll()
      .execute();
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
