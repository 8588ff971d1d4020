import { newId } from '../../../base/ids.ts';
import { nameKey } from '../../../base/names.ts';
import type { Transaction } from '../../../platform/records/records.ts';

/** Groups of every new account (docs/api/policies.md). */
const defaultGroups = ['Administrators', 'Users', 'Subjects'] as const;

export type DefaultGroups = Record<(typeof defaultGroups)[number], string>;

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
