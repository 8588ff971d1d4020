import type { ResourceAttributes } from '../../access/resource.ts';
import { onPostgres } from '../../platform/records/columns.ts';
import { prepared } from '../../platform/records/prepared.ts';
import type { Reader, Transaction } from '../../platform/records/records.ts';
import { notFound } from '../../problem.ts';

/**
 * Whether a project is there. The rows of one that is being removed stay a while: whoever reaches rows by anything but the
 * project asks here, or joins `projects`. The gate asks for everything that a route locates (http/gate.ts).
 */
export async function projectExists(db: Reader | Transaction, id: string): Promise<boolean> {
  const found = await db.selectFrom('projects').select('id').where('id', '=', id).executeTakeFirst();
  return found !== undefined;
}

/** The same outside a transaction, for what nearly every request asks. */
export function projectLookup(read: Reader): (id: string) => Promise<boolean> {
  const byId = prepared(read, (from, id: string) =>
    from.selectFrom('projects').select('id').where('id', '=', id),
  );
  return async (id) => (await byId(id)).length > 0;
}

/** The project must be there when something is put into it, and its removal waits until the transaction has ended. */
export async function requireProject(tx: Transaction, id: string): Promise<void> {
  if (!(await requireProjectIfThere(tx, id))) throw notFound();
}

/** As `requireProject`, for jobs: answers whether the project is still there. */
export async function requireProjectIfThere(tx: Transaction, id: string): Promise<boolean> {
  const query = tx.selectFrom('projects').select('id').where('id', '=', id);
  const found = await (onPostgres(tx) ? query.forKeyShare() : query).executeTakeFirst();
  return found !== undefined;
}

/**
 * As `requireProject`, and until the transaction ends nobody else gets past here: what it finds in the project stays so
 * until it has committed.
 */
export async function lockProject(tx: Transaction, id: string): Promise<void> {
  if (!(await lockProjectIfThere(tx, id))) throw notFound();
}

/** As `lockProject`, for jobs: answers whether the project is still there. */
export async function lockProjectIfThere(tx: Transaction, id: string): Promise<boolean> {
  const found = await tx
    .updateTable('projects')
    .set({ id })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return found !== undefined;
}

/** What the audit log says of a project. */
export function attributesOfProject(id: string): Pick<ResourceAttributes, 'type' | 'id' | 'dataset'> {
  return { type: 'project', id, dataset: id };
}
