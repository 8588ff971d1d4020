import type { Caller } from '../../../access/caller.ts';
import { listFilter } from '../../../access/filter.ts';
import type { PageRequest } from '../../../api/paging.ts';
import { newId } from '../../../base/ids.ts';
import { nameBegins, nameKey } from '../../../base/names.ts';
import type { Reader, Transaction } from '../../../platform/records/records.ts';
import type { GroupsTable } from '../../../platform/records/schema.ts';
import { type Remover, rowsOf } from '../../deletion/index.ts';

/** Group of an account, by its ids. */
export interface Group {
  id: string;
  account: string;
}

export async function findGroupRow(read: Reader | Transaction, id: string): Promise<GroupsTable | undefined> {
  return read.selectFrom('groups').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Finds a group of an account by its name, regardless of case. */
export async function findGroup(tx: Transaction, account: string, name: string): Promise<Group | undefined> {
  const row = await tx
    .selectFrom('groups')
    .select('id')
    .where('account_id', '=', account)
    .where('name_key', '=', nameKey(name))
    .executeTakeFirst();
  return row && { id: row.id, account };
}

/** Finds a group by its id, in any account. */
export async function findGroupById(read: Reader, id: string): Promise<Group | undefined> {
  return read
    .selectFrom('groups')
    .innerJoin('accounts', 'accounts.id', 'groups.account_id')
    .select(['groups.id', 'groups.account_id as account'])
    .where('groups.id', '=', id)
    .executeTakeFirst();
}

/**
 * Selects the groups of an account that the caller may see, by name: managed ones, own ones and open ones.
 * The caller's rights are part of the query. `name` is a prefix.
 */
export function visibleGroups(read: Reader, caller: Caller, account: string, name = '') {
  return read
    .selectFrom('groups')
    .selectAll()
    .where('account_id', '=', account)
    .where((where) => nameBegins(where.ref('name_key'), name))
    .where((where) =>
      where.or([
        where('type', '=', 'open'),
        where('id', 'in', groupsOf(read, caller.userId)),
        listFilter(caller, account, ['accessAdmin'], {
          columns: { 'resource.id': where.ref('id') },
          constants: { 'resource.account': account, 'resource.type': 'group' },
        }),
      ]),
    )
    .orderBy('name_key');
}

/** Lists groups, one row more than the page. */
export async function listGroups(
  read: Reader,
  caller: Caller,
  list: { account: string; name: string; page: PageRequest },
): Promise<GroupsTable[]> {
  const { account, name, page } = list;
  let query = visibleGroups(read, caller, account, name).limit(page.size + 1);
  if (page.after) query = query.where('name_key', '>', String(page.after[0]));
  return query.execute();
}

/** Lists the groups of a user in these accounts, by name; one row more than the page. */
export async function listOwnGroups(
  read: Reader,
  userId: string,
  accounts: string[],
  page: PageRequest,
): Promise<GroupsTable[]> {
  if (accounts.length === 0) return [];
  let query = read
    .selectFrom('groups')
    .selectAll()
    .where('account_id', 'in', accounts)
    .where('id', 'in', groupsOf(read, userId))
    .orderBy('name_key')
    .orderBy('id')
    .limit(page.size + 1);
  if (page.after) {
    const [name = '', id = ''] = page.after.map(String);
    query = query.where((where) =>
      where.or([
        where('name_key', '>', name),
        where.and([where('name_key', '=', name), where('id', '>', id)]),
      ]),
    );
  }
  return query.execute();
}

export async function isInGroup(
  read: Reader | Transaction,
  groupId: string,
  userId: string,
): Promise<boolean> {
  const found = await read
    .selectFrom('group_members')
    .select('user_id')
    .where('group_id', '=', groupId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return found !== undefined;
}

const groupsOf = (read: Reader, userId: string) =>
  read.selectFrom('group_members').select('group_id').where('user_id', '=', userId);

/** Removes the groups of an account. */
export const groupRemovers: readonly Remover[] = [
  rowsOf('account', 'group_members', { key: 'user_id' }),
  rowsOf('account', 'groups'),
];

/** Groups of every new account (docs/api/policies.md). */
const defaultGroups = ['Administrators', 'Users', 'Subjects'] as const;

type DefaultGroups = Record<(typeof defaultGroups)[number], string>;

const descriptions: DefaultGroups = {
  Administrators: 'Manage the account, its members, policies and data',
  Users: 'Read data and use API keys',
  Subjects: 'See their own data',
};

/** Creates the default groups of a new account and returns their ids. */
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
