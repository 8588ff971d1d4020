import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { LRUCache } from 'lru-cache';
import { refuseStream } from '../handles.ts';

type Parameter = null | number | bigint | string | Uint8Array;

interface Prepared {
  statement: StatementSync;
  /** Names of the result columns; empty for a statement without result. */
  columns: string[];
}

/** Covers all statements of the service, with room for lists of different lengths. */
const statementsMax = 500;

/** Connection of `node:sqlite` for Kysely, with a cache of prepared statements. */
export class SqliteConnection implements DatabaseConnection {
  readonly database: DatabaseSync;
  readonly #prepared = new LRUCache<string, Prepared>({ max: statementsMax });

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { statement, columns } = this.#prepare(query.sql);
    const parameters = query.parameters as readonly Parameter[];
    if (columns.length > 0) {
      const rows = statement.all(...parameters) as unknown as unknown[][];
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

  #prepare(text: string): Prepared {
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    const statement = this.database.prepare(text);
    statement.setReturnArrays(true);
    const prepared = { statement, columns: statement.columns().map(({ name }) => name) };
    this.#prepared.set(text, prepared);
    return prepared;
  }
}

/** A plain object, as pg makes them. node:sqlite's own rows have no prototype, and to copy one costs more than to make it. */
function rowOf(columns: string[], values: unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let at = 0; at < columns.length; at++) row[columns[at] as string] = values[at];
  return row;
}
