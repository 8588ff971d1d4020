import type { Principal } from '../callers/index.ts';
import type { Grants } from './grants.ts';
import type { Tokens } from './tokens.ts';

/** Access tokens as credentials of a request: verified, and looked up whether their grant still stands. */
export class AccessTokens {
  readonly #tokens: Tokens;
  readonly #grants: Grants;

  constructor(tokens: Tokens, grants: Grants) {
    this.#tokens = tokens;
    this.#grants = grants;
  }

  /** Who a token speaks for and until when that may be cached; `undefined` when it is forged, expired or revoked. */
  async verify(token: string): Promise<{ principal: Principal; expiresAt: number } | undefined> {
    const read = await this.#tokens.readAccessToken(token);
    if (!read) return undefined;
    const grant = await this.#grants.find(read.grantId);
    if (!grant || grant.revoked_at !== null || grant.user_id !== read.userId) return undefined;
    const principal: Principal = {
      userId: grant.user_id,
      via: `grant:${grant.id}`,
      keyAccount: undefined,
      ...(grant.only_account !== null && { onlyAccount: grant.only_account }),
      scope: read.scope,
      client: grant.client_id,
    };
    return { principal, expiresAt: read.expiresAt };
  }
}
