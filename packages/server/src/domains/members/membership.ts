import type { Reader, Transaction } from '../../platform/records/records.ts';
import { revokeKeysOf } from '../keys/index.ts';
import { endSignInsFor } from '../oauth/index.ts';
import { removeAttributes } from '../users/index.ts';

/** Most ids of one query. */
const batchIds = 500;

/** Whether somebody belongs to one of these accounts: is in a group of it, or owns it. One that is being removed is gone. */
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
 * Who of these people is in no group of the account any more, and does not own it, has left it: his keys of the account and
 * the sign-ins for it alone end, and what it said of him is forgotten, so that nothing of that comes back with him. Answers how many have left.
 */
export async function settleLeavers(tx: Transaction, account: string, userIds: string[]): Promise<number> {
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
      await revokeKeysOf(tx, id, account);
      await endSignInsFor(tx, account, id);
      await removeAttributes(tx, account, id);
    }
  }
  return left;
}
