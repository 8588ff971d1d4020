import type { Transaction } from '../records/records.ts';
import type { JobState } from '../records/schema-platform.ts';

/** A durable piece of work. `payload` is JSON and holds ids, never health data. */
export interface Job {
  id: string;
  kind: string;
  state: JobState;
  payload: Record<string, string>;
  attempts: number;
  attemptsMax: number;
}

/** Context of a running job. */
export interface JobRun {
  job: Job;
  /** Aborted when the job is cancelled, its lease is lost, or the process stops. `signal.reason` is a `JobStop`. */
  signal: AbortSignal;
  /** Extra condition for compare-and-set: true inside `tx` while this run still holds the lease. */
  holdsLease(tx: Transaction): Promise<boolean>;
}

/** Reason for which a run must stop. */
export type JobStop = 'cancelled' | 'lease-lost' | 'shutdown';

/**
 * Outcome of a run. `done`: the handler has recorded its result. A handler that throws is retried until
 * `attemptsMax`, then `onExhausted` is called. On `shutdown` the lease is returned and the attempt not
 * counted.
 */
export interface JobHandler {
  kind: string;
  /** Maximum concurrent runs of this kind in this process. */
  concurrencyMax: number;
  run(run: JobRun): Promise<void>;
  /** Delay after the nth failed attempt, if the default of the queue (seconds to minutes) is too short. */
  retryDelayMs?(attempts: number): number;
  /** Called in the transaction that marks the job failed for good (attempts used up). */
  onExhausted(tx: Transaction, job: Job, error: unknown): Promise<void>;
}

export interface NewJob {
  kind: string;
  payload: Record<string, string>;
  /** At least 1. */
  attemptsMax: number;
  /** Jobs of one `queueKey` (for instance a project) run at most `queueMax` at once over all processes; absent = no limit. */
  queueKey?: string;
  queueMax?: number;
  /** Second dimension of fairness across the keys, such as a user. Keys take turns, and so do shares. */
  shareKey?: string;
  shareMax?: number;
  /** Epoch milliseconds before which it does not start. */
  notBefore?: number;
  /** Not added where one of its kind and key waits already, which sees whatever this transaction changes; that one's id is answered. */
  unlessWaiting?: true;
}

/** One line of `Jobs.stats`. */
export interface JobCount {
  kind: string;
  state: 'queued' | 'running';
  count: number;
}

/** The durable queue (design: lease, heartbeat, attempts, cancel; at-most-once visible effects by compare-and-set). */
export interface Jobs {
  /** Registers the handler of a kind. Before `start`. */
  handle(handler: JobHandler): void;
  /** Names a kind that processes of another role run. Jobs of kinds that no process names end as failed after a day. */
  leave(kind: string): void;
  /** Adds a job in the caller's transaction. It is claimed once that transaction has committed. */
  add(tx: Transaction, job: NewJob): Promise<string>;
  /** Marks a job cancelled in the caller's transaction and, after the commit, aborts its run in whatever process. */
  cancel(tx: Transaction, jobId: string): Promise<void>;
  /** Begins to claim jobs. */
  start(): Promise<void>;
  /** Counts waiting and running jobs by kind, for metrics. */
  stats(): Promise<JobCount[]>;
  /** Stops claiming, aborts runs with reason `shutdown`, hands leases back, waits for the handlers to end. */
  stop(): Promise<void>;
}
