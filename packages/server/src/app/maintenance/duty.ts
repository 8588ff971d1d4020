import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { leaseNow } from '../../platform/records/clock.ts';
import type { Records } from '../../platform/records/index.ts';

/** No lease is as long: one that ends later was not taken by a process. */
const leaseFarMs = 366 * 86_400_000;

/** Lease of periodic work over all processes that share a database. */
export class Duty {
  readonly #records: Records;
  readonly #name: string;
  readonly leaseMs: number;
  readonly #owner = randomBytes(16).toString('hex');

  constructor(records: Records, name: string, leaseMs: number) {
    this.#records = records;
    this.#name = name;
    this.leaseMs = leaseMs;
  }

  /** Takes or prolongs the lease. False while another process holds it. */
  async take(): Promise<boolean> {
    const now = leaseNow(this.#records.dialect);
    const { rows } = await this.#records.transact((tx) =>
      sql`
        insert into duties (name, owner, held_until)
        values (${this.#name}, ${this.#owner}, ${now} + ${sql.lit(this.leaseMs)})
        on conflict (name) do update set owner = excluded.owner, held_until = excluded.held_until
        where duties.owner = excluded.owner or duties.held_until < ${now}
          or duties.held_until > ${now} + ${sql.lit(leaseFarMs)}
        returning name
      `.execute(tx),
    );
    return rows.length > 0;
  }

  /** Gives the lease back, so that another process need not wait for its end. */
  async release(): Promise<void> {
    await this.#records.transact((tx) =>
      tx.deleteFrom('duties').where('name', '=', this.#name).where('owner', '=', this.#owner).execute(),
    );
  }
}
