import { createHmac } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Records, Transaction } from '../../../../platform/records/records.ts';
import type { SignInDelaysTable } from '../../../../platform/records/schema-sign-in.ts';

/** Exponential back-off: `free` attempts without delay, then doubling from one second. Failures decay over time. */
interface Growth {
  free: number;
  delayMaxMs: number;
  forgottenEveryMs: number;
}

const firstDelayMs = 1000;

/** Difference between the clocks of two processes. */
const clocksDifferMaxMs = 1000;

/**
 * A known address lets strangers delay its user in new browsers, so that delay stays short. A browser may be
 * that of a ward. A crowd is all new browsers of a network, which may be a whole hospital: its delay starts
 * late and stays at two seconds. Codes have six digits, so their delay
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

/**
 * Turns of browsers. Each has one for every five seconds since it was named, independent of its crowd: otherwise the most
 * frequent caller would use all openings of a crowd. Few people type a password faster; a name for each guess has to be that
 * old.
 */
const turnEveryMs = 5000;

/** Subject that an attempt is counted for. */
export interface Subject {
  kind: keyof typeof growths;
  name: string;
  /** Time since this service named a browser. */
  ageMs?: number;
}

type Row = Selectable<SignInDelaysTable>;

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
   * the delay in milliseconds while one of them must wait; then nothing is counted or written.
   */
  async take(subjects: Subject[]): Promise<number> {
    const byId = new Map(subjects.map((subject) => [this.#idOf(subject), subject]));
    const ids = [...byId.keys()].sort();
    try {
      await this.#records.transact(async (tx) => {
        // Read behind the lock: concurrent attempts are as late as their turn.
        let now = 0;
        const rows = await this.#open(tx, ids, (found) => {
          now = this.#now();
          requireOpen(found, byId, now);
        });
        for (const row of rows) {
          const growth = growthOf(byId.get(row.id));
          const next = Math.min(rememberedIn(row, growth, now) + 1, failuresMax(growth));
          const waitMs = delayMs(growth, next);
          // Without a delay there is none for a process whose clock is behind either.
          const counted = { failures: next, failed_at: now, open_at: waitMs && now + waitMs };
          await tx.updateTable('sign_in_delays').set(counted).where('id', '=', row.id).execute();
        }
      });
      return 0;
    } catch (error) {
      if (error instanceof MustWait) return error.waitMs;
      throw error;
    }
  }

  /** Locks the rows of subjects, made where absent. `check` looks before a row is made, and again at those of others. */
  async #open(tx: Transaction, ids: string[], check: (rows: Row[]) => void): Promise<Row[]> {
    const present = await this.#lock(tx, ids);
    check(present);
    if (present.length === ids.length) return present;
    await tx
      .insertInto('sign_in_delays')
      .values(ids.map((id) => ({ id, failures: 0, failed_at: this.#now(), open_at: 0 })))
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
    const rows = await this.#lock(tx, ids);
    check(rows);
    return rows;
  }

  /** Resets the subjects after a right attempt. */
  async clear(subjects: Subject[]): Promise<void> {
    const ids = subjects.map((subject) => this.#idOf(subject));
    await this.#records.transact((tx) => tx.deleteFrom('sign_in_delays').where('id', 'in', ids).execute());
  }

  /** Takes back this attempt only: the owner of one password must not use it to try others from the same network without limit. */
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

  #lock(tx: Transaction, ids: string[]): Promise<Row[]> {
    const query = tx.selectFrom('sign_in_delays').selectAll().where('id', 'in', ids).orderBy('id');
    return (this.#records.dialect === 'postgres' ? query.forUpdate() : query).execute();
  }
}

/** Rolls back what was written for an attempt that must wait. */
class MustWait extends Error {
  readonly waitMs: number;

  constructor(waitMs: number) {
    super(`wait ${waitMs} ms`);
    this.waitMs = waitMs;
  }
}

function requireOpen(rows: Row[], byId: ReadonlyMap<string, Subject>, now: number): void {
  const waits = rows.map((row) => {
    const subject = byId.get(row.id);
    const waitMs = waitOf(row.open_at - now, growthOf(subject));
    return subject?.kind === 'crowd' && waitMs > 0 ? turnOf(waitMs, rows, byId, now) : waitMs;
  });
  const waitMs = Math.max(0, ...waits);
  if (waitMs > 0) throw new MustWait(waitMs);
}

/** Returns the time until a browser of a crowd has its own turn. One that gave no name has those of the crowd alone. */
function turnOf(crowdMs: number, rows: Row[], byId: ReadonlyMap<string, Subject>, now: number): number {
  const [id, browser] = [...byId].find(([, { kind }]) => kind === 'browser') ?? [];
  const ageMs = browser?.ageMs ?? -1;
  // A clock that was set back made the name in the future.
  if (ageMs < 0) return crowdMs;
  const row = rows.find((one) => one.id === id);
  const failures = row ? rememberedIn(row, growths.browser, now) : 0;
  return Math.max(0, turnEveryMs * (failures + 1) - ageMs);
}

const growthOf = (subject: Subject | undefined): Growth => growths[subject?.kind ?? 'user'];

function rememberedIn({ failures, failed_at }: Row, { forgottenEveryMs }: Growth, now: number): number {
  return Math.max(0, failures - Math.floor(Math.max(0, now - failed_at) / forgottenEveryMs));
}

/** Ignores a delay above the maximum, beyond what clocks of processes differ: it was set before the clock was set back. */
function waitOf(waitMs: number, { delayMaxMs }: Growth): number {
  return waitMs > delayMaxMs + clocksDifferMaxMs ? 0 : Math.min(waitMs, delayMaxMs);
}

function delayMs({ free, delayMaxMs }: Growth, failures: number): number {
  return failures <= free ? 0 : Math.min(delayMaxMs, firstDelayMs * 2 ** (failures - free - 1));
}

/** Returns the failures that cause the longest delay: more are not counted, so that decay starts at once. */
function failuresMax({ free, delayMaxMs }: Growth): number {
  return free + 1 + Math.ceil(Math.log2(delayMaxMs / firstDelayMs));
}
