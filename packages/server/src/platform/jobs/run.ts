import { traced } from '../log/traced.ts';
import type { PlatformLog } from '../records/log.ts';
import type { Transaction } from '../records/records.ts';
import type { Job, JobEnd, JobFigures, JobHandler, JobRun, JobStop } from './jobs.ts';
import { failureCode, isReadable } from './rows.ts';

/** One run of one job in this process. */
export class Run {
  readonly job: Job;
  readonly lease: string;
  readonly handler: JobHandler<string>;
  /** Time by the monotonic clock. */
  readonly startedAt = performance.now();
  readonly figures: JobFigures = {};
  readonly #abort = new AbortController();
  readonly #holds: (tx: Transaction, lease: string) => Promise<boolean>;
  /** Time by the monotonic clock, from which another process may have the job. */
  #validUntil: number;

  constructor(
    job: Job,
    lease: string,
    handler: JobHandler<string>,
    validUntil: number,
    holds: (tx: Transaction, lease: string) => Promise<boolean>,
  ) {
    this.job = job;
    this.lease = lease;
    this.handler = handler;
    this.#validUntil = validUntil;
    this.#holds = holds;
  }

  get stopped(): JobStop | undefined {
    return this.#abort.signal.aborted ? (this.#abort.signal.reason as JobStop) : undefined;
  }

  stop(reason: JobStop): void {
    this.#abort.abort(reason);
  }

  prolong(validUntil: number): void {
    this.#validUntil = validUntil;
  }

  /** Stops the run when its lease has run out meanwhile, and answers whether: this process stalled, or could not reach the records. */
  stopIfExpired(): boolean {
    if (this.stopped !== undefined || performance.now() <= this.#validUntil) return false;
    this.stop('lease-lost');
    return true;
  }

  /** Runs the handler to its end, whatever that is. */
  async execute(): Promise<{ error: unknown } | undefined> {
    const run: JobRun = {
      job: this.job,
      signal: this.#abort.signal,
      holdsLease: (tx) => this.#holds(tx, this.lease),
      report: (figures) => void Object.assign(this.figures, figures),
    };
    try {
      if (!isReadable(this.job)) throw new Error('The payload of the job cannot be read.');
      const { id, kind, payload } = this.job;
      const about = { 'ploidy.job.id': id, 'ploidy.job.attempt': this.job.attempts };
      await traced(kind, about, () => this.handler.run(run), payload['traceparent']);
      return undefined;
    } catch (error) {
      return { error };
    }
  }
}

/** Ends of jobs in this process: a line of the log for each, and listeners that count them. */
export class JobEnds {
  readonly #log: PlatformLog;
  readonly #listeners: ((end: JobEnd) => void)[] = [];

  constructor(log: PlatformLog) {
    this.#log = log;
  }

  listen(listener: (end: JobEnd) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Logs the end of a run, and passes it on. `failure`: error that the handler has thrown; a handler that recorded a failure
   * itself has reported its code.
   */
  announce(run: Run, outcome: JobEnd['outcome'], failure: { error: unknown } | undefined): void {
    const { job, figures } = run;
    const durationMs = Math.round(performance.now() - run.startedAt);
    const isFailure = outcome === 'failed' || outcome === 'retried';
    const thrown = failure && isFailure ? failureCode(failure.error) : undefined;
    const { failed: reason = thrown, ...counts } = figures;
    const { account, project, user: userId } = job.whose;
    const about = { jobId: job.id, kind: job.kind, account, project, userId, attempts: job.attempts };
    this.#pass({ job, outcome, durationMs, figures, reason }, { ...about, ...counts });
  }

  /** Logs and passes on that a job is given up without a run: its processes were lost, or it cannot be run. */
  announceGivenUp({ id, kind }: JobEnd['job'], error: unknown): void {
    const end = {
      outcome: 'failed',
      durationMs: undefined,
      figures: {},
      reason: failureCode(error),
    } as const;
    this.#pass({ job: { id, kind }, ...end }, { jobId: id, kind });
  }

  #pass(end: JobEnd, about: object): void {
    const { outcome, durationMs, reason } = end;
    this.#log.info({ ...about, outcome, durationMs, reason }, 'a job ended');
    for (const listener of this.#listeners) listener(end);
  }
}
