import type { Jobs } from '../../platform/jobs/jobs.ts';
import { type Remover, rowsOf, stopWork } from '../deletion/index.ts';
import { unscheduled } from './ehrs.ts';

const endedSchedules: Remover = {
  of: 'project',
  table: 'ehrs',
  stop: async (tx, id, rowsMax) => {
    const some = tx.selectFrom('ehrs').select('id').where('schedule_project_id', '=', id).limit(rowsMax);
    const ended = await tx
      .updateTable('ehrs')
      .set(unscheduled)
      .where('schedule_project_id', '=', id)
      .where('id', 'in', some)
      .executeTakeFirst();
    return Number(ended.numUpdatedRows);
  },
  // Configurations belong to the account and stay.
  remove: async () => ({ rows: 0, blobs: [] }),
};

/**
 * Removes the syncs and pages of a project and the schedules that fill it, or the configurations of an
 * account.
 */
export const ehrRemovers = (jobs: Jobs): readonly Remover[] => [
  { ...rowsOf('project', 'ehr_syncs'), stop: stopWork(jobs, 'ehr_syncs') },
  rowsOf('project', 'ehr_sync_pages', { key: 'blob_key', blob: 'blob_key' }),
  endedSchedules,
  rowsOf('account', 'ehrs'),
];
