import { type RawBuilder, sql, type UpdateObject } from 'kysely';
import { leaseNow, sharedNow } from '../records/clock.ts';
import type { Records, Transaction } from '../records/records.ts';
import type { Database } from '../records/schema.ts';
import { jobClasses } from './admission.ts';
import type { JobCount } from './jobs.ts';
import { queuedTopic } from './queue.ts';
import type { JobRow } from './rows.ts';
import { whoseOf } from './rows.ts';
import { charge, trimShares } from './shares.ts';

/** Retention of ended jobs. */
const keptMs = 30 * 24 * 3_600_000;
const trimMax = 1000;
/** Time that a job of an unknown kind waits for a process with that kind, as while versions change. */
const unknownKeptMs = 24 * 3_600_000;
/** No lease is as long: one that ends later was not written by a runner. */
const leaseFarMs = 24 * 3_600_000;

/** A literal, which the partial indexes ask for. */
const isRunning = sql.lit('running' as const);

const free = { owner: null, lease: null, lease_until: null };

/** Start of the longest wait of jobs that may start by now. */
const dueSince = (now: RawBuilder<number>) => sql<number | null>`
  min(case when not_before <= ${now} and not_before > waiting_since then not_before
    when not_before <= ${now} then waiting_since end)`;

/** The changes of state that a lease allows. Each is conditional on the lease, and answers whether it was still held. */
export class JobStore {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  /** Prolongs the leases that have not run out; answers which. */
  async renew(tx: Transaction, leases: string[], leaseMs: number): Promise<Set<string>> {
    const now = leaseNow(this.#records.dialect);
    const rows = await tx
      .updateTable('jobs')
      .set(({ eb }) => ({ lease_until: eb(now, '+', leaseMs) }))
      .where('lease', 'in', leases)
      .where('state', '=', 'running')
      .where('lease_until', '>', now)
      .returning('lease')
      .execute();
    return new Set(rows.map((row) => row.lease ?? ''));
  }

  /** Reports whether the lease is held; on PostgreSQL it remains held until `tx` ends. */
  async holds(tx: Transaction, lease: string): Promise<boolean> {
    const query = tx
      .selectFrom('jobs')
      .select('seq')
      .where('lease', '=', lease)
      .where('state', '=', 'running');
    const row = await (this.#records.dialect === 'postgres'
      ? query.forNoKeyUpdate()
      : query
    ).executeTakeFirst();
    return row !== undefined;
  }

  end(
    tx: Transaction,
    lease: string,
    state: 'succeeded' | 'failed',
    failure: string | null,
  ): Promise<boolean> {
    return this.#change(tx, lease, { state, failure, ended_at: Date.now(), ...free });
  }

  /** Ends a job that cannot be run, whatever its row holds. */
  async giveUp(tx: Transaction, seq: number, failure: string): Promise<boolean> {
    const { numUpdatedRows } = await tx
      .updateTable('jobs')
      .set({ state: 'failed', failure, ended_at: Date.now(), ...free })
      .where('seq', '=', seq)
      .where('state', 'in', ['queued', 'running'])
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** Waiting and running jobs, older than a day, of kinds that are not among `known`, or of no class. */
  async unknown(known: readonly string[]): Promise<Pick<JobRow, 'seq' | 'id' | 'kind'>[]> {
    const now = sharedNow(this.#records.dialect);
    const inState = (state: 'queued' | 'running') =>
      this.#records.read
        .selectFrom('jobs')
        .select(['seq', 'id', 'kind'])
        .where('state', '=', sql.lit(state))
        .where((eb) => eb.or([eb('kind', 'not in', [...known, '']), eb('class', 'not in', [...jobClasses])]))
        // A time far ahead was not set by any clock of ours.
        .where((eb) =>
          eb.or([
            eb('created_at', '<', eb(now, '-', unknownKeptMs)),
            eb('created_at', '>', eb(now, '+', unknownKeptMs)),
          ]),
        );
    return inState('queued').unionAll(inState('running')).execute();
  }

  /** Puts the job back into its queue, not to start before `delayMs` from now. */
  async requeue(
    tx: Transaction,
    job: Pick<JobRow, 'kind' | 'lease'>,
    options: { attempts?: number; lost?: number; delayMs?: number; failure?: string },
  ): Promise<boolean> {
    const { attempts, lost, delayMs = 0, failure } = options;
    const done = await this.#change(tx, job.lease ?? '', {
      state: 'queued',
      // Waits are spread at random; PostgreSQL accepts no fractions here.
      not_before: delayMs === 0 ? 0 : Date.now() + Math.round(delayMs),
      waiting_since: sharedNow(this.#records.dialect),
      ...(attempts === undefined ? {} : { attempts }),
      ...(lost === undefined ? {} : { lost }),
      ...(failure === undefined ? {} : { failure }),
      ...free,
    });
    if (done) await this.#records.announce(tx, queuedTopic + job.kind);
    return done;
  }

  /** Running jobs whose lease ran out; with `owner`, also those of any other owner. */
  async abandoned(owner: string | undefined): Promise<JobRow[]> {
    return this.#records.read
      .selectFrom('jobs')
      .selectAll()
      .where('state', '=', isRunning)
      .where((eb) => {
        const now = leaseNow(this.#records.dialect);
        const expired = eb.or([
          eb('lease_until', '<=', now),
          eb('lease_until', '>', eb(now, '+', leaseFarMs)),
          eb('lease_until', 'is', null),
        ]);
        return owner === undefined ? expired : eb.or([expired, eb('owner', '!=', owner)]);
      })
      .execute();
  }

  async isCancelled(id: string): Promise<boolean> {
    const row = await this.#records.read
      .selectFrom('jobs')
      .select('state')
      .where('id', '=', id)
      .executeTakeFirst();
    return row?.state === 'cancelled';
  }

  async count(): Promise<JobCount[]> {
    const inState = (state: JobCount['state']) =>
      this.#records.read
        .selectFrom('jobs')
        .select(({ fn }) => ['kind', sql.lit(state).as('state'), fn.countAll<number>().as('count')])
        .select(dueSince(sharedNow(this.#records.dialect)).as('dueSince'))
        .where('state', '=', sql.lit(state))
        .groupBy('kind');
    return inState('queued').unionAll(inState('running')).execute();
  }

  /** Removes jobs that ended long ago, and shares of which nothing is left. */
  async trim(): Promise<void> {
    for (;;) {
      const removed = await this.#records.transact((tx) =>
        tx
          .deleteFrom('jobs')
          .where('seq', 'in', (query) =>
            query
              .selectFrom('jobs')
              .select('seq')
              .where('ended_at', '<', Date.now() - keptMs)
              .limit(trimMax),
          )
          .executeTakeFirst(),
      );
      if (removed.numDeletedRows < BigInt(trimMax)) break;
    }
    await this.#records.transact((tx) => trimShares(tx, Date.now()));
  }

  /** Ends a run in some way, and counts its time for those whose work it was. */
  async #change(tx: Transaction, lease: string, values: UpdateObject<Database, 'jobs'>): Promise<boolean> {
    const row = await tx
      .updateTable('jobs')
      .set(values)
      .where('lease', '=', lease)
      .where('state', '=', 'running')
      .returning(['class', 'account_id', 'project_id', 'user_id', 'claimed_at'])
      .executeTakeFirst();
    if (!row) return false;
    const run = { class: row.class, whose: whoseOf(row), claimedAt: row.claimed_at };
    await charge(this.#records.dialect, tx, run);
    return true;
  }
}
