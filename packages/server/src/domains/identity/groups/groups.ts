import type { Caller } from '../../../access/caller.ts';
import type { PageRequest } from '../../../api/paging.ts';
import type { Located } from '../../../api/route.ts';
import { newId } from '../../../base/ids.ts';
import { nameKey } from '../../../base/names.ts';
import { conflict, notFound, type Problem } from '../../../base/problem.ts';
import { isUniqueViolation } from '../../../platform/records/errors.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { GroupsTable } from '../../../platform/records/schema.ts';
import { type Audit, type AuditAction, actor, wasDone } from '../../audit/index.ts';
import { type GroupView, groupAttributes, groupView } from './group.ts';
import { lockAccount } from './membership.ts';
import { findGroupRow, isInGroup, listGroups, visibleGroups } from './store.ts';

interface GroupInput {
  name?: string;
  description?: string;
  type?: string;
}

type By = { caller: Caller; requestId: string };

/** Groups of an account: search, lists, creation and changes. The domain `members` manages their members. */
export class Groups {
  readonly #records: Records;
  readonly #audit: Audit;

  constructor(records: Records, audit: Audit) {
    this.#records = records;
    this.#audit = audit;
  }

  /** Locates a group of the account that the caller may see, by its id in any case. */
  async locate(account: string, id: string, caller: Caller): Promise<Located<GroupsTable> | undefined> {
    const record = await findGroupRow(this.#records.read, id.toLowerCase());
    if (!record || record.account_id !== account || !(await this.#sees(caller, record))) return undefined;
    return { attributes: groupAttributes(account, record.id), record };
  }

  /** Locates a group for PUT, or a free id. Undefined for an id that is taken by a hidden group. */
  async locateToPut(
    account: string,
    id: string,
    caller: Caller,
  ): Promise<Located<GroupsTable | undefined> | undefined> {
    const present = await findGroupRow(this.#records.read, id.toLowerCase());
    if (present) return this.locate(account, id, caller);
    return { attributes: groupAttributes(account, id.toLowerCase()), record: undefined };
  }

  /** Lists all groups of an account that the caller may see, by name. */
  async visible(account: string, caller: Caller): Promise<GroupView[]> {
    const rows = await visibleGroups(this.#records.read, caller, account).execute();
    return rows.map(groupView);
  }

  /** Lists groups by name regardless of case, one row more than the page. `name` is a prefix. */
  async list(account: string, caller: Caller, name: string, page: PageRequest): Promise<GroupsTable[]> {
    return listGroups(this.#records.read, caller, { account, name, page });
  }

  /** Throws 409 when the name is taken in the account. */
  async create(account: string, input: GroupInput & { name: string }, by: By): Promise<GroupView> {
    return this.#write(async (tx) => {
      await lockAccount(tx, account);
      const row = await insertGroup(tx, account, newId(), input);
      await this.#record(tx, 'groups.create', row, by);
      return groupView(row);
    });
  }

  /**
   * Creates or replaces the group: absent fields get their default. The name is optional, as the
   * specification's Group lacks it: a group keeps its name, and a new one is named after its id.
   */
  async put(account: string, id: string, input: GroupInput, by: By): Promise<GroupView> {
    return this.#write(async (tx) => {
      await lockAccount(tx, account);
      const present = await findGroupRow(tx, id);
      if (present && present.account_id !== account) throw notFound();
      if (!present && (await wasDeleted(tx, account, id))) throw idUsed();
      const row = present
        ? await replaceGroup(tx, present, input)
        : await insertGroup(tx, account, id, { ...input, name: input.name ?? id });
      await this.#record(tx, present ? 'groups.update' : 'groups.create', row, by);
      return groupView(row);
    });
  }

  async #sees(caller: Caller, { id, account_id, type }: GroupsTable): Promise<boolean> {
    if (type === 'open' || caller.allows('accessAdmin', groupAttributes(account_id, id))) return true;
    return isInGroup(this.#records.read, id, caller.userId);
  }

  async #write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.#records.transact(work);
    } catch (error) {
      if (!isUniqueViolation(error, 'groups')) throw error;
      throw conflict('GROUP_EXISTS', 'A group with this name already exists in the account.');
    }
  }

  async #record(tx: Transaction, action: AuditAction, group: GroupsTable, by: By): Promise<void> {
    await this.#audit.append(tx, {
      account: group.account_id,
      ...actor(by.caller, by.requestId),
      action,
      resource: { type: 'group', id: group.id },
      outcome: 'done',
      details: { type: group.type },
    });
  }
}

/**
 * Reports whether the id belonged to a deleted group. Policies may still name it: they would apply to the
 * members of a new one.
 */
function wasDeleted(tx: Transaction, account: string, id: string): Promise<boolean> {
  return wasDone(tx, { account, action: 'groups.delete', resource: { type: 'group', id } });
}

function idUsed(): Problem {
  return conflict('GROUP_EXISTS', 'A group with this id has existed. Choose another id.');
}

async function insertGroup(
  tx: Transaction,
  account: string,
  id: string,
  input: GroupInput & { name: string },
): Promise<GroupsTable> {
  const row: GroupsTable = {
    id,
    account_id: account,
    name: input.name,
    name_key: nameKey(input.name),
    description: input.description ?? '',
    type: input.type ?? 'closed',
    created_at: Date.now(),
  };
  // Another account may have taken the id at this moment: unknown here, as any foreign id.
  const made = await tx
    .insertInto('groups')
    .values(row)
    .onConflict((on) => on.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!made) throw notFound();
  return row;
}

async function replaceGroup(tx: Transaction, present: GroupsTable, input: GroupInput): Promise<GroupsTable> {
  const name = input.name ?? present.name;
  const change = {
    name,
    name_key: nameKey(name),
    description: input.description ?? '',
    type: input.type ?? 'closed',
  };
  await tx.updateTable('groups').set(change).where('id', '=', present.id).execute();
  return { ...present, ...change };
}
