import { prefixEnd } from '../../base/names.ts';
import { type Jobs, nobody } from '../../platform/jobs/index.ts';
import type { Reader, Transaction } from '../../platform/records/records.ts';
import type { RemovedKind } from './remover.ts';

/** Kind of the job that carries out a removal. */
export const removalJob = 'deletion.remove';
/** Attempts of one job; a failed removal is queued again (run-removal.ts). */
const attemptsMax = 50;
/** Rows of one INSERT: a statement has a limited number of parameters. */
const insertRows = 500;

/** Project or account to remove. */
export interface Removed {
  kind: RemovedKind;
  id: string;
  account: string;
}

/** Removals: begun in the transaction that hides the project or account; carried out by run-removal.ts. */
export class Removals {
  readonly #jobs: Pick<Jobs, 'add'>;

  constructor(jobs: Pick<Jobs, 'add'>) {
    this.#jobs = jobs;
  }

  /**
   * Records the removal with its job. The row itself goes in the same transaction; `counts` is what went with
   * it already.
   */
  async begin(tx: Transaction, removed: Removed, counts: Record<string, number> = {}): Promise<void> {
    await insertRemovals(tx, [removed], counts);
    await queueRemoval(this.#jobs, tx, removed);
  }

  /** Records projects removed with their account; its job removes them too. */
  async beginWithAccount(tx: Transaction, account: string, projects: string[]): Promise<void> {
    const removed = projects.map((id) => ({ kind: 'project' as const, id, account }));
    for (let at = 0; at < removed.length; at += insertRows)
      await insertRemovals(tx, removed.slice(at, at + insertRows));
  }
}

/** Queues the job of a removal. */
export async function queueRemoval(
  jobs: Pick<Jobs, 'add'>,
  tx: Transaction,
  removed: Pick<Removed, 'kind' | 'id'>,
  notBefore = 0,
): Promise<void> {
  await jobs.add(tx, {
    ...{ kind: removalJob, class: 'removal', whose: nobody },
    ...{ payload: payloadOf(removed), attemptsMax, notBefore },
  });
}

/** Queues the job of a removal that has none. */
export async function queueIfLost(
  jobs: Pick<Jobs, 'add'>,
  tx: Transaction,
  removed: Pick<Removed, 'kind' | 'id'>,
): Promise<void> {
  const job = await tx
    .selectFrom('jobs')
    .select('id')
    .where('kind', '=', removalJob)
    .where('state', 'in', ['queued', 'running'])
    .where('payload', '=', JSON.stringify(payloadOf(removed)))
    .executeTakeFirst();
  if (!job) await queueRemoval(jobs, tx, removed);
}

const payloadOf = ({ kind, id }: Pick<Removed, 'kind' | 'id'>) => ({ kind, id });

/** Lists ids of removed accounts that begin with `prefix`: they are never reused. */
export async function removedAccounts(db: Reader | Transaction, prefix: string): Promise<string[]> {
  const rows = await db
    .selectFrom('removals')
    .select('id')
    .where('kind', '=', 'account')
    .where('id', '>=', prefix)
    .where('id', '<', prefixEnd(prefix))
    .execute();
  return rows.map(({ id }) => id);
}

async function insertRemovals(
  tx: Transaction,
  removed: Removed[],
  counts: Record<string, number> = {},
): Promise<void> {
  const begun_at = Date.now();
  const rows = removed.map(({ kind, id, account }) => ({
    kind,
    id,
    account_id: account,
    state: 'running' as const,
    counts: JSON.stringify(counts),
    begun_at,
    ended_at: null,
  }));
  await tx.insertInto('removals').values(rows).execute();
}
