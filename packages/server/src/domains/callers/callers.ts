import { compilePolicy, type Policy } from '@ploidy/policy';
import { type AccountAccess, Caller } from '../../access/caller.ts';
import { evaluatePolicy } from '../../access/evaluate.ts';
import type { Reader, Records } from '../../platform/records/records.ts';
import { SecondChanceMap } from '../../second-chance-map.ts';
import { mergedPolicy } from '../policies/index.ts';
import { attributesByAccount } from '../users/index.ts';

/** Who a verified credential names. */
export interface Principal {
  userId: string;
  via: string;
  /** The account of an API key: it works there only, and only while `apiKeyUser` allows it. */
  keyAccount: string | undefined;
  /** The account that gave an access token, a session or a key, which is good for nothing beyond it; absent: it is the person's own. */
  onlyAccount?: string;
  /** What an access token was granted, separated by blanks. */
  scope?: string;
  /** The application that an access token was given to. */
  client?: string;
}

interface Membership {
  account: string;
  owner: boolean;
  groups: string[];
}

/** The policies of an account as one. */
interface Merged {
  account: string;
  version: string;
  policy: Promise<Policy>;
}

/** Accounts whose merged policy is kept; one that was not used of late goes first. */
const mergedAccountsMax = 1000;

/** Resolves who is calling to what he may do. Keeps merged policies; http keeps callers, by token (http/authentication.ts). */
export class Callers {
  readonly #records: Pick<Records, 'read'>;
  readonly #mergedMax: number;
  readonly #merged = new SecondChanceMap<Merged>();

  constructor(records: Pick<Records, 'read' | 'onChange'>, mergedMax = mergedAccountsMax) {
    this.#records = records;
    this.#mergedMax = mergedMax;
    records.onChange('access:', (topic) => {
      const concerned = topic.slice('access:'.length);
      // The bare prefix: anything may have changed.
      this.#merged.deleteWhere(({ account }) => concerned === '' || concerned === account);
    });
  }

  /** The caller, or `undefined` when the user is gone. */
  async resolve(principal: Principal): Promise<Caller | undefined> {
    const { read } = this.#records;
    const user = await read
      .selectFrom('users')
      .select(['id', 'email', 'type', 'email_claimed_by'])
      .where('id', '=', principal.userId)
      .executeTakeFirst();
    if (!user) return undefined;
    const memberships = await this.#memberships(read, principal, user.type);
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
      email: user.email,
      emailOnlyIn: user.email_claimed_by ?? undefined,
      via: principal.via,
      keyAccount: principal.keyAccount,
      onlyAccount: principal.onlyAccount,
      scope: principal.scope,
      client: principal.client,
      accounts,
    });
  }

  /**
   * Merging is kept, but asked once more which policies there are: a credential that is new to this process may rest on a change
   * of another one that it has not heard of yet.
   */
  async #policyOf(account: string): Promise<Policy> {
    const version = await policiesVersion(this.#records.read, account);
    const cached = this.#merged.get(account);
    if (cached?.version === version) return cached.policy;
    const merged = { account, version, policy: mergedPolicy(this.#records.read, account) };
    if (!cached && this.#merged.size >= this.#mergedMax) this.#merged.takeUnused();
    this.#merged.set(account, merged);
    merged.policy.catch(() => this.#merged.deleteWhere((kept) => kept === merged));
    return merged.policy;
  }

  /** Membership of an account = membership of at least one of its groups, or owning it (docs/clarifications.md). */
  async #memberships(read: Reader, principal: Principal, userType: string): Promise<Membership[]> {
    const owned = await read
      .selectFrom('accounts')
      .select('id')
      .where('owner_id', '=', principal.userId)
      .execute();
    const joined = await read
      .selectFrom('group_members')
      // An account that is being removed is gone, whatever rows of it are still there.
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
    // A client that acts for itself belongs to its account, whether or not somebody put it into a group.
    if (userType === 'client')
      for (const account of await accountOfClient(read, principal.userId)) at(account);
    const all = [...memberships.values()];
    const only = principal.keyAccount ?? principal.onlyAccount;
    return only === undefined ? all : all.filter((membership) => membership.account === only);
  }
}

/** Changes whenever a policy of the account is made, changed or deleted. */
async function policiesVersion(read: Reader, account: string): Promise<string> {
  const row = await read
    .selectFrom('policies')
    .select(({ fn }) => [fn.countAll().as('count'), fn.max('updated_at').as('latest')])
    .where('account_id', '=', account)
    .executeTakeFirstOrThrow();
  return `${row.count} ${row.latest}`;
}

async function accountOfClient(read: Reader, clientId: string): Promise<string[]> {
  const rows = await read.selectFrom('clients').select('account_id').where('id', '=', clientId).execute();
  return rows.map((row) => row.account_id);
}
