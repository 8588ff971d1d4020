import { conflict, Problem } from '../../../base/problem.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { Audit } from '../../audit/index.ts';
import { addMember, findGroup, findUserFor, lockAccount } from '../groups/index.ts';
import { findUserById } from '../users/index.ts';
import { isAdministrator } from './administrators.ts';
import { endMemberships, type MembershipEnd } from './membership.ts';

/** Group of every creator of an account. */
const administrators = 'Administrators';

/** Outcome of a change of owner, in e-mail addresses and names of groups. */
interface ChangedOwner {
  account: string;
  owner: string;
  /** Group that the new owner was added to; absent for an administrator. */
  joined?: string;
  ownerBefore: string;
  /** Groups that keep the previous owner a member. */
  groupsOfOwnerBefore: { name: string }[];
}

/**
 * Gives an account to another user, who becomes an administrator like its creator. The previous owner keeps
 * the rights of groups, and without a group leaves the account. Throws 404 for an unknown user.
 */
export async function changeOwner(
  { records, audit, onEnd }: { records: Records; audit: Audit; onEnd: MembershipEnd },
  { account, owner: idOrEmail }: { account: string; owner: string },
): Promise<ChangedOwner> {
  return records.transact(async (tx) => {
    if ((await ownerOf(tx, account)) === undefined) throw missing(`There is no account ${account}.`);
    await lockAccount(tx, account);
    const before = await ownerOf(tx, account);
    const owner = await findUserFor(tx, account, idOrEmail);
    if (owner?.type !== 'person' || before === undefined)
      throw missing(`There is no user ${idOrEmail}: \`ploidy admin users add\` creates one.`);
    if (owner.id === before) throw conflict('OWNER_ALREADY', `${owner.email} owns the account already.`);
    await tx.updateTable('accounts').set({ owner_id: owner.id }).where('id', '=', account).execute();
    const joined = await makeAdministrator(tx, account, owner.id);
    const left = await endMemberships(tx, account, [before], onEnd);
    for (const id of [owner.id, before]) await records.announce(tx, `user:${id}`);
    const groups = await groupsOf(tx, account, before);
    await audit.append(tx, {
      account,
      userId: owner.id,
      via: 'host',
      action: 'admin.changeOwner',
      resource: { type: 'account', id: account },
      outcome: 'done',
      details: { before, joined, leftAccount: left > 0 },
    });
    const ownerBefore = (await findUserById(tx, before))?.email ?? before;
    return {
      account,
      owner: owner.email,
      ...(joined && { joined: administrators }),
      ownerBefore,
      groupsOfOwnerBefore: groups,
    };
  });
}

async function ownerOf(tx: Transaction, account: string): Promise<string | undefined> {
  const row = await tx.selectFrom('accounts').select('owner_id').where('id', '=', account).executeTakeFirst();
  return row?.owner_id;
}

/** Adds a user to the administrators; returns whether the group exists. Without it, ownership grants `accessAdmin`. */
async function makeAdministrator(tx: Transaction, account: string, userId: string): Promise<boolean> {
  if (await isAdministrator(tx, account, userId)) return false;
  const group = await findGroup(tx, account, administrators);
  return group !== undefined && addMember(tx, group, userId);
}

function groupsOf(tx: Transaction, account: string, userId: string): Promise<{ name: string }[]> {
  return tx
    .selectFrom('group_members')
    .innerJoin('groups', 'groups.id', 'group_members.group_id')
    .select('groups.name')
    .where('group_members.account_id', '=', account)
    .where('user_id', '=', userId)
    .orderBy('name_key')
    .execute();
}

function missing(message: string): Problem {
  return new Problem(404, 'NOT_FOUND', message);
}
