import type { Caller } from '../../../access/caller.ts';
import type { OperationName } from '../../../access/operations.ts';
import type { Located } from '../../../api/route.ts';
import { Problem } from '../../../base/problem.ts';
import { onPostgres } from '../../../platform/records/columns.ts';
import type { Transaction } from '../../../platform/records/records.ts';
import { type Audit, actor } from '../../audit/index.ts';
import type { User } from './users.ts';

/** Actor, for the audit log. */
export interface By {
  caller: Caller;
  requestId: string;
}

/**
 * Records a user's own change in every account of the user, last in the transaction and in a fixed order. Only the account of
 * the request sees the key.
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

/** Lists the accounts of a user by id and delays their removal until the transaction ends. */
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

/** Locates a visible user, for routes about one user; they concern no account but the key's. */
export function locatedUser(caller: Caller, user: User | undefined): Located<User> | undefined {
  return (
    user && { attributes: { account: caller.keyAccount ?? '', type: 'user', id: user.id }, record: user }
  );
}

/** Throws 403 for another user. */
export function requireOneself(caller: Caller, user: User): void {
  if (user.id === caller.userId) return;
  throw new Problem(403, 'ONLY_ONESELF', 'This is limited to your own user.');
}
