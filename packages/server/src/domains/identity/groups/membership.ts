import { emailKey } from '../../../base/names.ts';
import { conflict, notFound } from '../../../base/problem.ts';
import type { Reader, Records, Transaction } from '../../../platform/records/records.ts';
import { findNamesakes, type User } from '../users/index.ts';
import type { Group } from './store.ts';

/**
 * Reports whether a user is in a group of an account or owns it (docs/api/policies.md).
 */
export async function isMember(db: Reader | Transaction, account: string, userId: string): Promise<boolean> {
  const owned = db
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', account)
    .where('owner_id', '=', userId);
  const joined = db
    .selectFrom('group_members')
    // An account under removal is gone, even while rows of it remain.
    .innerJoin('accounts', 'accounts.id', 'group_members.account_id')
    .select('account_id as id')
    .where('account_id', '=', account)
    .where('user_id', '=', userId);
  return (await owned.unionAll(joined).executeTakeFirst()) !== undefined;
}

/**
 * Finds the member of an account with an id or e-mail address. Throws 409 for an address of several members.
 */
export async function findMember(
  db: Reader | Transaction,
  account: string,
  idOrEmail: string,
): Promise<User | undefined> {
  const members: User[] = [];
  for (const user of await findNamesakes(db, idOrEmail))
    if (await isMember(db, account, user.id)) members.push(user);
  if (members.length > 1)
    throw conflict(
      'SEVERAL_USERS',
      'Several members of the account have this address, because its identity provider created one of them. Use the id of the user.',
    );
  return members[0];
}

/**
 * Finds the user that an account may add by id or address: its member, by proven address before claimed
 * address; else, in the same order, a user outside.
 */
export async function findUserFor(
  db: Reader | Transaction,
  account: string,
  idOrEmail: string,
): Promise<User | undefined> {
  const found = (await findNamesakes(db, idOrEmail)).filter(
    (user) => user.claimedBy === undefined || user.claimedBy === account || user.id === emailKey(idOrEmail),
  );
  for (const user of found) if (await isMember(db, account, user.id)) return user;
  return found[0];
}

/** Lists the accounts of a user in a fixed order. */
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

/**
 * Locks the group memberships of an account until the transaction ends: decisions about a user's last group,
 * or the last administrator, hold until the commit. Throws 404 for an account that is gone.
 */
export async function lockAccount(tx: Transaction, id: string): Promise<void> {
  if (!(await tryLockAccount(tx, id))) throw notFound();
}

/** Locks like `lockAccount`, for callers that handle a missing account; reports whether it exists. */
export async function tryLockAccount(tx: Transaction, id: string): Promise<boolean> {
  const found = await tx
    .updateTable('accounts')
    .set({ id })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * Adds a user to a group; a member stays one. Returns whether the user is new in it. Throws 404 for a group
 * that is gone.
 */
export async function addMember(tx: Transaction, group: Group, userId: string): Promise<boolean> {
  await lockAccount(tx, group.account);
  const present = await tx
    .selectFrom('groups')
    .select('id')
    .where('id', '=', group.id)
    .where('account_id', '=', group.account)
    .executeTakeFirst();
  if (!present) throw notFound();
  const added = await tx
    .insertInto('group_members')
    .values({ group_id: group.id, account_id: group.account, user_id: userId, added_at: Date.now() })
    .onConflict((conflict) => conflict.columns(['group_id', 'user_id']).doNothing())
    .returning('user_id')
    .executeTakeFirst();
  return added !== undefined;
}

/** Removes a user from a group, unless it is the last one in the account. Returns whether the user was in it. */
export async function leaveGroup(tx: Transaction, { id, account }: Group, userId: string): Promise<boolean> {
  const own = await tx
    .selectFrom('group_members')
    .select('group_id')
    .where('account_id', '=', account)
    .where('user_id', '=', userId)
    .execute();
  if (own.length < 2 || !own.some(({ group_id }) => group_id === id)) return false;
  await tx.deleteFrom('group_members').where('group_id', '=', id).where('user_id', '=', userId).execute();
  return true;
}

/** Delays the removal of a group and its account until the transaction ends; false when one is gone. */
export async function lockGroup(
  tx: Transaction,
  dialect: Records['dialect'],
  group: Group,
): Promise<boolean> {
  const account = tx.selectFrom('accounts').select('id').where('id', '=', group.account);
  const row = tx
    .selectFrom('groups')
    .select('id')
    .where('id', '=', group.id)
    .where('account_id', '=', group.account);
  // SQLite runs one transaction at a time.
  const locked = dialect === 'postgres' ? [account.forNoKeyUpdate(), row.forShare()] : [account, row];
  for (const query of locked) if (!(await query.executeTakeFirst())) return false;
  return true;
}
