import type { Jobs } from '../../platform/jobs/jobs.ts';
import { type Remover, rowsOf, stopWork } from '../deletion/index.ts';

/** What of a project's removal is the ingestions' part. */
export const ingestionRemovers = (jobs: Jobs): readonly Remover[] => [
  { ...rowsOf('project', 'ingestions'), stop: stopWork(jobs, 'ingestions') },
];
