import { EngineError } from '@ploidy/engine';
import { Problem } from '../../base/problem.ts';
import type { Job } from './jobs.ts';

/** Message about work whose attempts have all failed: restart it, or contact the operator. `work`: "ingestion". */
export function givenUp(
  work: string,
  { id, attempts, lost }: Job,
  error: unknown,
): { code: string; message: string } {
  if (wasInterrupted(error)) {
    const times = error instanceof EngineError ? attempts : lost;
    const message = `The ${work} was interrupted ${times} times and was given up. Start it again.`;
    return { code: 'INTERRUPTED', message };
  }
  const message = `The ${work} failed ${attempts} times for a reason on our side. The operator finds it in the log, under the job ${id}.`;
  return { code: 'INTERNAL', message };
}

/** Errors of a lost process, or of the service: another try may succeed. */
function wasInterrupted(error: unknown): boolean {
  if (error instanceof EngineError) return error.code === 'WORKER_LOST';
  return error instanceof Problem && error.code === 'JOB_INTERRUPTED';
}
