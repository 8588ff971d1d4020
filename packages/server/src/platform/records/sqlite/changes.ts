import type { DatabaseSync, StatementSync } from 'node:sqlite';

/**
 * Reads the notice board. SQLite has one writer at a time, so numbers rise in the order of the commits and whatever is past
 * the last one seen is new, whoever wrote it.
 */
export class ChangeReader {
  readonly #newest: StatementSync;
  readonly #after: StatementSync;
  readonly #tell: (topic: string) => void;
  #seen: number;

  constructor(database: DatabaseSync, tell: (topic: string) => void) {
    this.#newest = database.prepare('select max(seq) from changes');
    this.#newest.setReturnArrays(true);
    this.#after = database.prepare('select seq, topic from changes where seq > ? order by seq');
    this.#tell = tell;
    this.#seen = this.#read();
  }

  /** Tells of every change not told yet. Asked on every request, hence the cheap look first. */
  catchUp(): void {
    if (this.#read() <= this.#seen) return;
    for (const row of this.#after.all(this.#seen)) {
      const seq = Number(row['seq']);
      // A listener may have called this function again.
      if (seq <= this.#seen) continue;
      this.#seen = seq;
      this.#tell(String(row['topic']));
    }
  }

  #read(): number {
    const row: unknown = this.#newest.get();
    return Array.isArray(row) ? Number(row[0]) : 0;
  }
}
