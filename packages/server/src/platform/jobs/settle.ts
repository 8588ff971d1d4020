import { isStorageFull, isStorageUnavailable, Problem } from '../../base/problem.ts';
import { eachAlone } from '../concurrency/each-alone.ts';
import { isUnavailable } from '../records/errors.ts';
import type { PlatformLog } from '../records/log.ts';
import type { Records } from '../records/records.ts';
import type { Job, JobEnd, JobHandler, JobStop } from './jobs.ts';
import type { JobRow } from './rows.ts';
import { failureCode, isReadable, jobOf, lostMax } from './rows.ts';
import type { JobEnds, Run } from './run.ts';
import type { JobStore } from './store.ts';

/** Between attempts while the store is full: each may write much before it finds that out. */
const fullWaitMs = 60_000;

/** Outcome of a run that was stopped. */
const outcomes = {
  ...{ cancelled: 'cancelled', 'lease-lost': 'lost' },
  ...{ shutdown: 'handed-back', 'set-aside': 'set-aside' },
} as const satisfies Record<JobStop, JobEnd['outcome']>;

interface SettlerSettings {
  records: Records;
  store: JobStore;
  log: PlatformLog;
  ends: JobEnds;
  /** Delay after the nth failed attempt. */
  retryDelayMs(attempts: number): number;
}

/** Writes down how a run ended, if it still may. */
export class Settler {
  readonly #settings: SettlerSettings;

  constructor(settings: SettlerSettings) {
    this.#settings = settings;
  }

  /** After a handler has returned (`failure` undefined) or thrown. */
  async settle(run: Run, failure: { error: unknown } | undefined): Promise<JobEnd['outcome']> {
    const { records, store, log } = this.#settings;
    if (run.stopped === 'shutdown') await this.handBack(run);
    if (run.stopped !== undefined) return outcomes[run.stopped];
    if (failure === undefined) {
      const ended = await records.transact((tx) => store.end(tx, run.lease, 'succeeded', null));
      return !ended ? 'lost' : run.figures.failed === undefined ? 'succeeded' : 'failed';
    }
    const { job, handler, lease } = run;
    log.warn({ err: failure.error, jobId: job.id, kind: job.kind, attempts: job.attempts }, 'a job failed');
    const delayMs = (handler.retryDelayMs ?? this.#settings.retryDelayMs)(job.attempts);
    return this.#fail(handler, job, lease, failure.error, delayMs);
  }

  /** Gives the job back as if it had not been taken: for a process that stops. */
  async handBack({ job, lease }: Run): Promise<void> {
    const { records, store } = this.#settings;
    const attempts = job.attempts - 1;
    await records.transact((tx) => store.requeue(tx, { kind: job.kind, lease }, { attempts }));
  }

  /**
   * Handles a job whose lease ran out: it goes back as if it had not been taken, up to `lostMax` times. `isCounted` false:
   * the records were away, so it may not have ended its process.
   */
  async recover(handler: JobHandler<string>, row: JobRow, isCounted: boolean): Promise<void> {
    const { records, store, log, ends, retryDelayMs } = this.#settings;
    const { id: jobId, kind, attempts } = row;
    const lost = jobOf(row).lost + Number(isCounted);
    if (lost >= lostMax) {
      const text = 'The work was interrupted too often: start it again.';
      const error = new Problem(500, 'JOB_INTERRUPTED', text);
      const outcome = await this.#fail(handler, { ...jobOf(row), lost }, row.lease ?? '', error, 0);
      if (outcome === 'failed') ends.announceGivenUp(row, error);
    } else {
      // The jobs that ran beside it are lost with it: by waits of their own, they run apart from then on.
      const delayMs = isCounted && lost > 1 ? retryDelayMs(lost - 1) : 0;
      await records.transact((tx) =>
        store.requeue(tx, row, { attempts: Math.max(0, attempts - 1), lost, delayMs }),
      );
    }
    const why = isCounted ? 'its process is gone, or could not renew it' : 'the records could not be reached';
    log.warn({ jobId, kind, attempts, lost }, `the lease of a job ran out: ${why}`);
  }

  /** Ends a job as failed without its handler, which cannot be asked: by its number, as its row may be unreadable. */
  async giveUp({ seq, id: jobId, kind }: Pick<JobRow, 'seq' | 'id' | 'kind'>, error: unknown): Promise<void> {
    const { records, store, log, ends } = this.#settings;
    log.error({ err: error, jobId, kind }, 'a job cannot be run: it ends as failed without its handler');
    const isMine = await records.transact((tx) => store.giveUp(tx, seq, failureCode(error)));
    if (isMine) ends.announceGivenUp({ id: jobId, kind }, error);
  }

  /** Ends jobs of kinds that no process names, which have waited for a day. */
  async endUnknown(kinds: readonly string[]): Promise<void> {
    const unknown = await this.#settings.store.unknown(kinds);
    const error = new Error('No process has this kind of work.');
    await eachAlone(unknown, (row) => this.giveUp(row, error), {
      log: this.#settings.log,
      failed: 'a job of an unknown kind could not be ended; it is tried again',
      about: ({ id, kind }) => ({ jobId: id, kind }),
    });
  }

  async #fail(
    handler: JobHandler<string>,
    job: Job,
    lease: string,
    error: unknown,
    delayMs: number,
  ): Promise<JobEnd['outcome']> {
    const { records, store, log } = this.#settings;
    const failure = failureCode(error);
    try {
      return await this.#retryOrEnd(handler, job, lease, { error, failure, delayMs });
    } catch (thrown) {
      if (isUnavailable(thrown)) throw thrown;
      log.error(
        { err: thrown, jobId: job.id, kind: job.kind },
        'the failure of a job could not be handled: it ends as failed without its handler',
      );
      await records.transact((tx) => store.end(tx, lease, 'failed', failure));
      return 'failed';
    }
  }

  async #retryOrEnd(
    handler: JobHandler<string>,
    job: Job,
    lease: string,
    { error, failure, delayMs }: { error: unknown; failure: string; delayMs: number },
  ): Promise<JobEnd['outcome']> {
    const { records, store } = this.#settings;
    return records.transact(async (tx) => {
      if (isStorageUnavailable(error) || isStorageFull(error) || isUnavailable(error)) {
        // Not the work's fault: it waits for the store, however long that takes.
        const waitMs = isStorageFull(error) ? Math.max(delayMs, fullWaitMs) : delayMs;
        const attempts = job.attempts - 1;
        await store.requeue(tx, { kind: job.kind, lease }, { delayMs: waitMs, failure, attempts });
        return 'retried';
      }
      if (isReadable(job) && job.lost < lostMax && job.attempts < job.attemptsMax) {
        await store.requeue(tx, { kind: job.kind, lease }, { delayMs, failure });
        return 'retried';
      }
      if (!(await store.end(tx, lease, 'failed', failure))) return 'lost';
      if (isReadable(job)) await handler.onExhausted(tx, { ...job, state: 'failed' }, error);
      return 'failed';
    });
  }
}
