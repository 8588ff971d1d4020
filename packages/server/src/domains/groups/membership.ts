import { emailKey } from '../../names.ts';
import type { Reader, Records, Transaction } from '../../platform/records/records.ts';
import { conflict, notFound } from '../../problem.ts';
import { findNamesakes, type User } from '../users/index.ts';
import type { Group } from './store.ts';

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

/** The member of an account whom an id or an e-mail address names. Problem 409 for an address of several of them. */
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
      'Several people of the account have this address, because its identity provider made one of them. Name the one whom you mean by his id.',
    );
  return members[0];
}

/**
 * Whom an account may take for the person behind an id or an address: its member (whose address it is, then for whom it claims it
 * itself), else, in the same order, somebody whom it does not have.
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

/**
 * Until the transaction ends nobody else changes who is in which group of the account: decisions about the last group of
 * somebody, or the last administrator, hold until they are committed. Problem 404 when the account is gone.
 */
export async function lockAccount(tx: Transaction, id: string): Promise<void> {
  if (!(await holdAccount(tx, id))) throw notFound();
}

/** The same for what has an answer of its own where the account is gone: whether it is there. */
export async function holdAccount(tx: Transaction, id: string): Promise<boolean> {
  const found = await tx
    .updateTable('accounts')
    .set({ id })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return found !== undefined;
}

/** Adds a user to a group; being in it already is no error. Answers whether he is new in it. Problem 404 when it is gone. */
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

/** Keeps a group and its account from being removed until the transaction ends; false when one of them is gone. */
export async function keepGroup(
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
  // SQLite runs one transaction after the other.
  const locked = dialect === 'postgres' ? [account.forNoKeyUpdate(), row.forShare()] : [account, row];
  for (const query of locked) if (!(await query.executeTakeFirst())) return false;
  return true;
}
