import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { sharedNow } from '../records/clock.ts';
import type { Records, Transaction } from '../records/records.ts';
import type { Job } from './jobs.ts';
import type { JobRow } from './rows.ts';
import { jobOf } from './rows.ts';

/** On PostgreSQL one claim at a time, over all processes: so that each sees what the others left of a key's limit. */
const claimLock = 7_308_332_046;

export interface Claim {
  kind: string;
  owner: string;
  /** New and random: who holds it holds the job. */
  lease: string;
  leaseMs: number;
  /** The key served last; the next one in order has its turn. */
  lastKey: string;
}

/** Takes the oldest waiting job of the key whose turn it is, in one conditional update; undefined when none may run. */
export async function claimJob(
  dialect: Records['dialect'],
  tx: Transaction,
  claim: Claim,
): Promise<{ job: Job; queueKey: string } | undefined> {
  if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(${claimLock})`.execute(tx);
  const now = sharedNow(dialect);
  const { rows } = await sql<JobRow>`
    update jobs
    set state = 'running', attempts = attempts + 1, owner = ${claim.owner}, lease = ${claim.lease},
      lease_until = ${now} + ${sql.lit(claim.leaseMs)}
    where state = 'queued' and seq = (${nextJob(dialect, now, claim)})
    returning *
  `.execute(tx);
  const [row] = rows;
  return row && { job: jobOf(row), queueKey: row.queue_key };
}

/** Hops from key to key along the index, so the cost grows with the keys that wait and not with the jobs. */
function nextJob(dialect: Records['dialect'], now: RawBuilder<number>, claim: Claim): RawBuilder<unknown> {
  const waiting = sql`state = 'queued' and kind = ${claim.kind} and not_before <= ${now}`;
  return sql`
    with recursive heads (seq) as (
      select * from (select seq from jobs where ${waiting} order by queue_key, seq limit 1) as first_key
      union all
      select (
        select seq from jobs
        where ${waiting} and queue_key > (select queue_key from jobs as head where head.seq = heads.seq)
        order by queue_key, seq limit 1
      )
      from heads where heads.seq is not null
    )
    select jobs.seq from heads join jobs on jobs.seq = heads.seq
    where queue_max is null or queue_max > (
      select count(*) from jobs as running where running.state = 'running' and running.queue_key = jobs.queue_key
    )
    order by case when queue_key > ${claim.lastKey} then 0 else 1 end, queue_key
    limit 1
    ${dialect === 'postgres' ? sql`for update of jobs skip locked` : sql``}
  `;
}
