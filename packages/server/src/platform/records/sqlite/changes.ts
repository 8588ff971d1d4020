import type { DatabaseSync, StatementSync } from 'node:sqlite';

/**
 * Reads the notice board. SQLite has one writer at a time. So numbers rise in the order of commits, and all numbers beyond the
 * last one seen are new.
 */
export class ChangeReader {
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
