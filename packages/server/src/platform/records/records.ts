import type { Kysely, Transaction as KyselyTransaction } from 'kysely';
import type { Database } from './schema.ts';

/** Reads outside a transaction. */
export type Reader = Kysely<Database>;

/**
 * An open transaction. On SQLite all transactions of one event-loop turn share one durable commit. So a function given to
 * `transact` awaits nothing but queries on its `tx`: no file, no network, no timer. A query that fails fails its transaction
 * even when the error is caught, as always in PostgreSQL: ask `onConflict` instead of catching.
 */
export type Transaction = KyselyTransaction<Database>;

/** The store of records: SQLite or PostgreSQL behind one interface. */
export interface Records {
  readonly dialect: 'sqlite' | 'postgres';
  /** Reads; sees every commit that was acknowledged before. Never used to write. */
  readonly read: Reader;
  /**
   * Runs `fn` in one transaction and resolves after its durable commit. A throw rolls back only this transaction and
   * rejects with it. `fn` may be run again (serialisation failure, deadlock), so it has no effects but its queries.
   */
  transact<T>(fn: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Announces a change to every process, from inside the transaction that makes it; delivered only after its commit. */
  announce(tx: Transaction, topic: string): Promise<void>;
  /**
   * Calls `listener(topic)` after commits, of this and of other processes, that announced a topic with this prefix; with the
   * bare prefix when changes were missed and anything may have changed.
   */
  onChange(prefix: string, listener: (topic: string) => void): void;
  /**
   * Delivers the announcements of other processes so far. Cheap enough for every request on SQLite (one
   * indexed read). There, further reads of this tick share one current snapshot, until the next commit of
   * this process. PostgreSQL pushes (LISTEN); while the connection is lost, every listener receives its bare
   * prefix.
   */
  catchUp(): void;
  /** Check for /readyz. */
  check(): Promise<void>;
  close(): Promise<void>;
}
