import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { inexactWarning } from '../bound-numbers.ts';
import { isUnavailable } from '../errors.ts';
import { readerOn, transactionHandles } from '../handles.ts';
import { Listeners } from '../listeners.ts';
import type { PlatformLog } from '../log.ts';
import { migrate } from '../migrate.ts';
import type { Migration } from '../migrations/index.ts';
import { NestingGuard } from '../nesting.ts';
import type { Reader, Records, Transaction } from '../records.ts';
import { trimChanges } from '../trim.ts';
import { SqliteConnection } from './connection.ts';
import { sqliteFlavour } from './dialect.ts';
import { GroupCommit } from './group-commit.ts';
import { busyTimeoutMs, openReader, openWriter } from './open.ts';

const migrationWaitMs = 60_000;

interface SqliteSettings {
  /** The file. */
  path: string;
  migrations: Readonly<Record<string, Migration>>;
  log: PlatformLog;
  /** Maximum time that a transaction waits for anything but its queries before it is rolled back. Default 10 s. */
  transactionMaxMs?: number;
  /** Maximum time that a transaction waits for a foreign lock. Default 5 s, as for reads. */
  lockWaitMaxMs?: number;
}

/** Opens, and where needed creates, the records in one SQLite file. */
export async function openSqliteRecords(settings: SqliteSettings): Promise<Records> {
  const inexact = inexactWarning(settings.log);
  const onInexact = (column: string): void => inexact.report({ column });
  const writer = new SqliteConnection(openWriter(settings.path), onInexact);
  try {
    await migrateLocked(writer, settings.migrations);
    const reader = new SqliteConnection(openReader(settings.path), onInexact);
    return new SqliteRecords(writer, reader, settings);
  } catch (error) {
    writer.database.close();
    throw error;
  }
}

async function migrateLocked(writer: SqliteConnection, steps: SqliteSettings['migrations']): Promise<void> {
  const { tx, end } = transactionHandles(sqliteFlavour)(writer);
  await beginWaiting(writer);
  try {
    await migrate(tx, steps);
    writer.run('commit');
  } catch (error) {
    if (writer.database.isTransaction) writer.run('rollback');
    throw error;
  } finally {
    end();
  }
}

/**
 * Begins the first transaction. Of two processes that start at once, the second waits here: inside SQLite it could do nothing
 * else. From then on the connection never waits there: the holder of the lock commits without a wait
 * (https://www.sqlite.org/wal.html §2.2).
 */
async function beginWaiting(writer: SqliteConnection): Promise<void> {
  const giveUpAt = performance.now() + migrationWaitMs;
  writer.database.exec('pragma busy_timeout = 0');
  for (;;) {
    try {
      writer.run('begin immediate');
      break;
    } catch (error) {
      if (!isUnavailable(error) || performance.now() > giveUpAt) throw error;
      await delay(20);
    }
  }
}

class SqliteRecords implements Records {
  readonly dialect = 'sqlite';
  readonly read: Reader;
  readonly #writer: SqliteConnection;
  readonly #log: PlatformLog;
  readonly #reader: SqliteConnection;
  readonly #commits: GroupCommit;
  readonly #changes: ChangeReader;
  readonly #snapshot: TurnSnapshot;
  readonly #listeners: Listeners;
  readonly #nesting = new NestingGuard();
  readonly #stopTrimming: () => Promise<void>;
  #closed = false;

  constructor(writer: SqliteConnection, reader: SqliteConnection, settings: SqliteSettings) {
    this.#writer = writer;
    this.#log = settings.log;
    this.#reader = reader;
    this.read = readerOn(sqliteFlavour, this.#reader);
    this.#snapshot = new TurnSnapshot(this.#reader.database);
    this.#listeners = new Listeners(settings.log);
    this.#changes = new ChangeReader(this.#reader.database, (topic) => this.#listeners.notify(topic));
    this.#commits = new GroupCommit({
      connection: writer,
      transactionMaxMs: settings.transactionMaxMs ?? 10_000,
      batchMaxMs: 20,
      lockWaitMaxMs: settings.lockWaitMaxMs ?? busyTimeoutMs,
      committed: () => this.#notify(),
      log: settings.log,
    });
    this.#stopTrimming = trimChanges(this, settings.log);
  }

  async transact<T>(fn: (tx: Transaction) => Promise<T>): Promise<T> {
    if (this.#closed) throw new Error('The records are closed.');
    this.#nesting.check();
    return this.#commits.transact((tx) => this.#nesting.run(() => fn(tx)));
  }

  async announce(tx: Transaction, topic: string): Promise<void> {
    await tx.insertInto('changes').values({ topic, at: Date.now() }).execute();
  }

  onChange(prefix: string, listener: (topic: string) => void): void {
    this.#listeners.add(prefix, listener);
  }

  catchUp(): void {
    this.#snapshot.begin();
    this.#changes.catchUp();
  }

  async check(): Promise<void> {
    await sql`select 1`.execute(this.read);
    await this.transact(async () => undefined);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#stopTrimming();
    await this.#commits.drain();
    this.#reader.database.close();
    this.#writer.database.close();
  }

  /** Announces a commit, which remains even if that fails; the next poll delivers it. */
  #notify(): void {
    try {
      this.#snapshot.end();
      this.#changes.catchUp();
    } catch (error) {
      this.#log.error({ err: error }, 'committed changes could not be announced yet');
    }
  }
}

/**
 * Reads the notice board. SQLite has one writer at a time, so numbers rise in the order of commits: those
 * beyond the last one seen are new.
 */
class ChangeReader {
  readonly #newest: StatementSync;
  readonly #after: StatementSync;
  readonly #notify: (topic: string) => void;
  #seen: number;

  constructor(database: DatabaseSync, notify: (topic: string) => void) {
    this.#newest = database.prepare('select max(seq) from changes');
    this.#newest.setReturnArrays(true);
    this.#after = database.prepare('select seq, topic from changes where seq > ? order by seq');
    this.#notify = notify;
    this.#seen = this.#read();
  }

  /** Delivers all new changes. Called on every request, so a cheap check is first. */
  catchUp(): void {
    if (this.#read() <= this.#seen) return;
    for (const row of this.#after.all(this.#seen)) {
      const seq = Number(row['seq']);
      // A listener may have called this function again.
      if (seq <= this.#seen) continue;
      this.#seen = seq;
      this.#notify(String(row['topic']));
    }
  }

  #read(): number {
    const row: unknown = this.#newest.get();
    return Array.isArray(row) ? Number(row[0]) : 0;
  }
}

/**
 * One view of the file for what is read in a turn of the event loop. Outside a transaction SQLite locks and unlocks the file for
 * each statement: two system calls, which take longer than the reading of a row (3.3 of 5.7 µs).
 */
class TurnSnapshot {
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  #endIsDue = false;
  readonly #endOfTurn = (): void => {
    this.#endIsDue = false;
    this.end();
  };

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#begin = database.prepare('begin');
    this.#commit = database.prepare('commit');
  }

  /** Begins a view of the current file, including foreign commits, for reads to the end of the tick. */
  begin(): void {
    this.end();
    this.#begin.run();
    if (this.#endIsDue) return;
    this.#endIsDue = true;
    setImmediate(this.#endOfTurn);
  }

  /** Reads see again what is committed meanwhile. */
  end(): void {
    // Some failures (I/O error) make SQLite end it by itself.
    if (this.#database.isOpen && this.#database.isTransaction) this.#commit.run();
  }
}
