import { createHmac } from 'node:crypto';
import type { Records, Transaction } from '../../platform/records/records.ts';

/** How waits grow: `free` attempts without, then from a second on twice as long each. One failure is forgotten every so often. */
interface Growth {
  free: number;
  delayMaxMs: number;
  forgottenEveryMs: number;
}

const firstDelayMs = 1000;

/**
 * Whoever knows an address can keep its user waiting in new browsers, so that wait stays short; that of an address of the network, behind which a
 * whole hospital may sit, begins late; codes have six digits, so theirs grows long.
 */
const growths = {
  user: { free: 5, delayMaxMs: 60_000, forgottenEveryMs: 10 * 60_000 },
  device: { free: 5, delayMaxMs: 60_000, forgottenEveryMs: 10 * 60_000 },
  address: { free: 20, delayMaxMs: 5 * 60_000, forgottenEveryMs: 5 * 60_000 },
  code: { free: 5, delayMaxMs: 15 * 60_000, forgottenEveryMs: 60 * 60_000 },
  mail: { free: 3, delayMaxMs: 60 * 60_000, forgottenEveryMs: 60 * 60_000 },
} as const satisfies Record<string, Growth>;

/** Whom an attempt is counted for. */
export interface Subject {
  kind: keyof typeof growths;
  name: string;
}

const dayMs = 86_400_000;

/** Growing waits after wrong attempts, shared by all processes. Nobody is locked out for good. */
export class Delays {
  readonly #records: Records;
  readonly #key: Uint8Array;
  readonly #now: () => number;

  constructor(records: Records, key: Uint8Array, now: () => number = Date.now) {
    this.#records = records;
    this.#key = key;
    this.#now = now;
  }

  /**
   * Counts an attempt for each of these, before it is made, so that many at once count each other. Answers how long to wait when one
   * of them still has to; then nothing is counted.
   */
  async take(subjects: Subject[]): Promise<number> {
    const kinds = new Map(subjects.map((subject) => [this.#idOf(subject), growths[subject.kind]]));
    const ids = [...kinds.keys()].sort();
    const now = this.#now();
    return this.#records.transact(async (tx) => {
      await tx
        .insertInto('sign_in_delays')
        .values(ids.map((id) => ({ id, failures: 0, failed_at: now, open_at: 0 })))
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
      const rows = await this.#lock(tx, ids);
      const waitMs = Math.max(
        ...rows.map((row) => waitOf(row.open_at - now, kinds.get(row.id) ?? growths.user)),
      );
      if (waitMs > 0) return waitMs;
      for (const { id, failures, failed_at } of rows) {
        const growth = kinds.get(id) ?? growths.user;
        const elapsedMs = Math.max(0, now - failed_at);
        const remembered = Math.max(0, failures - Math.floor(elapsedMs / growth.forgottenEveryMs));
        const next = Math.min(remembered + 1, failuresMax(growth));
        const row = { failures: next, failed_at: now, open_at: now + delayMs(growth, next) };
        await tx.updateTable('sign_in_delays').set(row).where('id', '=', id).execute();
      }
      return 0;
    });
  }

  /** The attempt was right: these begin anew. */
  async clear(subjects: Subject[]): Promise<void> {
    const ids = subjects.map((subject) => this.#idOf(subject));
    await this.#records.transact((tx) => tx.deleteFrom('sign_in_delays').where('id', 'in', ids).execute());
  }

  /**
   * Takes this attempt back, and none before it: who has a password of his own must not use it to try others from the same address
   * without end.
   */
  async undo(subjects: Subject[]): Promise<void> {
    const ids = subjects.map((subject) => this.#idOf(subject)).sort();
    await this.#records.transact(async (tx) => {
      for (const id of ids) {
        await tx
          .updateTable('sign_in_delays')
          .set(({ eb }) => ({ failures: eb('failures', '-', 1), open_at: 0 }))
          .where('id', '=', id)
          .where('failures', '>', 0)
          .execute();
      }
    });
  }

  /** Forgets who has not been wrong for a day. */
  async sweep(): Promise<void> {
    const before = this.#now() - dayMs;
    await this.#records.transact((tx) =>
      tx.deleteFrom('sign_in_delays').where('failed_at', '<', before).execute(),
    );
  }

  #idOf({ kind, name }: Subject): string {
    return createHmac('sha256', this.#key).update(`${kind}:${name}`).digest('base64url');
  }

  #lock(tx: Transaction, ids: string[]) {
    const query = tx.selectFrom('sign_in_delays').selectAll().where('id', 'in', ids).orderBy('id');
    return (this.#records.dialect === 'postgres' ? query.forUpdate() : query).execute();
  }
}

/** A wait that is longer than any is of before the clock was set back: it has been long enough to try. */
function waitOf(waitMs: number, { delayMaxMs }: Growth): number {
  return waitMs > delayMaxMs ? 0 : waitMs;
}

function delayMs({ free, delayMaxMs }: Growth, failures: number): number {
  return failures <= free ? 0 : Math.min(delayMaxMs, firstDelayMs * 2 ** (failures - free - 1));
}

/** More failures than lead to the longest wait are not counted, so that forgetting begins at once. */
function failuresMax({ free, delayMaxMs }: Growth): number {
  return free + 1 + Math.ceil(Math.log2(delayMaxMs / firstDelayMs));
}
