import type { Jobs } from '../../platform/jobs/jobs.ts';
import { type Remover, rowsOf, stopWork } from '../deletion/index.ts';
import { stopCompaction } from './compaction.ts';

/** What of a project's removal is the lake's part. */
export const lakeRemovers = (jobs: Jobs): readonly Remover[] => [
  rowsOf('project', 'segments', { blob: 'blob_key' }),
  rowsOf('project', 'annotated_segments', { blob: 'blob_key' }),
  // No more than there are tables: all at once.
  rowsOf('project', 'lake_tables', { key: 'project_id' }),
  { ...rowsOf('project', 'lakes', { key: 'project_id' }), stop: stopCompaction(jobs) },
  { ...rowsOf('project', 'queries'), stop: stopWork(jobs, 'queries') },
];
