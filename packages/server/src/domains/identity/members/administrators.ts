import { compilePolicy } from '@ploidy/policy';
import { attributesOfUser, type Subject } from '../../../access/evaluate.ts';
import type { ResourceAttributes } from '../../../access/resource.ts';
import { conflict } from '../../../base/problem.ts';
import type { Transaction } from '../../../platform/records/records.ts';
import { mergedPolicy } from '../policies/index.ts';
import { attributesByUser } from '../users/index.ts';

/** Members per batch. */
const batchRows = 500;

/** Members that a change concerns: one user, or all in a group. */
type Concerned = { user: string } | { group: string };

type Administers = (person: Omit<Subject, 'owner'>) => boolean;

/**
 * Runs a change of memberships or attributes. Refuses it (409) when it takes `accessAdmin` from the last member with it by
 * policy. The owner's implicit `accessAdmin` does not count: the owner may be absent. The account must be locked, so that two
 * concurrent changes do not rely on each other's administrator.
 */
export async function keepAdministrator<T>(
  tx: Transaction,
  account: string,
  concerned: Concerned,
  change: () => Promise<T>,
): Promise<T> {
  const administers = await administrationOf(tx, account);
  const before = await someAdministers(tx, account, administers, concerned);
  const result = await change();
  if (before && !(await someAdministers(tx, account, administers))) {
    throw conflict(
      'LAST_ADMINISTRATOR',
      'This would remove the account’s last administrator. Make another member one first.',
    );
  }
  return result;
}

/** Reports whether the policies of an account give a member `accessAdmin`; ownership does not count. */
export async function isAdministrator(tx: Transaction, account: string, userId: string): Promise<boolean> {
  return someAdministers(tx, account, await administrationOf(tx, account), { user: userId });
}

async function administrationOf(tx: Transaction, account: string): Promise<Administers> {
  const policy = compilePolicy(await mergedPolicy(tx, account));
  const resource: ResourceAttributes = { account, type: 'account', id: account };
  return (person) => policy.allows('accessAdmin', { ...attributesOfUser(person), resource });
}

/** Searches the members, or the concerned ones, for the first administrator. */
async function someAdministers(
  tx: Transaction,
  account: string,
  administers: Administers,
  concerned?: Concerned,
): Promise<boolean> {
  for (let after = ''; ; ) {
    const people = await batchOf(tx, account, after, concerned);
    const ids = people.map(({ id }) => id);
    const groups = await groupsByUser(tx, account, ids);
    const custom = await attributesByUser(tx, account, ids);
    const known = people.map((one) => ({
      ...one,
      groups: groups.get(one.id) ?? [],
      customAttributes: custom.get(one.id) ?? {},
    }));
    if (known.some(administers)) return true;
    if (people.length < batchRows) return false;
    after = ids.at(-1) ?? '';
  }
}

function batchOf(tx: Transaction, account: string, after: string, concerned?: Concerned) {
  let members = tx.selectFrom('group_members').select('user_id').where('account_id', '=', account);
  if (concerned && 'group' in concerned) members = members.where('group_id', '=', concerned.group);
  if (concerned && 'user' in concerned) members = members.where('user_id', '=', concerned.user);
  return tx
    .selectFrom('users')
    .select(['id', 'email'])
    .where('id', 'in', members)
    .where('id', '>', after)
    .orderBy('id')
    .limit(batchRows)
    .execute();
}

async function groupsByUser(
  tx: Transaction,
  account: string,
  userIds: string[],
): Promise<Map<string, string[]>> {
  const groups = new Map<string, string[]>(userIds.map((id) => [id, []]));
  if (userIds.length === 0) return groups;
  const rows = await tx
    .selectFrom('group_members')
    .select(['user_id', 'group_id'])
    .where('account_id', '=', account)
    .where('user_id', 'in', userIds)
    .execute();
  for (const { user_id, group_id } of rows) groups.get(user_id)?.push(group_id);
  return groups;
}
