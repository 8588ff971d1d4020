import type { Caller } from '../../access/caller.ts';
import type { OperationName } from '../../access/operations.ts';
import { onPostgres } from '../../platform/records/columns.ts';
import type { Transaction } from '../../platform/records/records.ts';
import { Problem } from '../../problem.ts';
import type { Located } from '../../route.ts';
import { type Audit, actor } from '../audit/index.ts';
import type { User } from './users.ts';

/** Who acts, for the audit log. */
export interface By {
  caller: Caller;
  requestId: string;
}

/**
 * Tells of a change that somebody made to himself, in every account that he belongs to: each of them sees it. Only the account
 * that the request was made in learns with which key. Last in the transaction, the accounts always in the same order.
 */
export async function appendOwnChange(
  audit: Audit,
  tx: Transaction,
  by: By,
  change: { action: OperationName; details?: Record<string, string | number> },
): Promise<void> {
  const { userId, keyAccount } = by.caller;
  for (const account of await accountsOf(tx, userId)) {
    const here = keyAccount === undefined || keyAccount === account;
    await audit.append(tx, {
      account,
      ...(here ? actor(by.caller, by.requestId) : { userId, via: 'elsewhere' }),
      action: change.action,
      resource: { type: 'user', id: userId },
      outcome: 'done',
      ...(change.details && { details: change.details }),
    });
  }
}

/** The accounts of a user, in the order of their ids; none of them is removed before the transaction ends. */
async function accountsOf(tx: Transaction, userId: string): Promise<string[]> {
  const joined = tx.selectFrom('group_members').select('account_id').where('user_id', '=', userId);
  const query = tx
    .selectFrom('accounts')
    .select('id')
    .where((where) => where.or([where('owner_id', '=', userId), where('id', 'in', joined)]))
    .orderBy('id');
  const rows = await (onPostgres(tx) ? query.forKeyShare() : query).execute();
  return rows.map(({ id }) => id);
}

/** The user of this name whom the caller may know of, for routes about one user; no account but the key's is concerned. */
export function locatedUser(caller: Caller, user: User | undefined): Located<User> | undefined {
  return (
    user && { attributes: { account: caller.keyAccount ?? '', type: 'user', id: user.id }, record: user }
  );
}

/** Problem 403 when it is somebody else. */
export function requireOneself(caller: Caller, user: User): void {
  if (user.id === caller.userId) return;
  throw new Problem(403, 'ONLY_ONESELF', 'Everybody may do this for himself only.');
}
