import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Subject } from '../../../access/evaluate.ts';
import type { PageRequest } from '../../../api/paging.ts';
import type { Reader } from '../../../platform/records/records.ts';
import { findMember } from '../groups/index.ts';
import { attributesByUser, type CustomAttributes, toUser, type User, userQuery } from '../users/index.ts';

/** Rows per read: a big account blocks no other request. */
const chunkRows = 500;

/** Finds a member of an account by id or e-mail address, or an OAuth client for itself, by id. */
export async function findSubject(
  read: Reader,
  account: string,
  idOrEmail: string,
): Promise<Subject | undefined> {
  const member = await findMember(read, account, idOrEmail);
  if (!member) return findClient(read, account, idOrEmail);
  const user = { id: member.id, email: member.email };
  const owner = (await ownerOf(read, account)) === user.id;
  const rows = await read
    .selectFrom('group_members')
    .select('group_id')
    .where('user_id', '=', user.id)
    .where('account_id', '=', account)
    .execute();
  const customAttributes = (await attributesByUser(read, account, [user.id])).get(user.id) ?? {};
  return { ...user, owner, groups: rows.map((row) => row.group_id), customAttributes };
}

/** Finds a client as its client credentials present it: in no group, without attributes. */
async function findClient(read: Reader, account: string, id: string): Promise<Subject | undefined> {
  const user = await read
    .selectFrom('clients')
    .innerJoin('users', 'users.id', 'clients.id')
    .select(['users.id', 'users.email'])
    .where('clients.id', '=', id)
    .where('clients.account_id', '=', account)
    .executeTakeFirst();
  return user && { ...user, owner: false, groups: [], customAttributes: {} };
}

/** Lists the members of an account and the clients that act for themselves, by id: one more than the page. */
export async function pageOfUsers(
  read: Reader,
  account: string,
  { size, after }: PageRequest,
): Promise<User[]> {
  const members = read.selectFrom('group_members').select('user_id as id').where('account_id', '=', account);
  const owner = read.selectFrom('accounts').select('owner_id as id').where('id', '=', account);
  const clients = read
    .selectFrom('clients')
    .select('id')
    .where('account_id', '=', account)
    .where('settings', 'like', '%"client_credentials"%');
  const rows = await userQuery(read)
    .where('users.id', 'in', members.union(owner).union(clients))
    .$if(after !== undefined, (query) => query.where('users.id', '>', String(after?.[0])))
    .orderBy('users.id')
    .limit(size + 1)
    .execute();
  return rows.map(toUser);
}

/** Lists all members of an account, the owner first, in chunks with pauses for other requests. */
export async function allSubjects(read: Reader, account: string, signal: AbortSignal): Promise<Subject[]> {
  const owner = await ownerOf(read, account);
  const groupsOf = new Map<string, string[]>();
  if (owner !== undefined) groupsOf.set(owner, []);
  for await (const { user_id, group_id } of memberships(read, account, signal)) {
    const found = groupsOf.get(user_id);
    if (found) found.push(group_id);
    else groupsOf.set(user_id, [group_id]);
  }
  const people = await peopleOf(read, account, [...groupsOf.keys()], signal);
  return [...groupsOf].flatMap(([id, ofUser]) => {
    const person = people.get(id);
    return person === undefined ? [] : [{ id, ...person, groups: ofUser, owner: id === owner }];
  });
}

/** Yields the memberships of an account: all groups in one scan. */
async function* memberships(
  read: Reader,
  account: string,
  signal: AbortSignal,
): AsyncGenerator<{ user_id: string; group_id: string }> {
  for (let [user, group] = ['', '']; ; ) {
    const rows = await read
      .selectFrom('group_members')
      .select(['user_id', 'group_id'])
      .where('account_id', '=', account)
      .where(({ eb, refTuple, tuple }) => eb(refTuple('user_id', 'group_id'), '>', tuple(user, group)))
      .orderBy('user_id')
      .orderBy('group_id')
      .limit(chunkRows)
      .execute();
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < chunkRows) return;
    [user, group] = [last.user_id, last.group_id];
    await nextTurn();
    signal.throwIfAborted();
  }
}

/** Returns the other attributes of users, by id. */
async function peopleOf(
  read: Reader,
  account: string,
  ids: string[],
  signal: AbortSignal,
): Promise<Map<string, { email: string; customAttributes: CustomAttributes }>> {
  const people = new Map<string, { email: string; customAttributes: CustomAttributes }>();
  for (let at = 0; at < ids.length; at += chunkRows) {
    const chunk = ids.slice(at, at + chunkRows);
    const rows = await read.selectFrom('users').select(['id', 'email']).where('id', 'in', chunk).execute();
    const attributes = await attributesByUser(read, account, chunk);
    for (const { id, email } of rows) people.set(id, { email, customAttributes: attributes.get(id) ?? {} });
    await nextTurn();
    signal.throwIfAborted();
  }
  return people;
}

async function ownerOf(read: Reader, account: string): Promise<string | undefined> {
  const row = await read
    .selectFrom('accounts')
    .select('owner_id')
    .where('id', '=', account)
    .executeTakeFirst();
  return row?.owner_id;
}
