import { type Remover, rowsOf } from '../deletion/index.ts';
import { retireSource } from '../lake/index.ts';

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

/** What of a project's removal is the cohorts' part. */
export const cohortRemovers: readonly Remover[] = [
  cohortsOfProject,
  rowsOf('project', 'cohort_parts'),
  rowsOf('account', 'cohorts'),
  rowsOf('account', 'cohort_parts'),
];
