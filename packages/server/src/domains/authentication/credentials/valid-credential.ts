import type { Caller } from '../../../access/caller.ts';
import { notFound, Problem } from '../../../base/problem.ts';
import type { Transaction } from '../../../platform/records/records.ts';
import { isMember, lockAccount } from '../../identity/groups/index.ts';
import { lockUser } from '../../identity/users/index.ts';
import { lockSession } from '../sign-in/sessions/index.ts';

/**
 * Requires that the credential of the caller is still valid, since a key outlives it. A concurrent removal
 * from the account waits and then finds the new key. Throws 401 or 404 when the removal was first.
 */
export async function requireValidCredential(
  tx: Transaction,
  caller: Caller,
  account: string,
): Promise<void> {
  await lockAccount(tx, account);
  await lockUser(tx, caller.userId);
  if (!(await isLive(tx, caller.via))) {
    const message = 'Your credential has ended meanwhile. Sign in again, or use another key.';
    throw new Problem(401, 'UNAUTHENTICATED', message);
  }
  if (!(await isMember(tx, account, caller.userId))) throw notFound();
}

/**
 * Reports whether a credential has not ended, and locks its row only: ending it locks no more than that
 * either.
 */
export async function isLive(tx: Transaction, via: string): Promise<boolean> {
  const [kind, id = ''] = via.split(':');
  if (kind === 'session') return lockSession(tx, id);
  const held = await tx
    .updateTable(kind === 'grant' ? 'grants' : 'api_keys')
    .set({ revoked_at: null })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return held.numUpdatedRows === 1n;
}
