import type { ExpressionBuilder } from 'kysely';
import type { Caller } from '../../../access/caller.ts';
import type { PageRequest } from '../../../api/paging.ts';
import { emailKey, prefixEnd, someNameBegins } from '../../../base/names.ts';
import type { Reader, Records } from '../../../platform/records/records.ts';
import type { Database } from '../../../platform/records/schema.ts';
import { findMember } from '../groups/index.ts';
import { findNamesakes, toUser, type User, userQuery } from '../users/index.ts';
import { belongsTo } from './membership.ts';

/** Member of an account. */
export interface AccountPerson {
  user: User;
  owner: boolean;
  groups: { id: string; name: string }[];
}

/** Searches of users: by group, by account, and visible ones. Lists are in order of creation. */
export class People {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  /** Finds a user by id or e-mail address: the caller, or one who shares an account with the caller. */
  async visible(caller: Caller, username: string): Promise<User | undefined> {
    const { read } = this.#records;
    const found = await findNamesakes(read, username);
    const himself = found.find(({ id }) => id === caller.userId);
    if (himself) return himself;
    for (const user of found) if (await belongsTo(read, [...caller.accounts.keys()], user.id)) return user;
    return undefined;
  }

  /** Finds a member of the account by id or e-mail address. */
  async ofAccount(account: string, username: string): Promise<User | undefined> {
    return findMember(this.#records.read, account, username);
  }

  /** Lists the members of a group; one more than the page. */
  async inGroup(groupId: string, page: PageRequest): Promise<User[]> {
    const { read } = this.#records;
    const members = read.selectFrom('group_members').select('user_id').where('group_id', '=', groupId);
    const query = pageOfUsers(read, page).where('users.id', 'in', members);
    return (await query.execute()).map(toUser);
  }

  /**
   * Lists the members of the account; one more than the page. `find` is a prefix of a name or, optionally, of
   * an e-mail address.
   */
  async inAccount(
    account: string,
    find: { prefix: string; byEmail: boolean },
    page: PageRequest,
  ): Promise<AccountPerson[]> {
    const { read } = this.#records;
    const joined = read.selectFrom('group_members').select('user_id').where('account_id', '=', account);
    const owner = read.selectFrom('accounts').select('owner_id as user_id').where('id', '=', account);
    let query = pageOfUsers(read, page).where('users.id', 'in', joined.union(owner));
    if (find.prefix !== '') query = query.where((where) => isFound(where, find));
    const users = (await query.execute()).map(toUser);
    const groups = await groupsOf(
      read,
      account,
      users.map(({ id }) => id),
    );
    const ownerId = (await owner.executeTakeFirst())?.user_id;
    return users.map((user) => ({ user, owner: user.id === ownerId, groups: groups.get(user.id) ?? [] }));
  }
}

function pageOfUsers(read: Reader, page: PageRequest) {
  const query = userQuery(read)
    .orderBy('users.id')
    .limit(page.size + 1);
  return page.after ? query.where('users.id', '>', String(page.after[0])) : query;
}

function isFound(
  where: ExpressionBuilder<Database, 'users'>,
  { prefix, byEmail }: { prefix: string; byEmail: boolean },
) {
  const byName = someNameBegins(where.ref('users.name_keys'), prefix);
  if (!byEmail) return byName;
  const email = emailKey(prefix);
  return where.or([
    byName,
    where.and([where('users.email', '>=', email), where('users.email', '<', prefixEnd(email))]),
  ]);
}

async function groupsOf(
  read: Reader,
  account: string,
  userIds: string[],
): Promise<Map<string, { id: string; name: string }[]>> {
  const groups = new Map<string, { id: string; name: string }[]>(userIds.map((id) => [id, []]));
  if (userIds.length === 0) return groups;
  const rows = await read
    .selectFrom('group_members')
    .innerJoin('groups', 'groups.id', 'group_members.group_id')
    .select(['group_members.user_id', 'groups.id', 'groups.name'])
    .where('group_members.account_id', '=', account)
    .where('group_members.user_id', 'in', userIds)
    .orderBy('groups.name_key')
    .execute();
  for (const { user_id, id, name } of rows) groups.get(user_id)?.push({ id, name });
  return groups;
}
