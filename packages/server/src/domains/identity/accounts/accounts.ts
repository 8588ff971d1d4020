import type { Caller } from '../../../access/caller.ts';
import { timestamp } from '../../../base/ids.ts';
import { conflict, invalidInput, notFound, Problem } from '../../../base/problem.ts';
import { onPostgres } from '../../../platform/records/columns.ts';
import type { Reader, Records, Transaction } from '../../../platform/records/records.ts';
import { type Audit, actor } from '../../audit/index.ts';
import { removedAccounts } from '../../deletion/index.ts';
import { addMember, createDefaultGroups, type Groups, type GroupView } from '../groups/index.ts';
import { createDefaultPolicies } from '../policies/index.ts';
import { lockUser } from '../users/index.ts';

/** Account in API form. */
export interface Account {
  id: string;
  name: string;
  owner: string;
  type: string;
  /** Permission of assistants: none, to read, or to change data too. */
  assistants: 'off' | 'read' | 'write';
  deletionDate?: string;
}

interface NewAccount {
  id?: string;
  name: string;
  type?: string;
}

interface AccountChange {
  name?: string;
  assistants?: Account['assistants'];
  deletionDate?: string | null;
}

/** Account ids: `a-z`, digits and hyphens, at most 32. */
export const accountIdPattern = '^[a-z0-9][a-z0-9-]{0,31}$';

/** Actor, for the audit log. */
type By = { caller: Caller; requestId: string };

/** Accounts: owners of projects, groups and policies. */
export class Accounts {
  readonly #records: Records;
  readonly #audit: Audit;
  readonly #groups: Groups;
  readonly #perUserMax: number;

  constructor(records: Records, audit: Audit, groups: Groups, perUserMax: number) {
    this.#records = records;
    this.#audit = audit;
    this.#groups = groups;
    this.#perUserMax = perUserMax;
  }

  async find(id: string): Promise<Account | undefined> {
    const row = await accountQuery(this.#records.read).where('accounts.id', '=', id).executeTakeFirst();
    return row && toAccount(row);
  }

  /** Lists the accounts of the caller by id. */
  async list(caller: Caller): Promise<Account[]> {
    const ids = [...caller.accounts.keys()];
    if (ids.length === 0) return [];
    const rows = await accountQuery(this.#records.read)
      .where('accounts.id', 'in', ids)
      .orderBy('accounts.id')
      .execute();
    return rows.map(toAccount);
  }

  /** Lists the groups of an account that the caller may see, by name. */
  async groups(id: string, caller: Caller): Promise<GroupView[]> {
    return this.#groups.visible(id, caller);
  }

  /** Creates an account with its default groups and policies; the creator owns it and is in Administrators. */
  async create(input: NewAccount, by: By): Promise<Account> {
    const owner = { id: by.caller.userId, email: by.caller.email };
    return this.#records.transact(async (tx) => {
      await lockUser(tx, owner.id);
      await requireFewAccounts(tx, owner.id, this.#perUserMax);
      const account = await createAccount(tx, input, owner);
      await this.#records.announce(tx, `user:${owner.id}`);
      await this.#audit.append(tx, {
        account: account.id,
        ...actor(by.caller, by.requestId),
        action: 'accounts.create',
        resource: { type: 'account', id: account.id },
        outcome: 'done',
      });
      return account;
    });
  }

  async update(account: Account, change: AccountChange, by: By): Promise<Account> {
    const restores = restoresFrom(change.deletionDate, account.deletionDate);
    return this.#records.transact(async (tx) => {
      const changed = await tx
        .updateTable('accounts')
        .set({
          id: account.id,
          ...(change.name !== undefined && { name: change.name }),
          ...(change.assistants !== undefined && { assistants: change.assistants }),
          ...(restores && { deletion_at: null }),
        })
        .where('id', '=', account.id)
        .executeTakeFirst();
      if (changed.numUpdatedRows === 0n) throw notFound();
      await this.#audit.append(tx, {
        account: account.id,
        ...actor(by.caller, by.requestId),
        action: 'accounts.update',
        resource: { type: 'account', id: account.id },
        outcome: 'done',
        details: {
          ...{ renamed: change.name !== undefined, restored: restores },
          ...(change.assistants !== undefined && { assistants: change.assistants }),
        },
      });
      const row = await accountQuery(tx).where('accounts.id', '=', account.id).executeTakeFirstOrThrow();
      return toAccount(row);
    });
  }
}

/** Reports whether a `deletionDate` in a change clears a pending deletion; values other than null and the present date are refused. */
export function restoresFrom(given: string | null | undefined, present: string | undefined): boolean {
  if (given === undefined) return false;
  if (given === null || given === '') return present !== undefined;
  if (given === present) return false;
  throw invalidInput([
    { path: 'body/deletionDate', message: 'can only be cleared, with "" or null; DELETE sets it' },
  ]);
}

/** Limits the accounts a user owns: each has policies, groups and an id that is never reused. */
async function requireFewAccounts(tx: Transaction, userId: string, max: number): Promise<void> {
  const { accounts } = await tx
    .selectFrom('accounts')
    .select(({ fn }) => fn.countAll<number>().as('accounts'))
    .where('owner_id', '=', userId)
    .executeTakeFirstOrThrow();
  if (Number(accounts) < max) return;
  const message = `You may own ${max} accounts. Delete one, or ask the operator to make the account.`;
  throw new Problem(403, 'TOO_MANY_ACCOUNTS', message);
}

/** Rejects an id in use now or before: references in audit logs, backups and links must stay unambiguous. */
function idTaken(): Problem {
  return conflict('ACCOUNT_EXISTS', 'An account with this id exists or has existed. Choose another id.');
}

/** Inserts an account with its default groups and policies, in the caller's transaction. */
export async function createAccount(
  tx: Transaction,
  input: NewAccount,
  owner: { id: string; email: string },
): Promise<Account> {
  const type = input.type ?? 'FREE';
  const id = await takeId(tx, input, { type, owner_id: owner.id });
  // Checked after the insertion, which waits for a concurrent removal of the id.
  if ((await removedAccounts(tx, id)).includes(id)) throw idTaken();
  const groups = await createDefaultGroups(tx, id);
  await createDefaultPolicies(tx, id, groups);
  await addMember(tx, { id: groups.Administrators, account: id }, owner.id);
  return { id, name: input.name, owner: owner.email, type, assistants: 'off' };
}

/** Each retry needs another request for the same id at the same moment. */
const idAttemptsMax = 20;

/** Inserts the row. A derived id is derived anew if another account takes it at the same moment. */
async function takeId(
  tx: Transaction,
  { id: chosen, name }: NewAccount,
  more: { type: string; owner_id: string },
): Promise<string> {
  for (let attempt = 1; attempt <= (chosen === undefined ? idAttemptsMax : 1); attempt += 1) {
    const id = chosen ?? (await freeId(tx, name));
    const taken = await tx
      .insertInto('accounts')
      .values({ id, name, ...more, assistants: 'off', deletion_at: null, created_at: Date.now() })
      .onConflict((conflicting) => conflicting.column('id').doNothing())
      .returning('id')
      .executeTakeFirst();
    if (taken) return id;
  }
  throw idTaken();
}

const idLengthMax = 32;
/** Max. digits of the number behind a taken id. */
const numberLengthMax = 8;

/** Derives a short id from a name, with a number if it is taken. */
async function freeId(tx: Transaction, name: string): Promise<string> {
  const base = shortName(name) || 'account';
  // A long number shortens the stem before it.
  const stem = base.slice(0, idLengthMax - 1 - numberLengthMax);
  const taken = await tx.selectFrom('accounts').select('id').where('id', 'like', `${stem}%`).execute();
  const ids = new Set([...taken.map((row) => row.id), ...(await removedAccounts(tx, stem))]);
  if (!ids.has(base)) return base;
  for (let number = 2; ; number++) {
    const id = `${base.slice(0, idLengthMax - 1 - String(number).length)}-${number}`;
    if (!ids.has(id)) return id;
  }
}

/** Requires that an account exists, and delays its removal until the transaction has ended. */
export async function requireAccount(tx: Transaction, id: string): Promise<void> {
  const query = tx.selectFrom('accounts').select('id').where('id', '=', id);
  const found = await (onPostgres(tx) ? query.forKeyShare() : query).executeTakeFirst();
  if (!found) throw notFound();
}

/** Returns the permission of assistants in an account; `undefined`: there is no such account. */
export async function assistantsOf(
  db: Reader | Transaction,
  id: string,
): Promise<Account['assistants'] | undefined> {
  const row = await db.selectFrom('accounts').select('assistants').where('id', '=', id).executeTakeFirst();
  return row?.assistants;
}

function accountQuery(db: Reader | Transaction) {
  return db
    .selectFrom('accounts')
    .innerJoin('users', 'users.id', 'accounts.owner_id')
    .select([
      'accounts.id',
      'accounts.name',
      'accounts.type',
      'accounts.assistants',
      'accounts.deletion_at',
      'users.email as owner',
    ]);
}

function toAccount(row: {
  id: string;
  name: string;
  type: string;
  owner: string;
  assistants: Account['assistants'];
  deletion_at: number | null;
}): Account {
  const { id, name, owner, type, assistants, deletion_at } = row;
  const account = { id, name, owner, type, assistants };
  return deletion_at === null ? account : { ...account, deletionDate: timestamp(deletion_at) };
}

/** Latin letters that Unicode does not decompose into a letter and a mark. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ŋ: 'ng',
  ŧ: 't',
};

/**
 * Derives an id from a name: `St. Mary's Hospital` → `st-mary-s-hospital`, `Ärzte GmbH` → `arzte-gmbh`. Empty
 * when no letter or digit remains.
 */
export function shortName(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mark}+/gu, '')
    .replace(/[^a-z0-9]/gu, (sign) => letters[sign] ?? '-')
    .replace(/-+/g, '-')
    .replace(/^-/, '')
    .slice(0, 28)
    .replace(/-$/, '');
}

/** Reports whether there is no other account: the administrators of a sole one decide about the whole service. */
export async function isOnlyAccount(db: Reader, account: string): Promise<boolean> {
  const accounts = await db.selectFrom('accounts').select('id').limit(2).execute();
  return accounts.every(({ id }) => id === account);
}
