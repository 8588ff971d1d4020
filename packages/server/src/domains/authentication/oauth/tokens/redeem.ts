import { asksPatient, smartScopesIn, smartText } from '../../../../access/smart-scopes.ts';
import type { Records } from '../../../../platform/records/records.ts';
import type { GrantsTable } from '../../../../platform/records/schema-sign-in.ts';
import type { Audit } from '../../../audit/index.ts';
import { type Client, isBuiltIn } from '../../clients/index.ts';
import { verifierMatches } from '../authorize/pkce.ts';
import type { DeviceRequests } from '../device/device-requests.ts';
import { recordGrantEvent } from '../events.ts';
import { OAuthError } from '../oauth-error.ts';
import { everyFhirBase, requireSameTarget } from '../resource.ts';
import { hasScope, readScope, stillAllowed } from '../scopes.ts';
import { type ClaimsReader, claimsReader } from './claims.ts';
import type { Grants } from './grants.ts';
import { readRefreshToken, writeRefreshToken } from './refresh-token.ts';
import { type Tokens, tokenLifeS } from './tokens.ts';

/** Token response of the specification, in the order of its fields. */
export interface TokenResponse {
  access_token: string;
  refresh_token?: string;
  id_token?: string;
  token_type: 'Bearer';
  expires_in: number;
  /** Absent without a value: RFC 6749 §3.3 defines no empty scope. Always sent otherwise. */
  scope?: string;
  /** Patient of the launch (SMART App Launch 2.2). */
  patient?: string;
}

interface ExchangeDeps {
  records: Records;
  audit: Audit;
  grants: Grants;
  devices: DeviceRequests;
  tokens: Tokens;
  /** HMAC key of the refresh tokens. */
  refreshKey: Uint8Array;
  /** `{base_url}`. */
  issuer: () => string;
}

/**
 * Time in which the last refresh token returns its successor again, while that is unused: for lost responses,
 * or two programs that share a file of tokens.
 */
const graceMs = 30_000;

/** Lifetime of tokens of backend services: SMART 2.2 allows at most five minutes. */
const backendLifeS = 300;

const notValid = (what: string) =>
  new OAuthError(
    'invalid_grant',
    `The ${what} is not valid: it is unknown, expired, used or belongs to another client.`,
  );

/** Exchange of codes, refresh tokens and client credentials for tokens. */
export class Exchange {
  readonly #deps: ExchangeDeps;
  readonly #claims: ClaimsReader;

  constructor(deps: ExchangeDeps) {
    this.#deps = deps;
    this.#claims = claimsReader(deps.records.read);
  }

  /** Exchanges a code (RFC 6749 §4.1.3). A second use revokes the tokens of the first. */
  async code(
    client: Client,
    input: {
      code: string;
      redirectUri: string | undefined;
      verifier: string | undefined;
      resource: string | undefined;
    },
    requestId: string,
  ): Promise<TokenResponse> {
    requireCodes(client);
    const { grants } = this.#deps;
    const found = await grants.findByCode(input.code);
    // Checked before the code is used up: another client must not invalidate it.
    if (!found || found.client_id !== client.id) throw notValid('code');
    if (found.code_redirect_uri !== input.redirectUri)
      throw new OAuthError('invalid_grant', 'redirect_uri is not the one that the code was asked for with.');
    if (!verifierMatches(found.code_challenge, input.verifier))
      throw new OAuthError('invalid_grant', 'code_verifier does not belong to the code.');
    requireSameTarget(found.resource, input.resource, this.#deps.issuer());
    return this.#firstTokens(found.id, client, 'code', requestId);
  }

  /** Exchanges the code of a device (RFC 8628 §3.4), once: a second use revokes the tokens of the first. */
  async device(client: Client, deviceCode: string, requestId: string): Promise<TokenResponse> {
    if (!isBuiltIn(client)) throw notValid('device code');
    const grantId = await this.#deps.devices.grantOf(deviceCode);
    return this.#firstTokens(grantId, client, 'device code', requestId);
  }

  /** Uses up the code of a grant. */
  async #firstTokens(
    grantId: string,
    client: Client,
    what: string,
    requestId: string,
  ): Promise<TokenResponse> {
    const { grants, records, audit } = this.#deps;
    const used = await records.transact(async (tx) => {
      const grant = await grants.useCode(tx, grantId);
      if (grant)
        await recordGrantEvent(audit, tx, grant, client, {
          action: 'oauth.signIn',
          outcome: 'done',
          requestId,
        });
      return grant;
    });
    if (used) return this.#respond(used, stillAllowed(client, used.scope), true);
    await this.#reused(grantId, client, what, requestId);
    throw notValid(what);
  }

  /**
   * Exchanges and rotates a refresh token (RFC 6749 §6), unless those of the client last. Reuse of a replaced
   * one revokes its grant (RFC 9700 §4.14.2).
   */
  async refresh(
    client: Client,
    input: { token: string; scope: string | undefined; resource: string | undefined },
    requestId: string,
  ): Promise<TokenResponse> {
    requireCodes(client);
    const { grants, records, refreshKey } = this.#deps;
    const token = readRefreshToken(refreshKey, input.token);
    if (!token) throw notValid('refresh token');
    const { scope, resource } = input;
    const isPlain = scope === undefined && resource === undefined;
    const found = isPlain ? undefined : await grants.find(token.grantId);
    if (found) requireSameTarget(found.resource, resource, this.#deps.issuer());
    const narrowed = found && scope !== undefined ? narrowScope(client, found.scope, scope) : undefined;
    const rotates = client.refreshTokens === 'rotating';
    const used = await records.transact((tx) =>
      grants.useRefresh(tx, { ...token, clientId: client.id, rotates }),
    );
    const grant = used ?? (await this.#inGrace(client, token, requestId));
    return this.#respond(grant, narrowed ?? stillAllowed(client, grant.scope), false);
  }

  /** Returns the id of the client of a refresh token; undefined for an unknown token. */
  async clientOfRefresh(token: string): Promise<string | undefined> {
    const read = readRefreshToken(this.#deps.refreshKey, token);
    return read && (await this.#deps.grants.find(read.grantId))?.client_id;
  }

  /** Issues a token to the client itself, as the user with its id, without refresh token (RFC 6749 §4.4). */
  async clientCredentials(
    client: Client,
    scope: string | undefined,
    requestId: string,
  ): Promise<TokenResponse> {
    const proves =
      client.secretHash !== undefined || client.jwks !== undefined || client.jwksUrl !== undefined;
    if (!proves || !client.allowedOAuthFlows.includes('client_credentials'))
      throw new OAuthError('unauthorized_client', 'This client may not use client_credentials.');
    const { grants, records, tokens, audit, issuer } = this.#deps;
    const granted = smartScopesIn(readScope(client, scope, 'system'))
      .map(smartText)
      .join(' ');
    const self = { userId: client.id, methods: [], authenticatedAt: Date.now(), onlyAccount: client.account };
    // Other scopes concern id tokens and refresh tokens: this flow has neither.
    const request = {
      ...{ client, flow: 'client_credentials' as const, scope: granted },
      ...(granted !== '' && { resource: everyFhirBase(client, issuer()) }),
    };
    const { grant } = await records.transact(async (tx) => {
      const added = await grants.add(tx, request, self);
      const event = { action: 'oauth.clientCredentials', outcome: 'done', requestId } as const;
      await recordGrantEvent(audit, tx, added.grant, client, event);
      return added;
    });
    const lifeS = Math.min(tokenLifeS(grant), granted === '' ? Number.POSITIVE_INFINITY : backendLifeS);
    const access_token = await tokens.signAccessToken(grant, grant.scope, lifeS);
    return {
      access_token,
      token_type: 'Bearer',
      expires_in: lifeS,
      ...(granted !== '' && { scope: granted }),
    };
  }

  /** Returns the grant of a refresh token repeated within the grace period; any other reuse ends the family. */
  async #inGrace(
    client: Client,
    token: { grantId: string; number: number },
    requestId: string,
  ): Promise<GrantsTable> {
    const grant = await this.#deps.grants.find(token.grantId);
    const now = Date.now();
    if (!grant || grant.client_id !== client.id || grant.revoked_at !== null || grant.expires_at <= now)
      throw notValid('refresh token');
    const repeated = token.number === grant.refresh_number - 1 && now - (grant.refreshed_at ?? 0) <= graceMs;
    if (repeated) return grant;
    if (token.number < grant.refresh_number) await this.#reused(grant.id, client, 'refresh token', requestId);
    throw notValid('refresh token');
  }

  async #reused(grantId: string, client: Client, what: string, requestId: string): Promise<void> {
    const { records, grants, audit } = this.#deps;
    const grant = await grants.find(grantId);
    const wasUsed = what === 'refresh token' || grant?.code_used_at != null;
    if (!grant || !wasUsed) return;
    await records.transact(async (tx) => {
      const ended = await grants.revoke(tx, { id: grantId });
      if (ended === 0) return;
      const event = { action: 'oauth.reuse', outcome: 'refused', details: { what }, requestId } as const;
      await recordGrantEvent(audit, tx, grant, client, event);
    });
  }

  async #respond(grant: GrantsTable, scope: string, first: boolean): Promise<TokenResponse> {
    const { tokens, refreshKey } = this.#deps;
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
      ...(scope !== '' && { scope }),
      ...(grant.patient !== null && asksPatient(scope) && { patient: grant.patient }),
    };
  }
}

/** Requires that the client may still use codes: they and refresh tokens outlive the request. */
function requireCodes(client: Client): void {
  if (!client.allowedOAuthFlows.includes('code'))
    throw new OAuthError('unauthorized_client', 'This client may not use codes or refresh tokens.');
}

/** Narrows a granted scope; widening is refused (RFC 6749 §6). */
function narrowScope(client: Client, granted: string, asked: string | undefined): string {
  const scope = readScope(client, asked);
  if (scope.split(' ').every((word) => hasScope(granted, word))) return scope;
  throw new OAuthError('invalid_scope', 'A refresh may not request more than was granted.');
}
