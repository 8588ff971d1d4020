import { randomBytes } from 'node:crypto';
import type { PlatformLog } from '../records/log.ts';
import type { Records } from '../records/records.ts';
import type { Jobs } from './jobs.ts';
import { JobRunner } from './runner.ts';

export interface JobsSettings {
  records: Records;
  log: PlatformLog;
  /** How long a run is safe from being taken by another process without a sign of life. Default 15 s. */
  leaseMs?: number;
  /** How often waiting and abandoned jobs are looked for; new ones are told at once. Default 1 s. */
  pollMs?: number;
  /** Name of this process in the rows; a random part is added. */
  owner?: string;
  /**
   * No other process works on these records (the data folder is locked): at the start whatever is marked as running was cut
   * off, and is taken again at once.
   */
  soleProcess: boolean;
  /** How long a job waits after its nth attempt failed. Default 1 s, 4 s, 16 s … up to 5 minutes, ± a quarter. */
  retryDelayMs?: (attempts: number) => number;
  /** How long `stop` waits for handlers that do not heed their signal. Default 10 s. */
  stopMaxMs?: number;
}

/** Opens the queue. Nothing runs before `start`. */
export function openJobs(settings: JobsSettings): Jobs {
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
