import { createHash } from 'node:crypto';
import type { Policy } from '@ploidy/policy';
import type { Caller } from '../../../access/caller.ts';
import { listConditions, listFilter } from '../../../access/filter.ts';
import { requireState } from '../../../api/conditions.ts';
import type { PageRequest } from '../../../api/paging.ts';
import type { Located } from '../../../api/route.ts';
import { isId } from '../../../base/ids.ts';
import { nameBegins, nameKey } from '../../../base/names.ts';
import { conflict, notFound, type Problem } from '../../../base/problem.ts';
import { isUniqueViolation } from '../../../platform/records/errors.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { PoliciesTable } from '../../../platform/records/schema.ts';
import { type Audit, type AuditAction, actor } from '../../audit/index.ts';
import { lockAccount } from '../groups/index.ts';
import { insertPolicy, type NamedPolicy, readDocument, timeOfChange } from './policies.ts';
import { type GroupNames, groupNames, groupsIn } from './warnings.ts';

/**
 * Limits of an account's policies. All are merged and reduced for each calling member: the limits bound the
 * cost of one account to others.
 */
export const accountLimits = { policiesMax: 500, charactersMax: 1_000_000, listConditionsMax: 1000 };

type By = { caller: Caller; requestId: string };

/** Changes of a policy; absent fields stay. */
interface PolicyChange {
  name?: string;
  policy?: Policy;
}

/** Policies of accounts. A change takes effect in every process at once. */
export class StoredPolicies {
  readonly #records: Records;
  readonly #audit: Audit;

  constructor(records: Records, audit: Audit) {
    this.#records = records;
    this.#audit = audit;
  }

  /** Returns the names of the account's groups, which policies name by id. */
  groupNames(account: string): Promise<GroupNames> {
    return groupNames(this.#records.read, account);
  }

  /**
   * Lists policies that the caller may read, by name regardless of case, one row more than the page. `name`
   * is a prefix.
   */
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

  /**
   * Finds a policy by id or by name regardless of case. No name looks like an id, so there is no ambiguity.
   */
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
      await requireWithinLimits(tx, account, policy);
      await this.#record(tx, 'policies.create', account, made.id, by, {
        operations: Object.keys(policy.rules).length,
      });
      return made;
    });
  }

  /** Renames a policy, replaces its document, or both. Throws 412 when `ifMatch` names another state. */
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
          updated_at: await timeOfChange(tx, policy.account_id),
          ...(change.name !== undefined && { name: change.name, name_key: nameKey(change.name) }),
          ...(change.policy !== undefined && { document: JSON.stringify(change.policy) }),
        })
        .where('id', '=', policy.id)
        .returningAll()
        .executeTakeFirst();
      if (!row) throw notFound();
      if (change.policy !== undefined) await requireWithinLimits(tx, policy.account_id, change.policy);
      await this.#record(tx, 'policies.update', policy.account_id, policy.id, by, {
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
      await this.#record(tx, 'policies.delete', policy.account_id, policy.id, by);
    });
  }

  /** Runs changes of one account in turn, so that limits and `If-Match` hold. */
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

  async #record(
    tx: Transaction,
    action: AuditAction,
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

/** Returns a policy in API form, with the names of its groups. */
export function viewOfPolicy(
  { id, name, document }: Pick<PoliciesTable, 'id' | 'name' | 'document'>,
  names: GroupNames,
): NamedPolicy & { groups: { id: string; name: string }[] } {
  const policy = readDocument(document);
  return { id, name, policy, groups: groupsIn(policy, names) };
}

/** Returns the entity tag of a policy: it changes with name and document. */
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

async function requireWithinLimits(tx: Transaction, account: string, changed: Policy): Promise<void> {
  const { policies, characters } = await tx
    .selectFrom('policies')
    .select(({ fn, ref }) => [
      fn.countAll<number>().as('policies'),
      fn.sum<number>(fn('length', [ref('document')])).as('characters'),
    ])
    .where('account_id', '=', account)
    .executeTakeFirstOrThrow();
  if (Number(policies) > accountLimits.policiesMax) {
    const most = `An account has at most ${accountLimits.policiesMax} policies. Delete some, or merge them.`;
    throw conflict('POLICIES_LIMIT', most);
  }
  if (Number(characters) > accountLimits.charactersMax) {
    const most = `The policies of an account have at most ${accountLimits.charactersMax} characters in total.`;
    throw conflict('POLICIES_LIMIT', `${most} Bind rules to groups instead of listing many values.`);
  }
  await requirePlainLists(tx, account, changed);
}

/** Refuses rules under which lists would occupy the store too long. */
async function requirePlainLists(tx: Transaction, account: string, changed: Policy): Promise<void> {
  const { policiesMax, listConditionsMax } = accountLimits;
  const isPlain = Object.values(changed.rules).every(
    (grant) => !Array.isArray(grant) || listConditions(grant) <= listConditionsMax / policiesMax,
  );
  // This few per policy stay within the limit for any number of policies.
  if (isPlain) return;
  const rows = await tx.selectFrom('policies').select('document').where('account_id', '=', account).execute();
  const conditions = new Map<string, number>();
  for (const { document } of rows)
    for (const [operation, grant] of Object.entries(readDocument(document).rules))
      if (Array.isArray(grant))
        conditions.set(operation, (conditions.get(operation) ?? 0) + listConditions(grant));
  for (const [operation, count] of conditions) {
    if (count <= accountLimits.listConditionsMax) continue;
    const most = `The rules of an account for ${operation} have at most ${accountLimits.listConditionsMax} comparisons that are no plain values.`;
    throw conflict('POLICIES_LIMIT', `${most} Put values into lists (in), or bind rules to groups.`);
  }
}
