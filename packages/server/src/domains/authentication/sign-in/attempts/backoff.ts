import { createHmac } from 'node:crypto';
import type { Records, Transaction } from '../../../../platform/records/records.ts';

/**
 * Exponential back-off: `free` attempts without delay, then doubling from one second. Failures decay over
 * time.
 */
interface Growth {
  free: number;
  delayMaxMs: number;
  forgottenEveryMs: number;
}

const firstDelayMs = 1000;

/**
 * A known address lets strangers delay its user in new browsers, so that delay stays short. A browser may be
 * that of a ward. A crowd is all new browsers of a network, which may be a whole hospital: its delay starts
 * late and stays at two seconds, so that one of them locks nobody out. Codes have six digits, so their delay
 * grows long.
 */
const growths = {
  user: { free: 5, delayMaxMs: 60_000, forgottenEveryMs: 10 * 60_000 },
  device: { free: 5, delayMaxMs: 60_000, forgottenEveryMs: 10 * 60_000 },
  browser: { free: 20, delayMaxMs: 5 * 60_000, forgottenEveryMs: 5 * 60_000 },
  crowd: { free: 100, delayMaxMs: 2000, forgottenEveryMs: 1000 },
  code: { free: 5, delayMaxMs: 15 * 60_000, forgottenEveryMs: 60 * 60_000 },
  mail: { free: 3, delayMaxMs: 60 * 60_000, forgottenEveryMs: 60 * 60_000 },
} as const satisfies Record<string, Growth>;

/** Subject that an attempt is counted for. */
export interface Subject {
  kind: keyof typeof growths;
  name: string;
}

const dayMs = 86_400_000;

/** Growing delays after wrong attempts, shared by all processes. No user is locked out permanently. */
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
   * Counts an attempt for all subjects before it is made, so that concurrent ones count each other. Returns
   * the delay in milliseconds while one of them must wait; then nothing is counted.
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

  /** Resets the subjects after a right attempt. */
  async clear(subjects: Subject[]): Promise<void> {
    const ids = subjects.map((subject) => this.#idOf(subject));
    await this.#records.transact((tx) => tx.deleteFrom('sign_in_delays').where('id', 'in', ids).execute());
  }

  /**
   * Takes back this attempt only: the owner of one password must not use it to try others from the same
   * network without limit.
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

  /** Removes subjects without a failure for a day. */
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

/** Ignores a delay above the maximum: it was set before the clock was set back. */
function waitOf(waitMs: number, { delayMaxMs }: Growth): number {
  return waitMs > delayMaxMs ? 0 : waitMs;
}

function delayMs({ free, delayMaxMs }: Growth, failures: number): number {
  return failures <= free ? 0 : Math.min(delayMaxMs, firstDelayMs * 2 ** (failures - free - 1));
}

/** Returns the failures that cause the longest delay: more are not counted, so that decay starts at once. */
function failuresMax({ free, delayMaxMs }: Growth): number {
  return free + 1 + Math.ceil(Math.log2(delayMaxMs / firstDelayMs));
}
