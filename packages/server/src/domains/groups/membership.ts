import type { Reader, Transaction } from '../../platform/records/records.ts';

/** Membership of an account = membership of one of its groups, or owning it (docs/clarifications.md, "Who may do what"). */
export async function isMember(db: Reader | Transaction, account: string, userId: string): Promise<boolean> {
  const owned = db
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', account)
    .where('owner_id', '=', userId);
  const joined = db
    .selectFrom('group_members')
    // An account that is being removed is gone, whatever rows of it are still there.
    .innerJoin('accounts', 'accounts.id', 'group_members.account_id')
    .select('account_id as id')
    .where('account_id', '=', account)
    .where('user_id', '=', userId);
  return (await owned.unionAll(joined).executeTakeFirst()) !== undefined;
}

/** The accounts that a user belongs to, in a fixed order. */
export async function accountsOf(db: Reader | Transaction, userId: string): Promise<string[]> {
  const owned = db.selectFrom('accounts').select('id').where('owner_id', '=', userId);
  const joined = db
    .selectFrom('group_members')
    .innerJoin('accounts', 'accounts.id', 'group_members.account_id')
    .select('account_id as id')
    .where('user_id', '=', userId);
  const rows = await owned.union(joined).execute();
  return rows.map(({ id }) => id).sort();
}
