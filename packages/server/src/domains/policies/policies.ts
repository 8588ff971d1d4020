import { mergePolicies, type Policy, validatePolicy } from '@ploidy/policy';
import { type Privilege, privileges } from '../../access/operations.ts';
import { newId } from '../../ids.ts';
import { nameKey } from '../../names.ts';
import type { Reader, Transaction } from '../../platform/records/records.ts';

/** A policy of an account under its name. */
export interface NamedPolicy {
  id: string;
  name: string;
  policy: Policy;
}

/** Rules that hold for the members of a group. */
function forGroup(group: string, names: readonly Privilege[]): Policy {
  const rule = { 'user.groups': { comparison: 'includes', value: group } } as const;
  return { rules: Object.fromEntries(names.map((name) => [name, [rule]])) };
}

/** Makes the policies that every new account comes with (docs/clarifications.md, "Who may do what"). */
export async function createDefaultPolicies(
  tx: Transaction,
  account: string,
  groups: { Administrators: string; Users: string; Subjects: string },
): Promise<void> {
  const isSubject = { 'user.groups': { comparison: 'includes', value: groups.Subjects } } as const;
  const own: Policy = {
    rules: {
      readData: [
        { ...isSubject, 'resource.ownerId': { comparison: 'equals', target: 'user.id' } },
        // Rows about the patients that the account says he is, or speaks for.
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

/** Stores a policy that has been validated. */
export async function insertPolicy(
  tx: Transaction,
  account: string,
  name: string,
  policy: Policy,
): Promise<NamedPolicy> {
  const now = Date.now();
  const id = newId();
  await tx
    .insertInto('policies')
    .values({
      id,
      account_id: account,
      name,
      name_key: nameKey(name),
      document: JSON.stringify(policy),
      created_at: now,
      updated_at: now,
    })
    .execute();
  return { id, name, policy };
}

/** The policies of an account by name, as they are stored: whoever uses them takes care of those that are not valid. */
export async function namedPolicies(read: Reader | Transaction, account: string): Promise<NamedPolicy[]> {
  const rows = await read
    .selectFrom('policies')
    .select(['id', 'name', 'document'])
    .where('account_id', '=', account)
    .orderBy('name_key')
    .execute();
  return rows.map(({ id, name, document }) => ({ id, name, policy: readDocument(document) }));
}

/** The policies of an account, merged. A stored document that is not valid allows nothing. */
export async function mergedPolicy(read: Reader, account: string): Promise<Policy> {
  return mergeNamed(await namedPolicies(read, account));
}

/** Merges those that may be saved; what was stored past the service and breaks a limit allows nothing either. */
export function mergeNamed(policies: readonly NamedPolicy[]): Policy {
  return mergePolicies(
    policies.map(({ policy }) => policy).filter((policy) => validatePolicy(policy).length === 0),
  );
}

/** A document as it was stored; what is no policy at all becomes one that allows nothing, not a failure of the account. */
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
