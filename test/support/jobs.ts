import type {
  Job,
  JobHandler,
  JobRun,
  Jobs,
  JobsSettings,
  NewJob,
  PlaceLimits,
} from '../../packages/server/src/platform/jobs/index.ts';
import { jobClasses, nobody, openJobs, Places } from '../../packages/server/src/platform/jobs/index.ts';
import type { Records } from '../../packages/server/src/platform/records/index.ts';
import { silent } from './records.ts';

/** Returns a queue that looks often and tries again at once. */
export function quickJobs(records: Records, more: Partial<JobsSettings> = {}): Jobs<string> {
  return openJobs({
    records,
    log: silent,
    pollMs: 20,
    leaseMs: 5000,
    retryDelayMs: () => 0,
    soleProcess: false,
    places: placesOfWork(1),
    ...more,
  });
}

/** Job of the kind `work`. */
export const work = {
  ...{ kind: 'work', class: 'query', whose: nobody, payload: {}, attemptsMax: 1 },
} as const satisfies NewJob<string>;

/** Returns places of every class; runs never yield, unless `more` does. */
export function placesOfWork(max: number, more: Partial<PlaceLimits> = {}): JobsSettings['places'] {
  const never = Number.POSITIVE_INFINITY;
  const limits = { max, shortMax: 0, shortMs: never, yieldMs: never, ...more };
  return Object.fromEntries(jobClasses.map((name) => [name, new Places(limits)]));
}

/** Returns a handler of the kind `work` that notes what happens to it. */
export function noting(run: (run: JobRun) => Promise<void>): JobHandler<string> & { exhausted: Job[] } {
  const exhausted: Job[] = [];
  return {
    kind: 'work',
    run,
    exhausted,
    onExhausted: async (_tx, job) => {
      exhausted.push(job);
    },
  };
}

/** Rejects like a well-behaved handler at an abort. */
export function untilStopped(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Returns a job's row as tests look at it. */
export async function stateOf(records: Records, id: string): Promise<{ state: string; attempts: number }> {
  return records.read
    .selectFrom('jobs')
    .select(['state', 'attempts'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}
