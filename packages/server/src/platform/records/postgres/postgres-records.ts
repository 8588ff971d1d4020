import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { PoolClient } from 'pg';
import { databaseNow } from '../clock.ts';
import { isRetryable, isUnavailable } from '../errors.ts';
import { readerOn, transactionHandles } from '../handles.ts';
import { Listeners } from '../listeners.ts';
import type { PlatformLog } from '../log.ts';
import { migrate } from '../migrate.ts';
import type { Migration } from '../migrations/index.ts';
import { NestingGuard } from '../nesting.ts';
import type { Reader, Records, Transaction } from '../records.ts';
import { trimChanges } from '../trim.ts';
import { connectionOn, inTransaction } from './connection.ts';
import { ChangeListener, channel } from './listener.ts';
import type { Pools } from './pools.ts';
import { openPools, openSingle, postgresFlavour } from './pools.ts';

/** Maximum attempts of a transaction that PostgreSQL aborts in favour of another. */
const attemptsMax = 8;
const retryWaitMs = 5;
/** The number of the advisory lock that one migration at a time holds: any fixed number. */
const migrationLock = 7_308_332_045;

interface PostgresSettings {
  url: string;
  connectionsMax: number;
  migrations: Readonly<Record<string, Migration>>;
  log: PlatformLog;
}

interface Announced {
  seq: number;
  topic: string;
}

/** Opens the records in a PostgreSQL database, which exists; its tables are made. */
export async function openPostgresRecords(settings: PostgresSettings): Promise<Records> {
  await migrateLocked(settings).catch(nameTheSetting);
  const records = new PostgresRecords(settings);
  try {
    await records.listen();
    return records;
  } catch (error) {
    await records.close();
    throw error;
  }
}

/**
 * Runs in the transaction of `client`, the only one that migrates or fills the records. Refuses a database in another encoding
 * than UTF-8, in which names of people would fail, or be altered, later.
 */
export async function lockRecords(client: PoolClient): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1)', [migrationLock]);
  const { rows } = await client.query<{ server_encoding: string }>('show server_encoding');
  const encoding = rows[0]?.server_encoding;
  if (encoding !== 'UTF8')
    throw new Error(
      `The database of PLOIDY_DATABASE_URL is in the encoding ${encoding}: make one in UTF8 (createdb --template=template0 --encoding=UTF8).`,
    );
}

/** Adds the purpose and the setting of a failed connection, which errors of PostgreSQL and the network lack. */
function nameTheSetting(error: unknown): never {
  if (isRetryable(error))
    throw new Error('Processes of an earlier version work on the records: stop them, then start again.', {
      cause: error,
    });
  if (!isUnavailable(error)) throw error;
  throw new Error('The database of PLOIDY_DATABASE_URL cannot be used.', { cause: error });
}

/** Repeats a transaction that PostgreSQL aborts in favour of another. */
async function repeated<T>(attempt: () => Promise<T>): Promise<T> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isRetryable(error) || number === attemptsMax) throw error;
      await delay(Math.random() * retryWaitMs * 2 ** number);
    }
  }
}

/** Steps lock tables which processes of an earlier version may still use, in another order. */
async function migrateLocked(settings: PostgresSettings): Promise<void> {
  // A connection of its own: a migration may take long, and has no time limit.
  const pool = openSingle(settings.url);
  try {
    await repeated(() =>
      inTransaction(pool, async (client) => {
        await lockRecords(client);
        await migrate(transactionHandles(postgresFlavour)(connectionOn(client)).tx, settings.migrations);
      }),
    );
  } finally {
    await pool.end();
  }
}

class PostgresRecords implements Records {
  readonly dialect = 'postgres';
  readonly read: Reader;
  readonly #pools: Pools;
  readonly #handle = transactionHandles(postgresFlavour);
  readonly #listeners: Listeners;
  readonly #listener: ChangeListener;
  readonly #nesting = new NestingGuard();
  readonly #announced = new WeakMap<Transaction, Announced[]>();
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #stopTrimming: () => Promise<void>;
  #closed: Promise<void> | undefined;

  constructor({ url, connectionsMax, log }: PostgresSettings) {
    this.#pools = openPools(url, connectionsMax, log);
    this.read = readerOn(postgresFlavour, connectionOn(this.#pools.read));
    this.#listeners = new Listeners(log);
    this.#listener = new ChangeListener({
      url,
      log,
      notify: (topic) => this.#listeners.notify(topic),
      notifyAll: () => this.#listeners.notifyAll(),
    });
    this.#stopTrimming = trimChanges(this, log);
  }

  async listen(): Promise<void> {
    await this.#listener.start();
  }

  async transact<T>(fn: (tx: Transaction) => Promise<T>): Promise<T> {
    if (this.#closed) throw new Error('The records are closed.');
    this.#nesting.check();
    const transaction = repeated(() => this.#attempt(fn));
    this.#underWay.add(transaction);
    try {
      return await transaction;
    } finally {
      this.#underWay.delete(transaction);
    }
  }

  async announce(tx: Transaction, topic: string): Promise<void> {
    const { rows } = await sql<{ seq: number }>`
      with added as (
        insert into changes (topic, at) values (${topic}, ${databaseNow}) returning seq
      )
      select seq, pg_notify(${channel}, seq::text || ' ' || ${topic}) from added
    `.execute(tx);
    const [row] = rows;
    if (row !== undefined) this.#announced.get(tx)?.push({ seq: row.seq, topic });
  }

  onChange(prefix: string, listener: (topic: string) => void): void {
    this.#listeners.add(prefix, listener);
  }

  catchUp(): void {
    // PostgreSQL sends notices. Without a connection for them, anything may have changed: a key may have been revoked.
    if (!this.#listener.connected) this.#listeners.notifyAll();
  }

  async check(): Promise<void> {
    await sql`select 1`.execute(this.read);
    // Refused where nothing can be changed at present.
    await this.transact((tx) => sql`delete from changes where false`.execute(tx));
    if (!this.#listener.connected)
      throw new Error('Changes made by other processes are not received at present.');
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #attempt<T>(fn: (tx: Transaction) => Promise<T>): Promise<T> {
    const announced: Announced[] = [];
    const value = await inTransaction(this.#pools.write, async (client) => {
      const { tx, end, assertSound } = this.#handle(connectionOn(client));
      this.#announced.set(tx, announced);
      try {
        const result = await this.#nesting.run(() => fn(tx));
        assertSound();
        return result;
      } finally {
        end();
      }
    });
    // Before the caller learns of its commit, so that this process is never behind itself.
    for (const { seq, topic } of announced) this.#listener.deliver(seq, topic);
    return value;
  }

  async #close(): Promise<void> {
    await this.#stopTrimming();
    await Promise.allSettled(this.#underWay);
    await this.#listener.close();
    await Promise.all([this.#pools.write.end(), this.#pools.read.end()]);
  }
}
