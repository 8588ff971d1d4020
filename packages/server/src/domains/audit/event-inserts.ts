import type { CompiledQuery } from 'kysely';
import type { Transaction } from '../../platform/records/records.ts';
import type { AuditEventsTable } from '../../platform/records/schema.ts';

/** Puts events into their table, by statements that are compiled once for each number of rows: nearly every request writes one. */
export class EventInserts {
  readonly #statements = new Map<number, CompiledQuery>();

  /** All rows have their fields in the same order: their values are bound as they stand. */
  async run(tx: Transaction, rows: readonly AuditEventsTable[]): Promise<void> {
    const statement = this.#statements.get(rows.length) ?? this.#compile(tx, rows);
    await tx.executeQuery({ ...statement, parameters: rows.flatMap((row) => Object.values(row)) });
  }

  #compile(tx: Transaction, rows: readonly AuditEventsTable[]): CompiledQuery {
    const statement = tx
      .insertInto('audit_events')
      .values([...rows])
      .compile();
    this.#statements.set(rows.length, statement);
    return statement;
  }
}
