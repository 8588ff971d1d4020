import type { Caller } from '../../access/caller.ts';
import type { Transaction } from '../../platform/records/records.ts';
import { notFound, Problem } from '../../problem.ts';
import { isMember, lockAccount } from '../groups/index.ts';
import { holdSession } from '../sessions/index.ts';
import { lockUser } from '../users/index.ts';

/**
 * A key outlasts what the caller came with. Whoever takes him out of the account at this moment, or ends all that speaks for him, waits
 * and finds the new key; when he was faster there is none. Problem 401 or 404 then.
 */
export async function requireStanding(tx: Transaction, caller: Caller, account: string): Promise<void> {
  await lockAccount(tx, account);
  await lockUser(tx, caller.userId);
  if (!(await standing(tx, caller.via))) {
    const message = 'What you signed in with has ended meanwhile. Sign in again, or use another key.';
    throw new Problem(401, 'UNAUTHENTICATED', message);
  }
  if (!(await isMember(tx, account, caller.userId))) throw notFound();
}

/** Whether a credential was not ended since the request began. Its row is locked: who ends this one alone locks no more than that. */
async function standing(tx: Transaction, via: string): Promise<boolean> {
  const [kind, id = ''] = via.split(':');
  if (kind === 'session') return holdSession(tx, id);
  const held = await tx
    .updateTable(kind === 'grant' ? 'grants' : 'api_keys')
    .set({ revoked_at: null })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return held.numUpdatedRows === 1n;
}
