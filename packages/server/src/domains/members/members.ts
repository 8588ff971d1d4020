import type { Caller } from '../../access/caller.ts';
import type { OperationName } from '../../access/operations.ts';
import { emailKey } from '../../names.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { GroupsTable } from '../../platform/records/schema.ts';
import { conflict, notFound } from '../../problem.ts';
import type { Located } from '../../route.ts';
import { type Audit, actor } from '../audit/index.ts';
import { addMember, findMember, type Groups, lockAccount } from '../groups/index.ts';
import type { By, User } from '../users/index.ts';
import { keepAdministrator } from './administrators.ts';
import { belongsTo, settleLeavers } from './membership.ts';

/**
 * Who is in which group. Every change takes the account's lock, so that each sees what the one before has done, and asks
 * for the group in the account: clients choose ids, and that of a deleted group may be another account's by now.
 */
export class Members {
  readonly #records: Records;
  readonly #audit: Audit;
  readonly #groups: Groups;

  constructor(records: Records, audit: Audit, groups: Groups) {
    this.#records = records;
    this.#audit = audit;
    this.#groups = groups;
  }

  /** For PUT of a member: somebody may join an open group himself. */
  async locateToAdd(
    account: string,
    target: { id: string; username: string },
    caller: Caller,
  ): Promise<Located<GroupsTable> | undefined> {
    const located = await this.#groups.locate(account, target.id, caller);
    const joins = located?.record.type === 'open' && isOneself(caller, target.username);
    return located && joins ? { ...located, operation: 'groups.join' } : located;
  }

  /** For DELETE of a member: everybody may leave a group himself. */
  async locateToRemove(
    account: string,
    target: { id: string; username: string },
    caller: Caller,
  ): Promise<Located<GroupsTable> | undefined> {
    const located = await this.#groups.locate(account, target.id, caller);
    return located && isOneself(caller, target.username)
      ? { ...located, operation: 'groups.leave' }
      : located;
  }

  /** Puts a member of the account into a group; being in it already is no error. Problem 404 for anybody else. */
  async add(group: GroupsTable, username: string, by: By): Promise<void> {
    const account = group.account_id;
    const user = await this.#named(account, username, by.caller);
    const manages = by.caller.may('groups.addMember', { account, type: 'group', id: group.id });
    await this.#records.transact(async (tx) => {
      await lockAccount(tx, account);
      if (!(await belongsTo(tx, [account], user.id))) throw notFound();
      if (!manages) await requireOpen(tx, group.id);
      if (!(await addMember(tx, { id: group.id, account }, user.id))) return;
      await this.#records.announce(tx, `user:${user.id}`);
      const action = manages ? 'groups.addMember' : 'groups.join';
      await this.#tell(tx, action, group, by, { user: user.id });
    });
  }

  /** Takes somebody out of a group; out of the last one: out of the account. Problem 409 for the last administrator. */
  async remove(group: GroupsTable, username: string, by: By): Promise<void> {
    const account = group.account_id;
    const user = await this.#named(account, username, by.caller);
    await this.#records.transact(async (tx) => {
      await lockAccount(tx, account);
      await keepAdministrator(tx, account, { user: user.id }, async () => {
        const gone = await tx
          .deleteFrom('group_members')
          .where('group_id', '=', group.id)
          .where('account_id', '=', account)
          .where('user_id', '=', user.id)
          .returning('user_id')
          .executeTakeFirst();
        if (!gone) throw notFound();
      });
      const left = await settleLeavers(tx, account, [user.id]);
      await this.#records.announce(tx, `user:${user.id}`);
      const action = user.id === by.caller.userId ? 'groups.leave' : 'groups.removeMember';
      await this.#tell(tx, action, group, by, { user: user.id, leftAccount: left > 0 });
    });
  }

  /** Deletes a group. Problem 409 when it holds the last administrator. */
  async deleteGroup(group: GroupsTable, by: By): Promise<void> {
    const account = group.account_id;
    await this.#records.transact(async (tx) => {
      await lockAccount(tx, account);
      const members = await keepAdministrator(tx, account, { group: group.id }, async () => {
        const out = await tx
          .deleteFrom('group_members')
          .where('group_id', '=', group.id)
          .returning('user_id')
          .execute();
        const gone = await tx
          .deleteFrom('groups')
          .where('id', '=', group.id)
          .where('account_id', '=', account)
          .returning('id')
          .executeTakeFirst();
        if (!gone) throw notFound();
        return out.map(({ user_id }) => user_id);
      });
      const left = await settleLeavers(tx, account, members);
      // One word for all of them, however many they are.
      await this.#records.announce(tx, `access:${account}`);
      await this.#tell(tx, 'groups.delete', group, by, { members: members.length, leftAccount: left });
    });
  }

  /** The caller's own address means himself, whoever else of the account has it. */
  async #named(account: string, username: string, caller: Caller): Promise<User> {
    const name = isOneself(caller, username) ? caller.userId : username;
    const user = await findMember(this.#records.read, account, name);
    if (!user) throw notFound();
    return user;
  }

  async #tell(
    tx: Transaction,
    action: OperationName,
    group: GroupsTable,
    by: By,
    details: Record<string, string | number | boolean>,
  ): Promise<void> {
    await this.#audit.append(tx, {
      account: group.account_id,
      ...actor(by.caller, by.requestId),
      action,
      resource: { type: 'group', id: group.id },
      outcome: 'done',
      details,
    });
  }
}

function isOneself(caller: Caller, username: string): boolean {
  return [caller.userId, caller.email].includes(emailKey(username));
}

/** It was open when the caller was let through; it has to be still. */
async function requireOpen(tx: Transaction, groupId: string): Promise<void> {
  const row = await tx.selectFrom('groups').select('type').where('id', '=', groupId).executeTakeFirst();
  if (!row) throw notFound();
  if (row.type !== 'open') throw conflict('GROUP_CLOSED', 'This group was closed meanwhile.');
}
