import { Problem } from '../../../base/problem.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { Audit } from '../../audit/index.ts';
import {
  addMember,
  findGroup,
  findGroupById,
  type Group,
  leaveGroup,
  lockAccount,
} from '../../identity/groups/index.ts';
import { keepAdministrator } from '../../identity/members/index.ts';
import { mappedGroup } from '../clients/index.ts';

/** Leaves a group, unless the account would lose its last administrator. */
async function leave(tx: Transaction, group: Group, userId: string): Promise<boolean> {
  try {
    return await keepAdministrator(tx, group.account, { user: userId }, () => leaveGroup(tx, group, userId));
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'LAST_ADMINISTRATOR') throw error;
    await addMember(tx, group, userId);
    return false;
  }
}

/** Sign-in by a provider. */
interface SignIn {
  account: string;
  client: string;
  requestId: string;
}

interface Deps {
  records: Records;
  audit: Audit;
}

/**
 * Gives a user the groups that a mapping has for the provider's: others of the mapping are left.
 * Groups outside of the mapping stay, as does the first group of users: no user leaves the account without a person's decision.
 */
export async function followGroups(
  tx: Transaction,
  { records, audit }: Deps,
  user: { id: string; groups: readonly string[] | undefined },
  mapping: readonly string[],
  origin: SignIn,
): Promise<void> {
  // Without a mapping groups are the account's own matter. Entra ID sends no groups of users who have many.
  if (mapping.length === 0 || user.groups === undefined) return;
  const { account, client, requestId } = origin;
  await lockAccount(tx, account);
  const own = new Set(user.groups.map((name) => name.toLowerCase()));
  const wanted = new Map<string, { group: Group; isIn: boolean }>();
  for (const entry of mapping) {
    const { provided = '', group: name = '' } = mappedGroup(entry) ?? {};
    const byId = await findGroupById(tx, name.toLowerCase());
    const group = byId?.account === account ? byId : await findGroup(tx, account, name);
    if (!group) continue;
    const isIn = own.has(provided.toLowerCase()) || wanted.get(group.id)?.isIn === true;
    wanted.set(group.id, { group, isIn });
  }
  let changes = 0;
  for (const { group, isIn } of wanted.values()) {
    const isChanged = isIn ? await addMember(tx, group, user.id) : await leave(tx, group, user.id);
    if (!isChanged) continue;
    changes += 1;
    await audit.append(tx, {
      account,
      userId: user.id,
      via: 'saml',
      action: isIn ? 'saml.joinGroup' : 'saml.leaveGroup',
      resource: { type: 'group', id: group.id },
      outcome: 'done',
      details: { client },
      requestId,
    });
  }
  if (changes > 0) await records.announce(tx, `user:${user.id}`);
}
