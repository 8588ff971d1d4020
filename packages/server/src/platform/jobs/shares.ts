import { type RawBuilder, sql } from 'kysely';
import { sharedNow } from '../records/clock.ts';
import type { Reader, Records, Transaction } from '../records/records.ts';
import { costOf, namesOf, type Shares, type Whose } from './admission.ts';

/** Use is halved this often, for all at the same moment: so that the past stops to count, and ratios remain. */
const epochMs = 60_000;
/** Halvings after which nothing is left. */
const epochsMax = 30;

const epochOf = (now: number): number => Math.floor(now / epochMs);

/** Returns what is left of a use after some epochs. */
function leftOf(used: number, epochs: number): number {
  return Math.floor(used / 2 ** Math.min(Math.max(epochs, 0), epochsMax));
}

/** Shares of what ran without a job, in memory: a write for each request would cost more than a restart forgets. */
export class SharesInMemory {
  readonly #used = new Map<string, { used: number; epoch: number }>();

  charge(whose: Whose, ranMs: number, now: number): void {
    const epoch = epochOf(now);
    for (const name of namesOf(whose)) {
      const former = this.#used.get(name) ?? { used: 0, epoch };
      this.#used.set(name, { used: leftOf(former.used, epoch - former.epoch) + costOf(ranMs), epoch });
    }
  }

  /** Returns the remaining shares, and forgets empty ones. */
  at(now: number): Shares {
    const epoch = epochOf(now);
    for (const [name, one] of this.#used)
      if (leftOf(one.used, epoch - one.epoch) === 0) this.#used.delete(name);
    return new Map([...this.#used].map(([name, one]) => [name, leftOf(one.used, epoch - one.epoch)]));
  }
}

/** Adds shares of the same names. */
export function sumOf(one: Shares, other: Shares): Shares {
  const sum = new Map(one);
  for (const [name, used] of other) sum.set(name, (sum.get(name) ?? 0) + used);
  return sum;
}

/** Run of a job that has ended. */
interface EndedRun {
  class: string;
  whose: Whose;
  claimedAt: number | null;
}

/** Counts the time of a run for its account, project and user, in the transaction that ends it. */
export async function charge(
  dialect: Records['dialect'],
  tx: Transaction,
  { class: name, whose, claimedAt }: EndedRun,
): Promise<void> {
  const names = namesOf(whose);
  if (names.length === 0) return;
  const { rows } = await sql<{ now: number }>`select ${sharedNow(dialect)} as now`.execute(tx);
  const now = Number(rows[0]?.now ?? 0);
  const epoch = epochOf(now);
  const used = Math.round(costOf(now - (claimedAt ?? now)));
  for (const share of names)
    await tx
      .insertInto('job_shares')
      .values({ class: name, name: share, used, epoch })
      .onConflict((conflict) =>
        conflict.columns(['class', 'name']).doUpdateSet({ used: added(dialect, used, epoch), epoch }),
      )
      .execute();
}

/** Adds to a use what is left of the former one. */
function added(dialect: Records['dialect'], used: number, epoch: number): RawBuilder<number> {
  const greatest = sql.raw(dialect === 'postgres' ? 'greatest' : 'max');
  const least = sql.raw(dialect === 'postgres' ? 'least' : 'min');
  const epochs = sql`${least}(${greatest}(${sql.lit(epoch)} - job_shares.epoch, 0), ${sql.lit(epochsMax)})`;
  return sql<number>`(job_shares.used >> cast(${epochs} as integer)) + ${sql.lit(used)}`;
}

/** Reads the shares of a class. */
export async function readShares(db: Reader | Transaction, name: string, now: number): Promise<Shares> {
  const rows = await db
    .selectFrom('job_shares')
    .select(['name', 'used', 'epoch'])
    .where('class', '=', name)
    .where('epoch', '>=', epochOf(now) - epochsMax)
    .execute();
  return new Map(rows.map(({ name: share, used, epoch }) => [share, leftOf(used, epochOf(now) - epoch)]));
}

/** Removes shares of which nothing is left. */
export async function trimShares(tx: Transaction, now: number): Promise<void> {
  await tx
    .deleteFrom('job_shares')
    .where('epoch', '<', epochOf(now) - epochsMax)
    .execute();
}
