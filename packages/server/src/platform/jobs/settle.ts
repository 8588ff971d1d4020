import { isStorageFull, isStorageUnavailable, Problem } from '../../base/problem.ts';
import { isUnavailable } from '../records/errors.ts';
import type { PlatformLog } from '../records/log.ts';
import type { Records } from '../records/records.ts';
import type { Job, JobHandler } from './jobs.ts';
import type { JobRow } from './rows.ts';
import { failureCode, isReadable, jobOf } from './rows.ts';
import type { Run } from './run.ts';
import type { JobStore } from './store.ts';

/** Between attempts while the store is full: each may write much before it finds that out. */
const fullWaitMs = 60_000;

interface SettlerSettings {
  records: Records;
  store: JobStore;
  log: PlatformLog;
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
  async settle(run: Run, failure: { error: unknown } | undefined): Promise<void> {
    const { records, store, log } = this.#settings;
    if (run.stopped === 'shutdown') return this.handBack(run);
    if (run.stopped !== undefined) return;
    if (failure === undefined) {
      const ended = await records.transact((tx) => store.end(tx, run.lease, 'succeeded', null));
      if (!ended) log.info({ jobId: run.job.id }, 'a job ended after its lease was lost or it was cancelled');
      return;
    }
    const { job, handler, lease } = run;
    log.warn({ err: failure.error, jobId: job.id, kind: job.kind, attempts: job.attempts }, 'a job failed');
    const delayMs = (handler.retryDelayMs ?? this.#settings.retryDelayMs)(job.attempts);
    await this.#fail(handler, job, lease, failure.error, delayMs);
  }

  /** Gives the job back as if it had not been taken: for a process that stops. */
  async handBack({ job, lease }: Run): Promise<void> {
    const { records, store } = this.#settings;
    const attempts = job.attempts - 1;
    await records.transact((tx) => store.requeue(tx, { kind: job.kind, lease }, { attempts }));
  }

  /** Handles a job whose lease ran out. `isCounted` false: the records were away, so it may not have ended its process. */
  async recover(handler: JobHandler<string>, row: JobRow, isCounted: boolean): Promise<void> {
    const { records, store, log } = this.#settings;
    const { id: jobId, kind, attempts } = row;
    if (isCounted) {
      const error = new Problem(
        500,
        'JOB_INTERRUPTED',
        'The work was interrupted too often: start it again.',
      );
      await this.#fail(handler, jobOf(row), row.lease ?? '', error, 0);
    } else await records.transact((tx) => store.requeue(tx, row, { attempts: attempts - 1 }));
    const why = isCounted ? 'its process is gone, or could not renew it' : 'the records could not be reached';
    log.warn({ jobId, kind, attempts }, `the lease of a job ran out: ${why}`);
  }

  /** Ends a job as failed without its handler, which cannot be asked: by its number, as its row may be unreadable. */
  async giveUp({ seq, id: jobId, kind }: Pick<JobRow, 'seq' | 'id' | 'kind'>, error: unknown): Promise<void> {
    const { records, store, log } = this.#settings;
    log.error({ err: error, jobId, kind }, 'a job cannot be run: it ends as failed without its handler');
    await records.transact((tx) => store.giveUp(tx, seq, failureCode(error)));
  }

  async #fail(
    handler: JobHandler<string>,
    job: Job,
    lease: string,
    error: unknown,
    delayMs: number,
  ): Promise<void> {
    const { records, store, log } = this.#settings;
    const failure = failureCode(error);
    try {
      await this.#retryOrEnd(handler, job, lease, { error, failure, delayMs });
    } catch (thrown) {
      if (isUnavailable(thrown)) throw thrown;
      log.error(
        { err: thrown, jobId: job.id, kind: job.kind },
        'the failure of a job could not be handled: it ends as failed without its handler',
      );
      await records.transact((tx) => store.end(tx, lease, 'failed', failure));
    }
  }

  async #retryOrEnd(
    handler: JobHandler<string>,
    job: Job,
    lease: string,
    { error, failure, delayMs }: { error: unknown; failure: string; delayMs: number },
  ): Promise<void> {
    const { records, store } = this.#settings;
    await records.transact(async (tx) => {
      if (isStorageUnavailable(error) || isStorageFull(error) || isUnavailable(error)) {
        // Not the work's fault: it waits for the store, however long that takes.
        const waitMs = isStorageFull(error) ? Math.max(delayMs, fullWaitMs) : delayMs;
        const attempts = job.attempts - 1;
        await store.requeue(tx, { kind: job.kind, lease }, { delayMs: waitMs, failure, attempts });
      } else if (isReadable(job) && job.attempts < job.attemptsMax) {
        await store.requeue(tx, { kind: job.kind, lease }, { delayMs, failure });
      } else if ((await store.end(tx, lease, 'failed', failure)) && isReadable(job)) {
        await handler.onExhausted(tx, { ...job, state: 'failed' }, error);
      }
    });
  }
}
