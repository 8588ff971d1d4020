import type { Reader, Transaction } from '../../../platform/records/records.ts';
import { removeAttributes } from '../users/index.ts';

/** Ends what a user holds in an account that is left, in the transaction of the leaving. */
export type MembershipEnd = (tx: Transaction, account: string, userId: string) => Promise<void>;

/** Ids per query. */
const batchIds = 500;

/** Reports whether a user is in a group of one of these accounts, or owns one. Accounts under removal do not count. */
export async function belongsTo(
  read: Reader | Transaction,
  accounts: string[],
  userId: string,
): Promise<boolean> {
  if (accounts.length === 0) return false;
  const joined = read.selectFrom('group_members').select('account_id').where('user_id', '=', userId);
  const found = await read
    .selectFrom('accounts')
    .select('id')
    .where('id', 'in', accounts)
    .where((where) => where.or([where('owner_id', '=', userId), where('id', 'in', joined)]))
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * Ends memberships. Users without a group of the account lose their keys and sign-ins for it, and its attributes; the owner
 * keeps them. A later return restores nothing. Returns their number.
 */
export async function endMemberships(
  tx: Transaction,
  account: string,
  userIds: string[],
  onEnd: MembershipEnd,
): Promise<number> {
  let left = 0;
  for (let at = 0; at < userIds.length; at += batchIds) {
    const ids = userIds.slice(at, at + batchIds);
    const staying = await tx
      .selectFrom('group_members')
      .select('user_id')
      .where('account_id', '=', account)
      .where('user_id', 'in', ids)
      .union(tx.selectFrom('accounts').select('owner_id as user_id').where('id', '=', account))
      .execute();
    const stays = new Set(staying.map(({ user_id }) => user_id));
    for (const id of ids.filter((one) => !stays.has(one))) {
      left++;
      await onEnd(tx, account, id);
      await removeAttributes(tx, account, id);
    }
  }
  return left;
}
