import type { ResourceAttributes } from '../../../access/resource.ts';
import { notFound } from '../../../base/problem.ts';
import { onPostgres } from '../../../platform/records/columns.ts';
import { prepared } from '../../../platform/records/prepared.ts';
import type { Reader, Transaction } from '../../../platform/records/records.ts';

/**
 * Reports whether a project exists. Rows of a removed project remain for a while: code that reads rows by
 * other keys than the project checks here, or joins `projects`. The HTTP gate checks every located resource
 * (http/access/gate.ts).
 */
export async function projectExists(db: Reader | Transaction, id: string): Promise<boolean> {
  const found = await db.selectFrom('projects').select('id').where('id', '=', id).executeTakeFirst();
  return found !== undefined;
}

/** `projectExists` as a prepared query outside transactions, for use on nearly every request. */
export function projectLookup(read: Reader): (id: string) => Promise<boolean> {
  const byId = prepared(read, (from, id: string) =>
    from.selectFrom('projects').select('id').where('id', '=', id),
  );
  return async (id) => (await byId(id)).length > 0;
}

/** Requires the project to exist, and blocks its removal until the transaction ends. */
export async function requireProject(tx: Transaction, id: string): Promise<void> {
  if (!(await requireProjectIfThere(tx, id))) throw notFound();
}

/** `requireProject` for jobs: returns whether the project exists. */
export async function requireProjectIfThere(tx: Transaction, id: string): Promise<boolean> {
  const query = tx.selectFrom('projects').select('id').where('id', '=', id);
  const found = await (onPostgres(tx) ? query.forKeyShare() : query).executeTakeFirst();
  return found !== undefined;
}

/** `requireProject` with exclusive access: no other transaction passes here until this one ends. */
export async function lockProject(tx: Transaction, id: string): Promise<void> {
  if (!(await lockProjectIfThere(tx, id))) throw notFound();
}

/** `lockProject` for jobs: returns whether the project exists. */
export async function lockProjectIfThere(tx: Transaction, id: string): Promise<boolean> {
  const found = await tx
    .updateTable('projects')
    .set({ id })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return found !== undefined;
}

/** Attributes of a project in the audit log. */
export function attributesOfProject(id: string): Pick<ResourceAttributes, 'type' | 'id' | 'dataset'> {
  return { type: 'project', id, dataset: id };
}
