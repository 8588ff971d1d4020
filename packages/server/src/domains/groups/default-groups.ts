import { newId } from '../../ids.ts';
import { nameKey } from '../../names.ts';
import type { Transaction } from '../../platform/records/records.ts';

/** The groups that every new account comes with (docs/clarifications.md, "Who may do what"). */
const defaultGroups = ['Administrators', 'Users', 'Subjects'] as const;

export type DefaultGroups = Record<(typeof defaultGroups)[number], string>;

const descriptions: DefaultGroups = {
  Administrators: 'Manage the account, its people, policies and data',
  Users: 'Read data and use API keys',
  Subjects: 'See what is their own',
};

/** Makes the default groups of a new account and answers their ids. */
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
