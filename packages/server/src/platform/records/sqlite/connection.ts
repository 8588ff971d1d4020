import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { LRUCache } from 'lru-cache';
import { hasCode } from '../../../base/error-code.ts';
import { exactMax, nearest } from '../bound-numbers.ts';
import { refuseStream } from '../handles.ts';

type Parameter = null | number | bigint | string | Uint8Array;

interface Prepared {
  statement: StatementSync;
  /** Names of the result columns; empty for a statement without result. */
  columns: string[];
  /** Set if it returns rows that it changes: it cannot be run again. */
  changes: boolean;
}

/** Receives the name of a result column that held a number too large to be exact. */
type OnInexact = (column: string) => void;

/** Covers all statements of the service, with room for lists of different lengths. */
const statementsMax = 500;

/** Connection of `node:sqlite` for Kysely, with a cache of prepared statements. */
export class SqliteConnection implements DatabaseConnection {
  readonly database: DatabaseSync;
  readonly #prepared = new LRUCache<string, Prepared>({ max: statementsMax });

  readonly #onInexact: OnInexact;

  constructor(database: DatabaseSync, onInexact: OnInexact = () => undefined) {
    this.database = database;
    this.#onInexact = onInexact;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const prepared = this.#prepare(query.sql);
    const { statement, columns } = prepared;
    const parameters = query.parameters as readonly Parameter[];
    if (columns.length > 0) {
      const rows = this.#all(prepared, parameters);
      return { rows: rows.map((values) => rowOf(columns, values)) as Row[] };
    }
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  streamQuery(): never {
    return refuseStream();
  }

  /** Runs a fixed statement such as `begin`. */
  run(statement: string): void {
    this.#prepare(statement).statement.run();
  }

  /**
   * Reads integers as numbers, which is fastest. A row that another program wrote may hold a larger one, at which node:sqlite throws:
   * it must not hide all others, so it is read as the nearest number.
   */
  #all({ statement, columns, changes }: Prepared, parameters: readonly Parameter[]): unknown[][] {
    try {
      if (!changes) return statement.all(...parameters) as unknown as unknown[][];
    } catch (error) {
      if (!hasCode(error, 'ERR_OUT_OF_RANGE')) throw error;
    }
    statement.setReadBigInts(true);
    try {
      const rows = statement.all(...parameters) as unknown as unknown[][];
      return rows.map((values) =>
        values.map((value, at) => exactValue(value, () => this.#onInexact(columns[at] ?? ''))),
      );
    } finally {
      statement.setReadBigInts(false);
    }
  }

  #prepare(text: string): Prepared {
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    const statement = this.database.prepare(text);
    statement.setReturnArrays(true);
    const prepared = {
      statement,
      columns: statement.columns().map(({ name }) => name),
      changes: /\breturning\b/i.test(text),
    };
    this.#prepared.set(text, prepared);
    return prepared;
  }
}

/** Returns a value that was read with integers as `bigint`. */
export function exactValue(value: unknown, onInexact: () => void): unknown {
  if (typeof value !== 'bigint') return value;
  if (value > exactMax || value < -exactMax) onInexact();
  return nearest(value);
}

/** Returns a plain object, as pg makes them. node:sqlite's own rows have no prototype, and to copy one costs more than to make it. */
function rowOf(columns: string[], values: unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let at = 0; at < columns.length; at++) row[columns[at] as string] = values[at];
  return row;
}
