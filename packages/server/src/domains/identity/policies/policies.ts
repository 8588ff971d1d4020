import { mergePolicies, type Policy, validatePolicy } from '@ploidy/policy';
import { type Privilege, privileges } from '../../../access/operations.ts';
import { newId } from '../../../base/ids.ts';
import { nameKey } from '../../../base/names.ts';
import type { Reader, Transaction } from '../../../platform/records/records.ts';
import { type Remover, rowsOf } from '../../deletion/index.ts';

/** Named policy of an account. */
export interface NamedPolicy {
  id: string;
  name: string;
  policy: Policy;
}

/** Returns rules for the members of a group. */
function forGroup(group: string, names: readonly Privilege[]): Policy {
  const rule = { 'user.groups': { comparison: 'includes', value: group } } as const;
  return { rules: Object.fromEntries(names.map((name) => [name, [rule]])) };
}

/** Creates the policies of every new account (docs/api/policies.md). */
export async function createDefaultPolicies(
  tx: Transaction,
  account: string,
  groups: { Administrators: string; Users: string; Subjects: string },
): Promise<void> {
  const isSubject = { 'user.groups': { comparison: 'includes', value: groups.Subjects } } as const;
  const isOwn = { ...isSubject, 'resource.ownerId': { comparison: 'equals', target: 'user.id' } } as const;
  // Ingested rows have no owner: they may state whose samples of other people are.
  const isOwnFile = { ...isOwn, 'resource.type': { comparison: 'equals', value: 'file' } } as const;
  const own: Policy = {
    rules: {
      createData: [isOwnFile],
      updateData: [isOwnFile],
      deleteData: [isOwn],
      readData: [
        isOwn,
        // Rows about patients whom the user is or represents, by attributes of the account.
        {
          ...isSubject,
          'user.customAttributes.patients': { comparison: 'includes', target: 'resource.subject' },
        },
      ],
    },
  };
  const defaults: [string, Policy][] = [
    [
      'Administrator Access',
      forGroup(
        groups.Administrators,
        privileges.filter((name) => name !== 'readMaskedData'),
      ),
    ],
    ['User Access', forGroup(groups.Users, ['readData', 'apiKeyUser'])],
    ['Subject Access', own],
  ];
  for (const [name, policy] of defaults) await insertPolicy(tx, account, name, policy);
}

/** Stores a validated policy. */
export async function insertPolicy(
  tx: Transaction,
  account: string,
  name: string,
  policy: Policy,
): Promise<NamedPolicy> {
  const id = newId();
  await tx
    .insertInto('policies')
    .values({
      id,
      account_id: account,
      name,
      name_key: nameKey(name),
      document: JSON.stringify(policy),
      created_at: Date.now(),
      updated_at: await timeOfChange(tx, account),
    })
    .execute();
  return { id, name, policy };
}

/**
 * Returns the time of a change, in epoch milliseconds, later than those of all policies of the account: callers of other processes
 * know a change by it, and clocks differ.
 */
export async function timeOfChange(tx: Transaction, account: string): Promise<number> {
  const latest = await tx
    .selectFrom('policies')
    .select(({ fn }) => fn.max('updated_at').as('at'))
    .where('account_id', '=', account)
    .executeTakeFirst();
  return Math.max(Date.now(), Number(latest?.at ?? 0) + 1);
}

/** Lists the policies of an account by name, as stored: callers handle invalid ones. */
export async function namedPolicies(read: Reader | Transaction, account: string): Promise<NamedPolicy[]> {
  const rows = await read
    .selectFrom('policies')
    .select(['id', 'name', 'document'])
    .where('account_id', '=', account)
    .orderBy('name_key')
    .execute();
  return rows.map(({ id, name, document }) => ({ id, name, policy: readDocument(document) }));
}

/** Merges the policies of an account. An invalid stored document allows nothing. */
export async function mergedPolicy(read: Reader, account: string): Promise<Policy> {
  return mergeNamed(await namedPolicies(read, account));
}

/** Merges valid policies; a document over the limits, stored past the service, allows nothing. */
export function mergeNamed(policies: readonly NamedPolicy[]): Policy {
  return mergePolicies(
    policies.map(({ policy }) => policy).filter((policy) => validatePolicy(policy).length === 0),
  );
}

/** Parses a stored document; an invalid one allows nothing instead of failing the account. */
export function readDocument(document: string): Policy {
  const nothing: Policy = { rules: {} };
  try {
    const parsed: unknown = JSON.parse(document);
    const rules: unknown =
      typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, 'rules') : undefined;
    return typeof rules === 'object' && rules !== null && !Array.isArray(rules)
      ? (parsed as Policy)
      : nothing;
  } catch (error) {
    if (error instanceof SyntaxError) return nothing;
    throw error;
  }
}

/** Removes the policies of an account. */
export const policyRemovers: readonly Remover[] = [rowsOf('account', 'policies')];
