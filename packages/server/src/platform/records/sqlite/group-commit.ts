import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { isLocked } from '../errors.ts';
import { transactionHandles } from '../handles.ts';
import type { PlatformLog } from '../log.ts';
import type { Transaction } from '../records.ts';
import type { SqliteConnection } from './connection.ts';
import { sqliteFlavour } from './dialect.ts';

/** Most transactions in one durable commit. */
const batchMax = 1000;

/** Between two looks whether another program has let go of the lock: short at first, as most hold it for one commit. */
const lookAgainMs = [1, 2, 5, 10, 20, 50];

interface Waiting {
  /** When it was asked for, by `performance.now()`. */
  since: number;
  run(tx: Transaction): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Reports the outcome of one transaction to its caller, after the commit. */
type Settle = (commitError?: unknown) => void;

interface GroupCommitOptions {
  connection: SqliteConnection;
  /** Maximum time that a transaction waits for anything but its queries before it is rolled back. */
  transactionMaxMs: number;
  /** Maximum time of one batch before the others wait for the next one. */
  batchMaxMs: number;
  /** Maximum time that a transaction waits for a foreign lock before it is refused as unavailable. */
  lockWaitMaxMs: number;
  /** Called after each durable commit, before its transactions are answered. Does not throw. */
  committed(): void;
  log: PlatformLog;
}

/**
 * Runs all transactions of one event-loop turn one after the other, each in a savepoint, inside one BEGIN IMMEDIATE … COMMIT:
 * they share one write to the disk and are answered only after it. One that throws is rolled back alone. The connection must not wait for locks
 * itself (`busy_timeout` 0): nothing else would be done meanwhile.
 */
export class GroupCommit {
  readonly #connection: SqliteConnection;
  readonly #options: GroupCommitOptions;
  readonly #handle = transactionHandles(sqliteFlavour);
  #queue: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  /** Ends the transaction that is running now. */
  #expire: ((error: Error) => void) | undefined;

  constructor(options: GroupCommitOptions) {
    this.#connection = options.connection;
    this.#options = options;
  }

  transact<T>(run: (tx: Transaction) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // Each runs in the asynchronous context of its caller, not in that of the batch.
      this.#queue.push({
        since: performance.now(),
        run: AsyncLocalStorage.bind(run),
        resolve: (value) => resolve(value as T),
        reject,
      });
      this.#flushing ??= this.#flushAll();
    });
  }

  /** Resolves once everything that was queued has been answered. */
  async drain(): Promise<void> {
    await this.#flushing;
  }

  async #flushAll(): Promise<void> {
    while (this.#queue.length > 0) {
      // The end of this turn of the event loop: what else it asks for joins the batch.
      await new Promise((resolve) => setImmediate(resolve));
      if (!(await this.#begin())) continue;
      const batch = this.#queue;
      this.#queue = [];
      const taken = await this.#flush(batch);
      if (taken < batch.length) this.#queue = [...batch.slice(taken), ...this.#queue];
    }
    this.#flushing = undefined;
  }

  /** Begins a commit, waiting for the lock as long as the longest waiter; false: all waiters have been refused. */
  async #begin(): Promise<boolean> {
    for (let looks = 0; this.#queue.length > 0; looks += 1) {
      try {
        this.#connection.run('begin immediate');
        return true;
      } catch (error) {
        this.#refuse(error, isLocked(error) ? performance.now() - this.#options.lockWaitMaxMs : Infinity);
      }
      if (this.#queue.length > 0) await delay(lookAgainMs[looks] ?? lookAgainMs.at(-1));
    }
    return false;
  }

  /** Rejects those who were asked for until then. */
  #refuse(error: unknown, until: number): void {
    const refused = this.#queue.filter(({ since }) => since <= until);
    this.#queue = this.#queue.filter(({ since }) => since > until);
    for (const waiting of refused) waiting.reject(error);
  }

  /** Commits the first transactions of `batch`, for which it has begun; answers how many it dealt with, at least one. */
  async #flush(batch: Waiting[]): Promise<number> {
    const timer = setTimeout(() => this.#tooLate(), this.#options.transactionMaxMs);
    const settlers: Settle[] = [];
    const stopAt = performance.now() + this.#options.batchMaxMs;
    let broken: Waiting | undefined;
    try {
      for (const waiting of batch) {
        broken = waiting;
        settlers.push(await this.#runOne(waiting));
        broken = undefined;
        if (settlers.length >= batchMax || performance.now() > stopAt) break;
      }
      this.#connection.run('commit');
    } catch (error) {
      for (const settle of settlers) settle(error);
      broken?.reject(error);
      this.#rollBack();
      return settlers.length + (broken === undefined ? 0 : 1);
    } finally {
      clearTimeout(timer);
    }
    this.#options.committed();
    for (const settle of settlers) settle();
    return settlers.length;
  }

  /** Rolls back. If even this fails, the next BEGIN fails too and reports it to its transactions. */
  #rollBack(): void {
    try {
      if (this.#connection.database.isTransaction) this.#connection.run('rollback');
    } catch (error) {
      this.#options.log.error({ err: error }, 'the records could not roll back');
    }
  }

  /** Throws only when the whole batch is lost. */
  async #runOne(waiting: Waiting): Promise<Settle> {
    const scope = this.#handle(this.#connection);
    this.#connection.run('savepoint one');
    try {
      const value = await new Promise((resolve, reject) => {
        this.#expire = reject;
        waiting.run(scope.tx).then(resolve, reject);
      });
      scope.end();
      scope.assertSound();
      this.#connection.run('release one');
      return (commitError) =>
        commitError === undefined ? waiting.resolve(value) : waiting.reject(commitError);
    } catch (error) {
      scope.end();
      // Some failures (disk full, I/O error) make SQLite roll back everything, savepoints included.
      if (!this.#connection.database.isTransaction) throw error;
      this.#connection.run('rollback to one');
      this.#connection.run('release one');
      return () => waiting.reject(error);
    } finally {
      this.#expire = undefined;
    }
  }

  #tooLate(): void {
    this.#expire?.(
      new Error('A transaction waited for something other than its own queries and was rolled back.'),
    );
  }
}
