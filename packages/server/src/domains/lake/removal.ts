import type { Jobs } from '../../platform/jobs/jobs.ts';
import { type Remover, rowsOf, stopWork } from '../deletion/index.ts';
import { stopCompaction } from './catalogue/compaction.ts';

/** Removes the lake of a project. */
export const lakeRemovers = (jobs: Jobs): readonly Remover[] => [
  rowsOf('project', 'segments', { blob: 'blob_key' }),
  rowsOf('project', 'lake_files'),
  rowsOf('project', 'annotated_segments', { blob: 'blob_key' }),
  { ...rowsOf('project', 'lake_copies', { blob: 'blob_key' }), stop: stopWork(jobs, 'lake_copies') },
  // Bounded by the number of tables: removed at once.
  rowsOf('project', 'lake_tables', { key: 'project_id' }),
  rowsOf('project', 'lakes', { key: 'project_id' }),
  { ...rowsOf('project', 'lake_merges', { key: 'project_id' }), stop: stopCompaction(jobs) },
  {
    ...rowsOf('project', 'trino_statements', { blob: 'blob_key' }),
    stop: stopWork(jobs, 'trino_statements'),
  },
  { ...rowsOf('project', 'queries'), stop: stopWork(jobs, 'queries') },
  rowsOf('project', 'saved_queries'),
  rowsOf('project', 'study_layouts'),
  rowsOf('project', 'lake_derivations', { key: 'project_id' }),
  rowsOf('project', 'exports'),
];
