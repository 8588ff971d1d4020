import { newId } from '../../ids.ts';
import { nameKey } from '../../names.ts';
import type { Reader, Records, Transaction } from '../../platform/records/records.ts';
import { notFound } from '../../problem.ts';

/** The groups that every new account comes with (docs/clarifications.md, "Who may do what"). */
const defaultGroups = ['Administrators', 'Users', 'Subjects'] as const;

export type DefaultGroups = Record<(typeof defaultGroups)[number], string>;

const descriptions: DefaultGroups = {
  Administrators: 'Manage the account, its people, policies and data',
  Users: 'Read data and use API keys',
  Subjects: 'See what is their own',
};

/** Makes the default groups of a new account and answers their ids. */
export async function createDefaultGroups(tx: Transaction, account: string): Promise<DefaultGroups> {
  const rows = defaultGroups.map((name) => ({
    id: newId(),
    account_id: account,
    name,
    name_key: nameKey(name),
    description: descriptions[name],
    type: 'closed',
    created_at: Date.now(),
  }));
  await tx.insertInto('groups').values(rows).execute();
  return Object.fromEntries(rows.map((row) => [row.name, row.id])) as DefaultGroups;
}

/**
 * Until the transaction ends nobody else changes who is in which group of the account: decisions about the last group of
 * somebody, or the last administrator, hold until they are committed. Problem 404 when the account is gone.
 */
export async function lockAccount(tx: Transaction, id: string): Promise<void> {
  const found = await tx
    .updateTable('accounts')
    .set({ id })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  if (!found) throw notFound();
}

/** Adds a user to a group; being in it already is no error. Answers whether he is new in it. Problem 404 when it is gone. */
export async function addMember(
  tx: Transaction,
  group: { id: string; account: string },
  userId: string,
): Promise<boolean> {
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

/** Finds a group of an account by its name, without regard to case. */
export async function findGroup(
  tx: Transaction,
  account: string,
  name: string,
): Promise<{ id: string; account: string } | undefined> {
  const row = await tx
    .selectFrom('groups')
    .select('id')
    .where('account_id', '=', account)
    .where('name_key', '=', nameKey(name))
    .executeTakeFirst();
  return row && { id: row.id, account };
}

/** A group of an account, by its ids. */
export interface Group {
  id: string;
  account: string;
}

/** Finds a group by its id, in whatever account it is. */
export async function findGroupById(read: Reader, id: string): Promise<Group | undefined> {
  return read
    .selectFrom('groups')
    .innerJoin('accounts', 'accounts.id', 'groups.account_id')
    .select(['groups.id', 'groups.account_id as account'])
    .where('groups.id', '=', id)
    .executeTakeFirst();
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
