import type { CompiledQuery } from 'kysely';
import type { Transaction } from '../../platform/records/records.ts';
import type { AuditEventsTable } from '../../platform/records/schema.ts';

/** Inserts events by statements compiled once for each number of rows: nearly every request writes one. */
export class EventInserts {
  readonly #statements = new Map<number, CompiledQuery>();

  /** Inserts rows; all have their fields in the same order, so their values are bound in place. */
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
