import type { GrantsTable } from '../../../../platform/records/schema-sign-in.ts';
import type { Principal, Verified } from '../../../identity/callers/index.ts';
import type { Clients } from '../../clients/index.ts';
import type { Grants } from './grants.ts';
import type { Tokens } from './tokens.ts';

/** Verification of access tokens as credentials of a request, with the state of their grant. */
export class AccessTokens {
  readonly #tokens: Tokens;
  readonly #grants: Grants;
  readonly #clients: Clients;

  readonly #issuer: () => string;

  constructor(tokens: Tokens, grants: Grants, clients: Clients, issuer: () => string) {
    this.#clients = clients;
    this.#issuer = issuer;
    this.#tokens = tokens;
    this.#grants = grants;
  }

  /**
   * Returns the principal of a token and the end of caching; `undefined` when it is forged, expired or
   * revoked.
   */
  async verify(token: string): Promise<Verified | undefined> {
    const read = await this.#tokens.readAccessToken(token);
    if (!read) return undefined;
    const grant = await this.#grants.find(read.grantId);
    if (!grant || grant.revoked_at !== null || grant.user_id !== read.userId) return undefined;
    if (read.audience !== (grant.resource ?? this.#issuer())) return undefined;
    return { principal: await this.#principalOf(grant, read.scope), expiresAt: read.expiresAt };
  }

  /** Returns the principal of a grant, which outlives its tokens; `undefined` when it is expired or revoked. */
  async present(grantId: string): Promise<Verified | undefined> {
    const grant = await this.#grants.find(grantId);
    if (!grant || grant.revoked_at !== null || grant.expires_at <= Date.now()) return undefined;
    return { principal: await this.#principalOf(grant, grant.scope), expiresAt: grant.expires_at };
  }

  async #principalOf(grant: GrantsTable, scope: string): Promise<Principal> {
    // A sign-in by an identity provider of the account never reaches beyond it.
    const isFirstParty =
      grant.provided_by === null && (await this.#clients.find(grant.client_id))?.firstParty === true;
    return {
      userId: grant.user_id,
      via: `grant:${grant.id}`,
      keyAccount: undefined,
      ...(grant.only_account !== null && { onlyAccount: grant.only_account }),
      scope,
      client: grant.client_id,
      ...(grant.resource !== null && { resource: grant.resource }),
      ...(grant.patient !== null && { patient: grant.patient }),
      ...(isFirstParty && { isFirstParty }),
    };
  }
}
