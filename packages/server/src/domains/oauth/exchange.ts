import type { Records } from '../../platform/records/records.ts';
import type { GrantsTable } from '../../platform/records/schema-sign-in.ts';
import type { Audit } from '../audit/index.ts';
import type { Client } from '../clients/index.ts';
import { type ClaimsReader, claimsReader } from './claims.ts';
import { tellOfGrant } from './events.ts';
import type { Grants } from './grants.ts';
import { OAuthError } from './oauth-error.ts';
import { verifierMatches } from './pkce.ts';
import { readRefreshToken, writeRefreshToken } from './refresh-token.ts';
import { hasScope, readScope, stillAllowed } from './scopes.ts';
import { type Tokens, tokenLifeS } from './tokens.ts';

/** The token response of the specification, in the order of its fields. */
export interface TokenResponse {
  access_token: string;
  refresh_token?: string;
  id_token?: string;
  token_type: 'Bearer';
  expires_in: number;
  /** RFC 6749 §5.1: told where it differs from what was asked for, and harmless elsewhere. */
  scope: string;
}

export interface ExchangeParts {
  records: Records;
  audit: Audit;
  grants: Grants;
  tokens: Tokens;
  /** HMAC key of the refresh tokens. */
  refreshKey: Uint8Array;
}

/**
 * A lost answer, or two programs that share one file of tokens: within this time the last refresh token still gives its successor,
 * as long as that one is unused.
 */
const graceMs = 30_000;

const notValid = (what: string) =>
  new OAuthError(
    'invalid_grant',
    `The ${what} is not valid: it is unknown, expired, used or was given to another client.`,
  );

/** What the token endpoint gives for codes, refresh tokens and client credentials. */
export class Exchange {
  readonly #parts: ExchangeParts;
  readonly #claims: ClaimsReader;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    this.#claims = claimsReader(parts.records.read);
  }

  /** RFC 6749 §4.1.3. A second use of a code revokes what the first gave. */
  async code(
    client: Client,
    input: { code: string; redirectUri: string | undefined; verifier: string | undefined },
  ): Promise<TokenResponse> {
    requireCodes(client);
    const { grants, records, audit } = this.#parts;
    const found = await grants.findByCode(input.code);
    // Before the code is touched: another client can neither use nor burn it.
    if (!found || found.client_id !== client.id) throw notValid('code');
    if (found.code_redirect_uri !== input.redirectUri)
      throw new OAuthError('invalid_grant', 'redirect_uri is not the one that the code was asked for with.');
    if (!verifierMatches(found.code_challenge, input.verifier))
      throw new OAuthError('invalid_grant', 'code_verifier does not belong to the code.');
    const used = await records.transact(async (tx) => {
      const grant = await grants.useCode(tx, found.id);
      if (grant) await tellOfGrant(audit, tx, grant, client, { action: 'oauth.signIn', outcome: 'done' });
      return grant;
    });
    if (used) return this.#respond(used, stillAllowed(client, used.scope), true);
    await this.#reused(found.id, client, 'code');
    throw notValid('code');
  }

  /** RFC 6749 §6, with rotation. Use of a token that was replaced revokes its grant (RFC 9700 §4.14.2). */
  async refresh(client: Client, input: { token: string; scope: string | undefined }): Promise<TokenResponse> {
    requireCodes(client);
    const { grants, records, refreshKey } = this.#parts;
    const token = readRefreshToken(refreshKey, input.token);
    if (!token) throw notValid('refresh token');
    const found = input.scope === undefined ? undefined : await grants.find(token.grantId);
    const narrowed = found && narrowScope(client, found.scope, input.scope);
    const used = await records.transact((tx) => grants.useRefresh(tx, { ...token, clientId: client.id }));
    const grant = used ?? (await this.#inGrace(client, token));
    return this.#respond(grant, narrowed ?? stillAllowed(client, grant.scope), false);
  }

  /** RFC 6749 §4.4: the client acts for itself, as the user that has its id. No refresh token. */
  async clientCredentials(client: Client, scope: string | undefined): Promise<TokenResponse> {
    if (client.secretHash === undefined || !client.allowedOAuthFlows.includes('client_credentials'))
      throw new OAuthError('unauthorized_client', 'This client may not use client_credentials.');
    const { grants, records, tokens, audit } = this.#parts;
    readScope(client, scope);
    const self = { userId: client.id, methods: [], authenticatedAt: Date.now(), onlyAccount: client.account };
    // All scopes are about a person's id token or about refreshing: there is neither.
    const request = { client, flow: 'client_credentials' as const, scope: '' };
    const { grant } = await records.transact(async (tx) => {
      const added = await grants.add(tx, request, self);
      const event = { action: 'oauth.clientCredentials', outcome: 'done' } as const;
      await tellOfGrant(audit, tx, added.grant, client, event);
      return added;
    });
    const access_token = await tokens.signAccessToken(grant, grant.scope);
    return { access_token, token_type: 'Bearer', expires_in: tokenLifeS(grant), scope: grant.scope };
  }

  /** The grant whose last refresh token was presented once more in time; everything else ends the family. */
  async #inGrace(client: Client, token: { grantId: string; number: number }): Promise<GrantsTable> {
    const grant = await this.#parts.grants.find(token.grantId);
    const now = Date.now();
    if (!grant || grant.client_id !== client.id || grant.revoked_at !== null || grant.expires_at <= now)
      throw notValid('refresh token');
    const repeated = token.number === grant.refresh_number - 1 && now - (grant.refreshed_at ?? 0) <= graceMs;
    if (repeated) return grant;
    if (token.number < grant.refresh_number) await this.#reused(grant.id, client, 'refresh token');
    throw notValid('refresh token');
  }

  async #reused(grantId: string, client: Client, what: string): Promise<void> {
    const { records, grants, audit } = this.#parts;
    const grant = await grants.find(grantId);
    const wasUsed = what === 'refresh token' || grant?.code_used_at != null;
    if (!grant || !wasUsed) return;
    await records.transact(async (tx) => {
      const ended = await grants.revoke(tx, { id: grantId });
      if (ended === 0) return;
      const event = { action: 'oauth.reuse', outcome: 'refused', details: { what } } as const;
      await tellOfGrant(audit, tx, grant, client, event);
    });
  }

  async #respond(grant: GrantsTable, scope: string, first: boolean): Promise<TokenResponse> {
    const { tokens, refreshKey } = this.#parts;
    const openid = hasScope(scope, 'openid');
    const claims = openid ? await this.#claims(grant.user_id, scope) : {};
    const [access_token, id_token] = await Promise.all([
      tokens.signAccessToken(grant, scope),
      openid ? tokens.signIdToken(grant, claims, first) : undefined,
    ]);
    const next = { grantId: grant.id, number: grant.refresh_number };
    return {
      access_token,
      refresh_token: writeRefreshToken(refreshKey, next),
      ...(id_token !== undefined && { id_token }),
      token_type: 'Bearer',
      expires_in: tokenLifeS(grant),
      scope,
    };
  }
}

/** Codes and refresh tokens outlive the request for them: the flow may have been taken from the client since. */
function requireCodes(client: Client): void {
  if (!client.allowedOAuthFlows.includes('code'))
    throw new OAuthError('unauthorized_client', 'This client may not use codes or refresh tokens.');
}

/** RFC 6749 §6: a refresh may ask for less than what was granted, never for more. */
function narrowScope(client: Client, granted: string, asked: string | undefined): string {
  const scope = readScope(client, asked);
  if (scope.split(' ').every((word) => hasScope(granted, word))) return scope;
  throw new OAuthError('invalid_scope', 'A refresh may not ask for more than what was granted.');
}
