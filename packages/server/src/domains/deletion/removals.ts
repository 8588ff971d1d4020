import { prefixEnd } from '../../names.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Reader, Transaction } from '../../platform/records/records.ts';
import type { RemovedKind } from './remover.ts';

/** The kind of the job that carries a removal out. */
export const removalJob = 'deletion.remove';
/** A removal is never given up: when these are used up it is queued anew (run-removal.ts). */
const attemptsMax = 50;
/** Rows of one INSERT: a statement has a limited number of parameters. */
const insertRows = 500;

/** What begins to be removed. */
export interface Removed {
  kind: RemovedKind;
  id: string;
  account: string;
}

/** Removals: begun here, in the transaction in which a thing disappears for everybody; carried out by run-removal.ts. */
export class Removals {
  readonly #jobs: Pick<Jobs, 'add'>;

  constructor(jobs: Pick<Jobs, 'add'>) {
    this.#jobs = jobs;
  }

  /**
   * Records that the thing is being removed, with the job that does it. Its own row goes in the same transaction; `counts` is
   * what went with it already.
   */
  async begin(tx: Transaction, removed: Removed, counts: Record<string, number> = {}): Promise<void> {
    await insertRemovals(tx, [removed], counts);
    await queueRemoval(this.#jobs, tx, removed);
  }

  /** Records projects that go with their account; its job removes them too. */
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
  { kind, id }: Pick<Removed, 'kind' | 'id'>,
  notBefore = 0,
): Promise<void> {
  await jobs.add(tx, { kind: removalJob, payload: { kind, id }, attemptsMax, notBefore });
}

/** Ids of removed accounts that begin with `prefix`: they are never given again. */
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
