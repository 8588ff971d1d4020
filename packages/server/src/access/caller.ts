import { createHash } from 'node:crypto';
import {
  type CompiledPolicy,
  canonicalJson,
  conditionsOf,
  type Json,
  type Policy,
  reducePolicy,
} from '@ploidy/policy';
import { type Operation, type OperationName, operationOf, type Privilege } from './operations.ts';
import { ProjectsInView } from './projects-in-view.ts';
import type { ResourceAttributes } from './resource.ts';
import { eitherRows, type Rows, rowsOf, tablesAround } from './rows.ts';

/** Rights of a caller in one account: its policies, merged and reduced with `user.*`. */
export interface AccountAccess {
  account: string;
  policy: Policy;
  compiled: CompiledPolicy;
}

/** Part of the resources of a project to which a right applies. */
export type Extent = 'all' | 'some' | 'none';

/** Authenticated caller, resolved once per request and cached. Immutable: changed policies, groups or keys make a new one. */
export class Caller {
  readonly userId: string;
  /** User for whom the caller's work counts: of a client that acts for itself, who made it. */
  readonly person: string;
  readonly email: string;
  /** Only account that accepts the address: its identity provider asserts it, but it was never verified. */
  readonly emailOnlyIn: string | undefined;
  /** Authentication method for the audit log: `apiKey:<id>`, `grant:<id>`, `session:<id>` or `host`. */
  readonly via: string;
  /** Only account of an API key. */
  readonly keyAccount: string | undefined;
  /** Only account of the credential, of any kind; absent: all of the user's accounts. */
  readonly onlyAccount: string | undefined;
  /**
   * Account that issued the credential, by its identity provider or for one of its clients. The credential
   * changes nothing of the user beyond it.
   */
  readonly givenBy: string | undefined;
  /** Scopes of an access token, separated by blanks; `undefined` for other credentials. */
  readonly scope: string | undefined;
  /** Client application of an access token; `undefined` for other credentials. */
  readonly client: string | undefined;
  /** Address of the resource of its own that an access token is for, and valid nowhere else. */
  readonly resource: string | undefined;
  /** Patient to whom scopes `patient/` are limited, by the id that the FHIR interface shows. */
  readonly patient: string | undefined;
  /** User who looks as this one, with the rights to read of both (view.ts); `undefined` for a caller on its own. */
  readonly viewer: string | undefined;
  /** Reports whether the credential is of a client that the host trusts with the profile and keys of its users. */
  readonly isFirstParty: boolean;
  readonly accounts: ReadonlyMap<string, AccountAccess>;
  readonly #views = new Map<string, ProjectsInView>();
  #rightsDigest: string | undefined;

  constructor(fields: {
    userId: string;
    person?: string | undefined;
    email: string;
    emailOnlyIn?: string | undefined;
    via: string;
    keyAccount: string | undefined;
    onlyAccount?: string | undefined;
    scope?: string | undefined;
    client?: string | undefined;
    resource?: string | undefined;
    patient?: string | undefined;
    viewer?: string | undefined;
    isFirstParty?: boolean | undefined;
    accounts: ReadonlyMap<string, AccountAccess>;
  }) {
    this.userId = fields.userId;
    this.person = fields.person ?? fields.userId;
    this.email = fields.email;
    this.emailOnlyIn = fields.emailOnlyIn;
    this.via = fields.via;
    this.keyAccount = fields.keyAccount;
    this.onlyAccount = fields.keyAccount ?? fields.onlyAccount;
    this.givenBy = fields.onlyAccount;
    this.scope = fields.scope;
    this.client = fields.client;
    this.resource = fields.resource;
    this.patient = fields.patient;
    this.viewer = fields.viewer;
    this.isFirstParty = fields.isFirstParty ?? false;
    this.accounts = fields.accounts;
  }

  /** Key of user and credential: callers with the same key have the same rights. An API key made by another has fewer than that. */
  get rightsKey(): string {
    const [kind] = this.via.split(':');
    const credential = kind === 'apiKey' ? this.via : kind;
    return JSON.stringify([
      ...[this.userId, credential, this.onlyAccount, this.givenBy, this.client, this.scope],
      ...[this.resource, this.patient, this.viewer],
    ]);
  }

  /** User whose hand it is: for the audit log and the limits of requests. */
  get hand(): string {
    return this.viewer ?? this.userId;
  }

  /** Digest of the rights in all accounts: equal while none of them changes. */
  get rightsDigest(): string {
    this.#rightsDigest ??= createHash('sha256')
      .update(
        canonicalJson([...this.accounts.values()].map(({ account, policy }) => [account, policy]) as Json),
      )
      .digest('hex');
    return this.#rightsDigest;
  }

  /** Reports whether the caller may know that the account and its contents exist. */
  isMember(account: string): boolean {
    return this.accounts.has(account);
  }

  /** Returns the projects of an account that the caller may know of; of another account, none. */
  projectsOf(account: string): ProjectsInView {
    const known = this.#views.get(account);
    if (known) return known;
    const { policy = { rules: {} } } = this.accounts.get(account) ?? {};
    const view = new ProjectsInView(policy, account, this.userId);
    this.#views.set(account, view);
    return view;
  }

  /** Reports whether a rule of the account's policies grants the privilege on the resource. */
  allows(privilege: Privilege, resource: ResourceAttributes): boolean {
    const access = this.accounts.get(resource.account);
    return access?.compiled.allows(privilege, { resource }) ?? false;
  }

  /** Reports whether the caller may perform an operation on a resource. Routes decide operations without a privilege. */
  may(name: OperationName, resource: ResourceAttributes): boolean {
    const { needs, byRow, on }: Operation = operationOf(name);
    if (needs === 'member') return this.isMember(resource.account);
    if (!Array.isArray(needs)) return false;
    // A decision on another type than `ploidy admin docs access` names is a fault of the code.
    if (on !== resource.type) throw new Error(`${name} is decided on ${on}, not on ${resource.type}.`);
    if (needs.some((privilege) => this.allows(privilege, resource))) return true;
    return byRow === true && this.rows(name, tablesAround(resource)) !== false;
  }

  /**
   * Returns on which resources of a type in a project the caller may perform an operation. `some`: rules on the id or the owner of a
   * resource decide.
   */
  extentOf(name: OperationName, resource: ResourceAttributes): Extent {
    if (this.may(name, resource)) return 'all';
    const { needs }: Operation = operationOf(name);
    const access = this.accounts.get(resource.account);
    if (!access || !Array.isArray(needs)) return 'none';
    const known = ['account', 'dataset', 'type', 'subject'].map((attribute) => `resource.${attribute}`);
    const reduced = reducePolicy(access.policy, { resource }, known);
    return needs.some((privilege) => conditionsOf(reduced, privilege) !== false) ? 'some' : 'none';
  }

  /** Returns the rows of a project's tables that an operation may access. */
  rows(name: OperationName, tables: ResourceAttributes): Rows {
    const { needs }: Operation = operationOf(name);
    const access = this.accounts.get(tables.account);
    if (!access || !Array.isArray(needs)) return false;
    if (needs.some((privilege) => this.allows(privilege, tables))) return true;
    return needs.map((privilege) => rowsOf(access.policy, privilege, tables)).reduce(eitherRows, false);
  }

  /** Reports whether API keys may be used in the account: `apiKeyUser` must be true. */
  mayUseKey(): boolean {
    if (this.keyAccount === undefined) return true;
    return this.allows('apiKeyUser', { account: this.keyAccount, type: 'account', id: this.keyAccount });
  }
}
