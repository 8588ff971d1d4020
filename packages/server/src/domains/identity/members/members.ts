import type { Caller } from '../../../access/caller.ts';
import type { OperationName } from '../../../access/operations.ts';
import type { Located } from '../../../api/route.ts';
import { emailKey } from '../../../base/names.ts';
import { conflict, notFound } from '../../../base/problem.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { GroupsTable } from '../../../platform/records/schema.ts';
import { type Audit, actor } from '../../audit/index.ts';
import { addMember, findMember, type Groups, lockAccount } from '../groups/index.ts';
import type { By, User } from '../users/index.ts';
import { keepAdministrator } from './administrators.ts';
import { belongsTo, endMemberships, type MembershipEnd } from './membership.ts';

/**
 * Memberships of groups. Every change locks the account, so that each sees the one before. Groups are looked
 * up by account and id: clients choose ids, and another account may have reused one.
 */
export class Members {
  readonly #records: Records;
  readonly #audit: Audit;
  readonly #groups: Groups;
  readonly #onEnd: MembershipEnd;

  constructor(records: Records, audit: Audit, groups: Groups, onEnd: MembershipEnd) {
    this.#records = records;
    this.#audit = audit;
    this.#groups = groups;
    this.#onEnd = onEnd;
  }

  /** Locates for PUT of a member: users may join an open group themselves. */
  async locateToAdd(
    account: string,
    target: { id: string; username: string },
    caller: Caller,
  ): Promise<Located<GroupsTable> | undefined> {
    const located = await this.#groups.locate(account, target.id, caller);
    const joins = located?.record.type === 'open' && isOneself(caller, target.username);
    return located && joins ? { ...located, operation: 'groups.join' } : located;
  }

  /** Locates for DELETE of a member: users may always leave a group. */
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

  /** Adds a member of the account to a group; a member stays one. Throws 404 for any other user. */
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
      await this.#record(tx, action, group, by, { user: user.id });
    });
  }

  /**
   * Removes a user from a group, and with the last one from the account. Throws 409 for the last
   * administrator.
   */
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
      const left = await endMemberships(tx, account, [user.id], this.#onEnd);
      await this.#records.announce(tx, `user:${user.id}`);
      const action = user.id === by.caller.userId ? 'groups.leave' : 'groups.removeMember';
      await this.#record(tx, action, group, by, { user: user.id, leftAccount: left > 0 });
    });
  }

  /** Deletes a group. Throws 409 when it holds the last administrator. */
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
      const left = await endMemberships(tx, account, members, this.#onEnd);
      // One announcement for any number of members.
      await this.#records.announce(tx, `access:${account}`);
      await this.#record(tx, 'groups.delete', group, by, { members: members.length, leftAccount: left });
    });
  }

  /** Finds a user; the caller's own address means the caller, even if other members have it. */
  async #named(account: string, username: string, caller: Caller): Promise<User> {
    const name = isOneself(caller, username) ? caller.userId : username;
    const user = await findMember(this.#records.read, account, name);
    if (!user) throw notFound();
    return user;
  }

  async #record(
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

/** Requires that a group is still open: the gate checked it before the transaction. */
async function requireOpen(tx: Transaction, groupId: string): Promise<void> {
  const row = await tx.selectFrom('groups').select('type').where('id', '=', groupId).executeTakeFirst();
  if (!row) throw notFound();
  if (row.type !== 'open') throw conflict('GROUP_CLOSED', 'This group was closed meanwhile.');
}
