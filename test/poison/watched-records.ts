import type { CompiledQuery } from 'kysely';
import { JobRunner } from '../../packages/server/src/platform/jobs/runner.ts';
import { SqliteConnection } from '../../packages/server/src/platform/records/sqlite/connection.ts';

/** Statements that a service sends to its records, with the texts that it compares or writes. */
export interface Watched {
  /** Names of tables, each with the short texts that statements about it name: its states, kinds and uses. */
  tables: Map<string, Set<string>>;
  statements: string[];
  /** Kinds of jobs that have a handler. */
  kinds: Set<string>;
  stop(): void;
}

const wordMax = 20;

/** Watches what services of this process ask of their records on SQLite, and which jobs they run. */
export function watchRecords(): Watched {
  const tables = new Map<string, Set<string>>();
  const statements: string[] = [];
  const kinds = new Set<string>();
  const original = SqliteConnection.prototype.executeQuery;
  const { handle } = JobRunner.prototype;
  JobRunner.prototype.handle = function (handler) {
    kinds.add(handler.kind);
    handle.call(this, handler);
  };
  SqliteConnection.prototype.executeQuery = function <Row>(this: SqliteConnection, query: CompiledQuery) {
    statements.push(query.sql);
    const words = [
      ...query.parameters.filter((value) => typeof value === 'string' && value.length <= wordMax),
      ...[...query.sql.matchAll(/'(\w{1,20})'/g)].map(([, word]) => word),
    ] as string[];
    for (const [, name = ''] of query.sql.matchAll(/\b(?:from|join|update|into)\s+"?(\w+)"?/gi)) {
      const known = tables.get(name) ?? new Set();
      tables.set(name, known);
      for (const word of words) known.add(word);
    }
    return original.call(this, query) as ReturnType<typeof original<Row>>;
  };
  const stop = (): void => {
    SqliteConnection.prototype.executeQuery = original;
    JobRunner.prototype.handle = handle;
  };
  return { tables, statements, kinds, stop };
}
