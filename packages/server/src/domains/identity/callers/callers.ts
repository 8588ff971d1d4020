import { compilePolicy, type Policy } from '@ploidy/policy';
import { LRUCache } from 'lru-cache';
import { type AccountAccess, Caller } from '../../../access/caller.ts';
import { evaluatePolicy } from '../../../access/evaluate.ts';
import type { Reader, Records } from '../../../platform/records/records.ts';
import type { ClientsTable } from '../../../platform/records/schema-sign-in.ts';
import { mergedPolicy } from '../policies/index.ts';
import { attributesByAccount } from '../users/index.ts';

/** User named by a verified credential. */
export interface Principal {
  userId: string;
  via: string;
  /** Account of an API key: it works only there, and only while `apiKeyUser` allows it. */
  keyAccount: string | undefined;
  /**
   * Account that issued an access token, a session or a key, which is valid only there; absent for the user's
   * own credentials.
   */
  onlyAccount?: string;
  /** Scopes of an access token, separated by spaces. */
  scope?: string;
  /** Application that an access token was issued to. */
  client?: string;
  /** Address of the resource of its own that an access token was issued for. */
  resource?: string;
  /** Patient of the launch of an access token. */
  patient?: string;
  /** Set for a client that the host trusts with the profile and keys of its users. */
  isFirstParty?: boolean;
}

interface Membership {
  account: string;
  owner: boolean;
  groups: string[];
}

/** Merged policies of an account. */
interface Merged {
  version: string;
  policy: Promise<Policy>;
}

/** Accounts whose merged policy is cached. */
const mergedAccountsMax = 1000;

/**
 * Resolves a principal to its memberships and policies. Caches merged policies; http caches callers by token
 * (http/access/authentication.ts).
 */
export class Callers {
  readonly #records: Pick<Records, 'read'>;
  readonly #merged: LRUCache<string, Merged>;

  constructor(records: Pick<Records, 'read' | 'onChange'>, mergedMax = mergedAccountsMax) {
    this.#records = records;
    this.#merged = new LRUCache({ max: mergedMax });
    records.onChange('access:', (topic) => {
      const concerned = topic.slice('access:'.length);
      // A bare prefix means that anything may have changed.
      if (concerned === '') this.#merged.clear();
      else this.#merged.delete(concerned);
    });
  }

  /** Returns the caller, or `undefined` for a deleted user. */
  async resolve(principal: Principal): Promise<Caller | undefined> {
    const { read } = this.#records;
    const user = await read
      .selectFrom('users')
      .select(['id', 'email', 'type', 'email_claimed_by'])
      .where('id', '=', principal.userId)
      .executeTakeFirst();
    if (!user) return undefined;
    const client = user.type === 'client' ? await clientOf(read, user.id) : undefined;
    const memberships = await this.#memberships(read, principal, client?.account_id);
    const attributes = await attributesByAccount(read, user.id);
    const accounts = new Map<string, AccountAccess>();
    for (const { account, owner, groups } of memberships) {
      const customAttributes = attributes.get(account) ?? {};
      const merged = await this.#policyOf(account);
      const policy = evaluatePolicy(merged, { ...user, groups, owner, customAttributes });
      accounts.set(account, { account, policy, compiled: compilePolicy(policy) });
    }
    return new Caller({
      userId: user.id,
      person: client?.made_by ?? undefined,
      email: user.email,
      emailOnlyIn: user.email_claimed_by ?? undefined,
      via: principal.via,
      keyAccount: principal.keyAccount,
      onlyAccount: principal.onlyAccount,
      scope: principal.scope,
      client: principal.client,
      resource: principal.resource,
      patient: principal.patient,
      isFirstParty: principal.isFirstParty,
      accounts,
    });
  }

  /**
   * Returns the merged policy, after checking that the cache is current: a credential new to this process may
   * depend on a change of another process that was not announced here yet.
   */
  async #policyOf(account: string): Promise<Policy> {
    const version = await policiesVersion(this.#records.read, account);
    const cached = this.#merged.get(account);
    if (cached?.version === version) return cached.policy;
    const merged = { version, policy: mergedPolicy(this.#records.read, account) };
    this.#merged.set(account, merged);
    merged.policy.catch(() => {
      if (this.#merged.peek(account) === merged) this.#merged.delete(account);
    });
    return merged.policy;
  }

  /**
   * Returns the memberships of a user: an account's members are in one of its groups or own it
   * (docs/api/policies.md).
   */
  async #memberships(
    read: Reader,
    principal: Principal,
    accountOfClient: string | undefined,
  ): Promise<Membership[]> {
    const owned = await read
      .selectFrom('accounts')
      .select('id')
      .where('owner_id', '=', principal.userId)
      .execute();
    const joined = await read
      .selectFrom('group_members')
      // An account under removal is gone, even while rows of it remain.
      .innerJoin('accounts', 'accounts.id', 'group_members.account_id')
      .select(['account_id', 'group_id'])
      .where('user_id', '=', principal.userId)
      .execute();
    const memberships = new Map<string, Membership>();
    const at = (account: string): Membership => {
      const found = memberships.get(account) ?? { account, owner: false, groups: [] };
      memberships.set(account, found);
      return found;
    };
    for (const { id } of owned) at(id).owner = true;
    for (const { account_id, group_id } of joined) at(account_id).groups.push(group_id);
    // A client that acts for itself belongs to its account, in a group or not.
    if (accountOfClient !== undefined) at(accountOfClient);
    const all = [...memberships.values()];
    const only = principal.keyAccount ?? principal.onlyAccount;
    return only === undefined ? all : all.filter((membership) => membership.account === only);
  }
}

/** Returns a value that changes with every policy created, changed or deleted in the account. */
async function policiesVersion(read: Reader, account: string): Promise<string> {
  const row = await read
    .selectFrom('policies')
    .select(({ fn }) => [fn.countAll().as('count'), fn.max('updated_at').as('latest')])
    .where('account_id', '=', account)
    .executeTakeFirstOrThrow();
  return `${row.count} ${row.latest}`;
}

async function clientOf(
  read: Reader,
  id: string,
): Promise<Pick<ClientsTable, 'account_id' | 'made_by'> | undefined> {
  return read.selectFrom('clients').select(['account_id', 'made_by']).where('id', '=', id).executeTakeFirst();
}
