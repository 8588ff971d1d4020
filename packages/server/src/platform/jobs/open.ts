import { randomBytes } from 'node:crypto';
import type { Jobs } from './jobs.ts';
import { JobRunner, type JobsSettings } from './runner.ts';

/** Opens the queue. Nothing runs before `start`. */
export function openJobs(settings: JobsSettings): Jobs<string> {
  const { owner = 'process', ...rest } = settings;
  return new JobRunner({
    leaseMs: 15_000,
    pollMs: 1000,
    retryDelayMs: growing,
    stopMaxMs: 10_000,
    ...rest,
    owner: `${owner}-${randomBytes(6).toString('hex')}`,
  });
}

function growing(attempts: number): number {
  return Math.min(300_000, 1000 * 4 ** (attempts - 1)) * (0.75 + Math.random() / 2);
}
