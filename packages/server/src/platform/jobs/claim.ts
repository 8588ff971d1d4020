import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { exactMax } from '../records/bound-numbers.ts';
import { leaseNow, sharedNow } from '../records/clock.ts';
import { isRetryable, isUnavailable } from '../records/errors.ts';
import type { Records, Transaction } from '../records/records.ts';
import type { Job } from './jobs.ts';
import type { JobRow } from './rows.ts';
import { jobOf } from './rows.ts';

/** On PostgreSQL one claim at a time, over all processes: so that each sees what the others left of a key's limit. */
const claimLock = 7_308_332_046;

/** The turn after it could not be counted: one as large was not given by a claim. */
const turnEnd = sql.lit(exactMax);

export interface Claim {
  kind: string;
  owner: string;
  /** New and random: who holds it holds the job. */
  lease: string;
  leaseMs: number;
}

/** Returns the kinds with a due waiting job: one query, where a claim of each kind takes four. */
export async function waitingKinds(records: Records, kinds: readonly string[]): Promise<string[]> {
  if (kinds.length === 0) return [];
  const list = sql.join(
    kinds.map((kind) => sql`select ${kind} as kind`),
    sql` union all `,
  );
  const { rows } = await sql<{ kind: string }>`
    select asked.kind from (${list}) as asked
    where exists (
      select 1 from jobs
      where jobs.state = 'queued' and jobs.kind = asked.kind and jobs.not_before <= ${sharedNow(records.dialect)}
    )
  `.execute(records.read);
  return rows.map(({ kind }) => kind);
}

/** Takes the job whose turn it is, in one conditional update; undefined when none may run. */
export async function claimJob(
  dialect: Records['dialect'],
  tx: Transaction,
  claim: Claim,
): Promise<Job | undefined> {
  if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(${claimLock})`.execute(tx);
  const now = sharedNow(dialect);
  const { rows: next } = await nextJob(dialect, now, claim.kind).execute(tx);
  const [job] = next;
  if (job === undefined) return undefined;
  const { rows } = await sql<JobRow>`
    update jobs
    set state = 'running', attempts = attempts + 1, owner = ${claim.owner}, lease = ${claim.lease}, turn = ${job.turn},
      lease_until = ${leaseNow(dialect)} + ${sql.lit(claim.leaseMs)}
    where state = 'queued' and seq = ${job.seq}
    returning *
  `
    .execute(tx)
    .catch((error: unknown) => {
      if (isRetryable(error) || isUnavailable(error)) throw error;
      throw new ClaimFailed(job, error);
    });
  const [row] = rows;
  return row && jobOf(row);
}

/** The job whose turn it is cannot be taken: no other would have its turn before it. */
export class ClaimFailed extends Error {
  readonly seq: number;

  constructor({ seq }: { seq: number }, cause: unknown) {
    super('A job cannot be claimed.', { cause });
    this.seq = seq;
  }
}

/**
 * Fair to the keys (projects) and to the shares (users) alike, over all processes, because the turns are in the records. A job's
 * turn is one more than the last turn of its key and than the last one of its share, but not less than the turn that was on when
 * it arrived: who comes now and then stands where the others are, and not before or behind them. The least turn is next; of
 * equal ones that of the share whose last turn is longest ago, and of one share's that of the key.
 *
 * It hops from pair to pair of key and share along the index, so the cost grows with the pairs that wait and not with the jobs.
 */
function nextJob(
  dialect: Records['dialect'],
  now: RawBuilder<number>,
  kind: string,
): RawBuilder<{ seq: number; turn: number }> {
  const waiting = sql`state = 'queued' and kind = ${kind} and not_before <= ${now}`;
  const greatest = sql.raw(dialect === 'postgres' ? 'greatest' : 'max');
  const running = (column: string) =>
    sql`(select count(*) from jobs as running where running.state = 'running' and running.${sql.ref(column)} = heads.${sql.ref(column)})`;
  const turnAfter = (column: string) => sql`case when heads.${sql.ref(column)} = '' then 0 else coalesce((
    select max(turn) + 1 from jobs as ran where ran.turn < ${turnEnd} and ran.attempts > 0 and ran.${sql.ref(column)} = heads.${sql.ref(column)}
  ), 0) end`;
  return sql<{ seq: number; turn: number }>`
    with recursive pairs (seq) as (
      select * from (select seq from jobs where ${waiting} order by queue_key, share_key, seq limit 1) as first_pair
      union all
      select (
        select seq from jobs
        where ${waiting} and (queue_key, share_key) >
          (select head.queue_key, head.share_key from jobs as head where head.seq = pairs.seq)
        order by queue_key, share_key, seq limit 1
      )
      from pairs where pairs.seq is not null
    ),
    turns as (
      select heads.seq, ${turnAfter('share_key')} as share_turn,
        ${greatest}(heads.turn, ${turnAfter('queue_key')}) as queue_turn
      from pairs join jobs as heads on heads.seq = pairs.seq
      where (queue_max is null or queue_max > ${running('queue_key')})
        and (share_max is null or share_max > ${running('share_key')})
    )
    select seq, ${greatest}(queue_turn, share_turn) as turn from turns
    order by turn, share_turn, queue_turn, seq
    limit 1
  `;
}

/** The turn that is on, for a job that arrives: one look into an index. */
export function presentTurn(kind: string): RawBuilder<number> {
  return sql<number>`(select coalesce(max(turn), 0) from jobs where kind = ${kind} and attempts > 0 and turn < ${turnEnd})`;
}
