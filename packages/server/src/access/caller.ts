import type { CompiledPolicy, Policy } from '@ploidy/policy';
import { type Operation, type OperationName, operationOf, type Privilege } from './operations.ts';
import type { ResourceAttributes } from './resource.ts';
import { eitherRows, type Rows, rowsOf, tablesAround } from './rows.ts';

/** What a caller may do in one account of his: the policies of the account, merged and reduced with `user.*`. */
export interface AccountAccess {
  account: string;
  policy: Policy;
  compiled: CompiledPolicy;
}

/**
 * Who is calling, resolved once per request and cached. Immutable: a change of policies, groups or keys makes a new one.
 */
export class Caller {
  readonly userId: string;
  readonly email: string;
  /** The one account in which the address counts: its identity provider claims it, and nobody has proven it. */
  readonly emailOnlyIn: string | undefined;
  /** How he authenticated, for the audit log: `apiKey:<id>`, `grant:<id>`, `session:<id>` or `host`. */
  readonly via: string;
  /** The one account that an API key works in. */
  readonly keyAccount: string | undefined;
  /** The one account that the credential is good for, whatever kind it is; absent: all of the user's. */
  readonly onlyAccount: string | undefined;
  /** The account that gave him the credential, by its identity provider or for one of its clients: nothing of his beyond it changes by it. */
  readonly givenBy: string | undefined;
  /** What an access token was granted, separated by blanks; `undefined` for other credentials. */
  readonly scope: string | undefined;
  /** The application that an access token was given to; `undefined` for other credentials. */
  readonly client: string | undefined;
  readonly accounts: ReadonlyMap<string, AccountAccess>;

  constructor(fields: {
    userId: string;
    email: string;
    emailOnlyIn?: string | undefined;
    via: string;
    keyAccount: string | undefined;
    onlyAccount?: string | undefined;
    scope?: string | undefined;
    client?: string | undefined;
    accounts: ReadonlyMap<string, AccountAccess>;
  }) {
    this.userId = fields.userId;
    this.email = fields.email;
    this.emailOnlyIn = fields.emailOnlyIn;
    this.via = fields.via;
    this.keyAccount = fields.keyAccount;
    this.onlyAccount = fields.keyAccount ?? fields.onlyAccount;
    this.givenBy = fields.onlyAccount;
    this.scope = fields.scope;
    this.client = fields.client;
    this.accounts = fields.accounts;
  }

  /** Who he is and what kind of credential he has: what one of them may do, every other that is described so may do too. */
  get standing(): string {
    const [kind] = this.via.split(':');
    return JSON.stringify([this.userId, kind, this.onlyAccount, this.givenBy, this.client, this.scope]);
  }

  /** Whether he may know that the account, and what is in it, exists. */
  isMember(account: string): boolean {
    return this.accounts.has(account);
  }

  /** Whether a rule of the account's policies gives him the privilege on the thing. */
  allows(privilege: Privilege, resource: ResourceAttributes): boolean {
    const access = this.accounts.get(resource.account);
    return access?.compiled.allows(privilege, { resource }) ?? false;
  }

  /** Whether he may do an operation on a thing. Operations that need no privilege are decided by their route. */
  may(name: OperationName, resource: ResourceAttributes): boolean {
    const { needs, byRow }: Operation = operationOf(name);
    if (needs === 'member') return this.isMember(resource.account);
    if (!Array.isArray(needs)) return false;
    if (needs.some((privilege) => this.allows(privilege, resource))) return true;
    return byRow === true && this.rows(name, tablesAround(resource)) !== false;
  }

  /** Which rows of the tables of a project an operation reaches. */
  rows(name: OperationName, tables: ResourceAttributes): Rows {
    const { needs }: Operation = operationOf(name);
    const access = this.accounts.get(tables.account);
    if (!access || !Array.isArray(needs)) return false;
    if (needs.some((privilege) => this.allows(privilege, tables))) return true;
    return needs.map((privilege) => rowsOf(access.policy, privilege, tables)).reduce(eitherRows, false);
  }

  /** A request made with an API key is refused while `apiKeyUser` is not true in its account. */
  mayUseKey(): boolean {
    if (this.keyAccount === undefined) return true;
    return this.allows('apiKeyUser', { account: this.keyAccount, type: 'account', id: this.keyAccount });
  }
}
