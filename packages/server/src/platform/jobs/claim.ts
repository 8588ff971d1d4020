import { sql } from 'kysely';
import { leaseNow, sharedNow } from '../records/clock.ts';
import { isRetryable, isUnavailable } from '../records/errors.ts';
import type { Reader, Records, Transaction } from '../records/records.ts';
import {
  chooseNext,
  type JobClass,
  type PlaceLimits,
  type RunningWork,
  type Shares,
  type WaitingWork,
} from './admission.ts';
import type { Job } from './jobs.ts';
import type { DirectWork } from './places.ts';
import type { JobRow } from './rows.ts';
import { jobOf, sizeOf, sizes, whoseOf } from './rows.ts';
import { charge, readShares, sumOf } from './shares.ts';

/** Locks claims over all processes on PostgreSQL: each sees the shares that the others left. */
const claimLock = 7_308_332_046;

/** Part of a row by which the waiting jobs of a class are grouped. */
const tuple = sql.raw('account_id, project_id, user_id, exclusive_key, is_long');
const isQueued = sql.lit('queued' as const);
const isRunning = sql.lit('running' as const);

interface Claim {
  class: JobClass;
  kinds: readonly string[];
  owner: string;
  /** Random token of the run: its holder holds the job. */
  lease: string;
  leaseMs: number;
  limits: PlaceLimits;
  /** Requests of callers that have or await places of this class in the process, and the shares of ended ones. */
  direct: { running: readonly DirectWork[]; waiting: readonly DirectWork[]; shares: Shares };
  /** Leases of the runs that have a place in the process. */
  held: ReadonlySet<string>;
}

/** Work that got a place: a job that now holds the lease, or a request of a caller. */
interface Claimed {
  job?: Job;
  direct?: DirectWork;
  /** Work that lost its place: a job was put back, a request is to be set aside. */
  displaced?: Holder;
}

interface WaitingJob extends WaitingWork {
  seq: number;
  kind: string;
  createdAt: number;
  exclusiveKey: string;
}

/** Work that has a place: a job, or a request of a caller in this process. */
interface Holder extends RunningWork {
  row?: JobRow;
  direct?: DirectWork;
}

/** Returns the classes with a due waiting job of these kinds: one query, where claims of each class need four. */
export async function waitingClasses(
  records: Records,
  classes: readonly JobClass[],
  kinds: readonly string[],
): Promise<Set<string>> {
  if (classes.length === 0 || kinds.length === 0) return new Set();
  const list = sql.join(
    classes.map((name) => sql`select ${name} as class`),
    sql` union all `,
  );
  const { rows } = await sql<{ class: string }>`
    select asked.class from (${list}) as asked
    where exists (
      select 1 from jobs where state = 'queued' and jobs.class = asked.class
        and kind in (${sql.join(kinds)}) and not_before <= ${sharedNow(records.dialect)}
    )
  `.execute(records.read);
  return new Set(rows.map((row) => row.class));
}

/** Fills the next place of a class, in one transaction; undefined without a permitted job. */
export async function claimNext(
  dialect: Records['dialect'],
  tx: Transaction,
  claim: Claim,
): Promise<Claimed | undefined> {
  if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(${claimLock})`.execute(tx);
  const now = await nowOf(dialect, tx);
  const running = await runningJobs(tx, claim.class, now);
  const taken = new Set(running.flatMap(({ row }) => row?.exclusive_key || []));
  const heads = await waitingHeads(dialect, tx, claim, now);
  const waiting = heads.filter(({ exclusiveKey }) => !taken.has(exclusiveKey));
  const requests = claim.direct.running.map(asHolder);
  const state = {
    running: [...running, ...requests],
    own: [...running.filter(({ row }) => claim.held.has(row?.lease ?? '')), ...requests],
    shares: sumOf(await readShares(tx, claim.class, now), claim.direct.shares),
  };
  const ages = [
    ...claim.direct.waiting.map((work) => ({ work, ageMs: work.waitedMs })),
    ...waiting.map((work) => ({ work, ageMs: now - work.createdAt })),
  ];
  const oldestFirst = ages.toSorted((one, other) => other.ageMs - one.ageMs).map(({ work }) => work);
  const chosen = chooseNext<WaitingJob | DirectWork, Holder>(oldestFirst, state, claim.limits);
  if (chosen === undefined) return undefined;
  const { next, displaced } = chosen;
  if (displaced?.row && !(await setAside(dialect, tx, displaced.row))) return undefined;
  const lost = displaced && { displaced };
  if (!('seq' in next)) return { direct: next, ...lost };
  const job = await take(dialect, tx, next, claim);
  return job && { job, ...lost };
}

async function nowOf(dialect: Records['dialect'], db: Reader | Transaction): Promise<number> {
  const { rows } = await sql<{ now: number }>`select ${sharedNow(dialect)} as now`.execute(db);
  return Number(rows[0]?.now);
}

/** Describes a request of a caller as one that has a place. */
export const asHolder = (direct: DirectWork): Holder => ({
  ...direct,
  direct,
  ranMs: performance.now() - direct.since,
});

export async function runningJobs(db: Reader | Transaction, name: string, now: number): Promise<Holder[]> {
  const rows = await db
    .selectFrom('jobs')
    .selectAll()
    .where('state', '=', isRunning)
    .where('class', '=', name)
    .execute();
  return rows.map((row) => ({
    ...{ row, whose: whoseOf(row), ...sizeOf(row) },
    ...{ ranMs: now - (row.claimed_at ?? now), setAside: row.set_aside },
  }));
}

/**
 * Reads the first waiting job of each group. It hops from group to group along the index: the cost grows with the waiting
 * groups and not with the jobs.
 */
async function waitingHeads(
  dialect: Records['dialect'],
  db: Reader | Transaction,
  { class: name, kinds }: Pick<Claim, 'class' | 'kinds'>,
  now: number,
): Promise<WaitingJob[]> {
  if (kinds.length === 0) return [];
  const waiting = sql`state = 'queued' and class = ${name} and not_before <= ${sharedNow(dialect)} and kind in (${sql.join(kinds)})`;
  const { rows } = await sql<JobRow>`
    with recursive heads (seq) as (
      select * from (select seq from jobs where ${waiting} order by ${tuple}, seq limit 1) as first_head
      union all
      select (
        select seq from jobs
        where ${waiting} and (${tuple}) > (select ${tuple} from jobs as head where head.seq = heads.seq)
        order by ${tuple}, seq limit 1
      )
      from heads where heads.seq is not null
    )
    select jobs.* from heads join jobs on jobs.seq = heads.seq
  `.execute(db);
  // The oldest of equals is first.
  const sorted = rows.toSorted((one, other) => one.seq - other.seq);
  return sorted.map((row) => ({
    ...{ seq: row.seq, kind: row.kind, createdAt: row.created_at, exclusiveKey: row.exclusive_key },
    ...{ whose: whoseOf(row), ...sizeOf(row) },
    waitedMs: now - row.waiting_since,
  }));
}

async function take(
  dialect: Records['dialect'],
  tx: Transaction,
  waiting: WaitingJob,
  claim: Claim,
): Promise<Job | undefined> {
  const { rows } = await sql<JobRow>`
    update jobs
    set state = 'running', attempts = attempts + 1, owner = ${claim.owner}, lease = ${claim.lease},
      claimed_at = ${sharedNow(dialect)}, lease_until = ${leaseNow(dialect)} + ${sql.lit(claim.leaseMs)}
    where state = ${isQueued} and seq = ${waiting.seq}
    returning *
  `
    .execute(tx)
    .catch((error: unknown) => {
      if (isRetryable(error) || isUnavailable(error)) throw error;
      throw new ClaimFailed(waiting, error);
    });
  const [row] = rows;
  return row && jobOf(row);
}

/** The job whose turn it is cannot be taken: no other would have its turn before it. */
export class ClaimFailed extends Error {
  readonly row: Pick<JobRow, 'seq' | 'kind'>;

  constructor({ seq, kind }: Pick<JobRow, 'seq' | 'kind'>, cause: unknown) {
    super('A job cannot be claimed.', { cause });
    this.row = { seq, kind };
  }
}

/** Puts a run back into the queue as long work, its attempt uncounted; false if it has ended meanwhile. */
async function setAside(dialect: Records['dialect'], tx: Transaction, row: JobRow): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('jobs')
    .set(({ eb }) => ({
      ...{ state: 'queued', owner: null, lease: null, lease_until: null, is_long: sizes.long, not_before: 0 },
      ...{ attempts: eb('attempts', '-', 1), set_aside: eb('set_aside', '+', 1) },
      ...{ waiting_since: sharedNow(dialect), claimed_at: null },
    }))
    .where('lease', '=', row.lease)
    .where('state', '=', isRunning)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await charge(dialect, tx, { class: row.class, whose: whoseOf(row), claimedAt: row.claimed_at });
  return true;
}
