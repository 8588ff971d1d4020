import type { Transaction } from '../records/records.ts';
import type { JobState } from '../records/schema-platform.ts';
import type { JobClass, Whose } from './admission.ts';
import type { JobKind } from './kinds.ts';

/** A durable piece of work. `payload` is JSON and holds ids, never health data. */
export interface Job {
  id: string;
  kind: string;
  state: JobState;
  payload: Record<string, string>;
  attempts: number;
  attemptsMax: number;
  /** Runs whose process ended, which are no attempts. */
  lost: number;
  /** Owner of the work. */
  whose: Whose;
}

/** Figures of a run, for the log and the metrics. `failed`: code of a failure that the handler has recorded itself. */
export interface JobFigures {
  rows?: number;
  bytes?: number;
  failed?: string;
}

/** End of a run in this process, or of a job that is given up without a run. */
export interface JobEnd {
  job: Pick<Job, 'id' | 'kind'>;
  /** `retried`: it failed and is tried again. `lost`: another process has it. */
  outcome: 'succeeded' | 'failed' | 'retried' | 'cancelled' | 'lost' | 'handed-back' | 'set-aside';
  /** `undefined`: the job did not run in this process. */
  durationMs: number | undefined;
  figures: JobFigures;
  /** Code of a failure. */
  reason: string | undefined;
}

/** Context of a running job. */
export interface JobRun {
  job: Job;
  /** Aborted when the job is cancelled, its lease is lost, or the process stops. `signal.reason` is a `JobStop`. */
  signal: AbortSignal;
  /** Extra condition for compare-and-set: true inside `tx` while this run still holds the lease. */
  holdsLease(tx: Transaction): Promise<boolean>;
  /** Notes figures of the run; may be repeated. */
  report(figures: JobFigures): void;
}

/** Reason for which a run must stop. */
export type JobStop = 'cancelled' | 'lease-lost' | 'shutdown' | 'set-aside';

/**
 * Outcome of a run. `done`: the handler has recorded its result. A handler that throws is retried until
 * `attemptsMax`, then `onExhausted` is called. On `shutdown` and `set-aside` the lease is returned and the
 * attempt not counted. A run that ends with its process is not counted either, up to `lostMax`.
 */
export interface JobHandler<Kind extends string = JobKind> {
  kind: Kind;
  run(run: JobRun): Promise<void>;
  /** Delay after the nth failed attempt, if the default of the queue (seconds to minutes) is too short. */
  retryDelayMs?(attempts: number): number;
  /** Called in the transaction that marks the job failed for good (attempts used up). */
  onExhausted(tx: Transaction, job: Job, error: unknown): Promise<void>;
}

export interface NewJob<Kind extends string = JobKind> {
  kind: Kind;
  /** Kinds of one class share its places. */
  class: JobClass;
  /** Owner of the work: accounts, projects and users get places in a fair order. */
  whose: Whose;
  /** Size of what it reads: large input is long work, which leaves some places of its class to short work. */
  inputBytes?: number;
  payload: Record<string, string>;
  /** Minimum 1. */
  attemptsMax: number;
  /** Jobs of one key run one at a time, over all processes. */
  exclusiveKey?: string;
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
  /** Epoch milliseconds since which the oldest one is due; of waiting jobs that are due. */
  dueSince?: number | null;
}

/** Wait of a job. */
export interface Waiting {
  /** Position from 1, in the order in which the jobs of its class would start. */
  position: number;
  /** Epoch milliseconds. */
  since: number;
}

/** The durable queue (design: lease, heartbeat, attempts, cancel; at-most-once visible effects by compare-and-set). */
export interface Jobs<Kind extends string = JobKind> {
  /** Registers the handler of a kind. Before `start`. */
  handle(handler: JobHandler<Kind>): void;
  /** Names a kind that processes of another role run. Jobs of kinds that no process names end as failed after a day. */
  leave(kind: Kind): void;
  /** Adds a job in the caller's transaction. It is claimed once that transaction has committed. */
  add(tx: Transaction, job: NewJob<Kind>): Promise<string>;
  /** Marks a job cancelled in the caller's transaction and, after the commit, aborts its run in whatever process. */
  cancel(tx: Transaction, jobId: string): Promise<void>;
  /** Calls a listener at the end of each run in this process. */
  onEnd(listener: (end: JobEnd) => void): void;
  /** Begins to claim jobs. */
  start(): Promise<void>;
  /** Returns the waits of those jobs that wait. */
  waiting(jobIds: readonly string[]): Promise<ReadonlyMap<string, Waiting>>;
  /** Counts waiting and running jobs by kind, for metrics. */
  stats(): Promise<JobCount[]>;
  /** Stops claiming, aborts runs with reason `shutdown`, hands leases back, waits for the handlers to end. */
  stop(): Promise<void>;
}
