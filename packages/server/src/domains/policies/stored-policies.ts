import { createHash } from 'node:crypto';
import type { Policy } from '@ploidy/policy';
import type { Caller } from '../../access/caller.ts';
import { listFilter } from '../../access/filter.ts';
import { requireState } from '../../conditions.ts';
import { isId } from '../../ids.ts';
import { nameBegins, nameKey } from '../../names.ts';
import type { PageRequest } from '../../paging.ts';
import { isUniqueViolation } from '../../platform/records/errors.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { PoliciesTable } from '../../platform/records/schema.ts';
import { conflict, notFound, type Problem } from '../../problem.ts';
import type { Located } from '../../route.ts';
import { type Audit, actor } from '../audit/index.ts';
import { lockAccount } from '../groups/index.ts';
import { insertPolicy, type NamedPolicy, readDocument } from './policies.ts';

/**
 * Most policies of an account, and most characters of their documents together. All of them are merged and reduced for each
 * member who calls, so they bound what one account can cost the others.
 */
export const accountLimits = { policiesMax: 500, charactersMax: 1_000_000 };

type By = { caller: Caller; requestId: string };

/** What changes in a policy; what is absent stays. */
export interface PolicyChange {
  name?: string;
  policy?: Policy;
}

/** The policies of accounts: finding, making, changing. A change takes effect in every process at once. */
export class StoredPolicies {
  readonly #records: Records;
  readonly #audit: Audit;

  constructor(records: Records, audit: Audit) {
    this.#records = records;
    this.#audit = audit;
  }

  /** One row more than the page, by name without regard to case, of those that the caller may read. `name` is a prefix. */
  async list(caller: Caller, account: string, name: string, page: PageRequest): Promise<PoliciesTable[]> {
    let query = this.#records.read
      .selectFrom('policies')
      .selectAll()
      .where('account_id', '=', account)
      .where((where) => nameBegins(where.ref('name_key'), name))
      .where((where) =>
        listFilter(caller, account, ['accessAdmin'], {
          columns: { 'resource.id': where.ref('id') },
          constants: { 'resource.account': account, 'resource.type': 'policy' },
        }),
      )
      .orderBy('name_key')
      .limit(page.size + 1);
    if (page.after) query = query.where('name_key', '>', String(page.after[0]));
    return query.execute();
  }

  /** A policy by its id or by its name without regard to case. No name looks like an id, so there is never a choice. */
  async locate(account: string, idOrName: string): Promise<Located<PoliciesTable> | undefined> {
    const id = idOrName.toLowerCase();
    const query = this.#records.read.selectFrom('policies').selectAll().where('account_id', '=', account);
    const record = await (isId(id)
      ? query.where('id', '=', id)
      : query.where('name_key', '=', nameKey(idOrName))
    ).executeTakeFirst();
    return record && { attributes: { account, type: 'policy', id: record.id }, record };
  }

  async create(account: string, name: string, policy: Policy, by: By): Promise<NamedPolicy> {
    return this.#write(account, async (tx) => {
      const made = await insertPolicy(tx, account, name, policy);
      await requireWithinLimits(tx, account);
      await this.#tell(tx, 'policies.create', account, made.id, by, {
        operations: Object.keys(policy.rules).length,
      });
      return made;
    });
  }

  /** Renames a policy, replaces its document, or both. Problem 412 when it is not the one that `ifMatch` names. */
  async update(
    policy: PoliciesTable,
    change: PolicyChange,
    ifMatch: string | undefined,
    by: By,
  ): Promise<PoliciesTable> {
    return this.#write(policy.account_id, async (tx) => {
      await requireMatch(tx, policy.id, ifMatch);
      const row = await tx
        .updateTable('policies')
        .set({
          updated_at: Date.now(),
          ...(change.name !== undefined && { name: change.name, name_key: nameKey(change.name) }),
          ...(change.policy !== undefined && { document: JSON.stringify(change.policy) }),
        })
        .where('id', '=', policy.id)
        .returningAll()
        .executeTakeFirst();
      if (!row) throw notFound();
      if (change.policy !== undefined) await requireWithinLimits(tx, policy.account_id);
      await this.#tell(tx, 'policies.update', policy.account_id, policy.id, by, {
        renamed: change.name !== undefined,
        replaced: change.policy !== undefined,
      });
      return row;
    });
  }

  async delete(policy: PoliciesTable, ifMatch: string | undefined, by: By): Promise<void> {
    await this.#write(policy.account_id, async (tx) => {
      await requireMatch(tx, policy.id, ifMatch);
      const gone = await tx.deleteFrom('policies').where('id', '=', policy.id).executeTakeFirst();
      if (gone.numDeletedRows === 0n) throw notFound();
      await this.#tell(tx, 'policies.delete', policy.account_id, policy.id, by);
    });
  }

  /** Changes of one account come one after the other, so that the limits and `If-Match` hold. */
  async #write<T>(account: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.#records.transact(async (tx) => {
        await lockAccount(tx, account);
        return work(tx);
      });
    } catch (error) {
      if (!isUniqueViolation(error, 'policies')) throw error;
      throw nameTaken();
    }
  }

  async #tell(
    tx: Transaction,
    action: string,
    account: string,
    id: string,
    by: By,
    details: Record<string, boolean | number> = {},
  ): Promise<void> {
    await this.#records.announce(tx, `access:${account}`);
    await this.#audit.append(tx, {
      account,
      ...actor(by.caller, by.requestId),
      action,
      resource: { type: 'policy', id },
      outcome: 'done',
      details,
    });
  }
}

/** The policy as the API shows it. */
export function viewOfPolicy({ id, name, document }: PoliciesTable): NamedPolicy {
  return { id, name, policy: readDocument(document) };
}

/** Names the state of a policy: another one after each change of its name or document. */
export function etagOf({ name, document }: Pick<PoliciesTable, 'name' | 'document'>): string {
  const state = createHash('sha256')
    .update(JSON.stringify([name, document]))
    .digest('base64url');
  return `"${state.slice(0, 22)}"`;
}

export function nameTaken(): Problem {
  return conflict('POLICY_EXISTS', 'A policy with this name already exists in the account.');
}

async function requireMatch(tx: Transaction, id: string, ifMatch: string | undefined): Promise<void> {
  if (ifMatch === undefined) return;
  const row = await tx
    .selectFrom('policies')
    .select(['name', 'document'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw notFound();
  const message = 'The policy was changed since you read it. Read it again, then decide.';
  requireState({ 'if-match': ifMatch }, { etag: etagOf(row) }, message);
}

async function requireWithinLimits(tx: Transaction, account: string): Promise<void> {
  const { policies, characters } = await tx
    .selectFrom('policies')
    .select(({ fn, ref }) => [
      fn.countAll<number>().as('policies'),
      fn.sum<number>(fn('length', [ref('document')])).as('characters'),
    ])
    .where('account_id', '=', account)
    .executeTakeFirstOrThrow();
  if (Number(policies) > accountLimits.policiesMax) {
    const most = `An account has at most ${accountLimits.policiesMax} policies. Delete some, or join them.`;
    throw conflict('POLICIES_LIMIT', most);
  }
  if (Number(characters) > accountLimits.charactersMax) {
    const most = `The policies of an account hold at most ${accountLimits.charactersMax} characters together.`;
    throw conflict('POLICIES_LIMIT', `${most} Bind rules to groups instead of listing many values.`);
  }
}
