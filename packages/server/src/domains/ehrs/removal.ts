import type { Jobs } from '../../platform/jobs/jobs.ts';
import { type Remover, rowsOf, stopWork } from '../deletion/index.ts';

/** What of a removal is the part of the EHR systems: of a project its syncs with their pages, of an account the configurations. */
export const ehrRemovers = (jobs: Jobs): readonly Remover[] => [
  { ...rowsOf('project', 'ehr_syncs'), stop: stopWork(jobs, 'ehr_syncs') },
  rowsOf('project', 'ehr_sync_pages', { key: 'blob_key', blob: 'blob_key' }),
  rowsOf('account', 'ehrs'),
];
