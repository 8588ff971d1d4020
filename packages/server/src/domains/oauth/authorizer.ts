import type { Records, Transaction } from '../../platform/records/records.ts';
import type { Audit } from '../audit/index.ts';
import { type Clients, isBuiltIn } from '../clients/index.ts';
import { holdAccount, isMember } from '../groups/index.ts';
import type { Session } from '../sessions/index.ts';
import { type AuthorizationRequest, readDestination, readRequest } from './authorization-request.ts';
import { tellOfGrant } from './events.ts';
import type { Grants } from './grants.ts';
import { OAuthError } from './oauth-error.ts';
import { type Tokens, tokenLifeS } from './tokens.ts';

/** What becomes of a request at /oauth/authorize. A request with a mistake in its first phase throws `NoDestination`. */
export type Authorization =
  | { kind: 'redirect'; location: string }
  /** Somebody has to sign in first, or once more. */
  | { kind: 'sign-in'; request: AuthorizationRequest }
  /** Who is signed in has to be asked first. */
  | { kind: 'ask'; request: AuthorizationRequest; session: Session };

export interface AuthorizerParts {
  records: Records;
  audit: Audit;
  clients: Clients;
  grants: Grants;
  tokens: Tokens;
  /** `{base_url}`. */
  issuer: () => string;
}

/** Decides about authorization requests: who must sign in, who is sent back with what. */
export class Authorizer {
  readonly #parts: AuthorizerParts;

  constructor(parts: AuthorizerParts) {
    this.#parts = parts;
  }

  /** `query`: the parameters as they came. `session`: who is signed in in this browser. */
  async authorize(query: string, session: Session | undefined): Promise<Authorization> {
    const destination = await readDestination(this.#parts.clients, query);
    try {
      const request = readRequest(destination, query);
      const expected = await this.#expectedUser(request);
      const silent = request.prompt.includes('none');
      if (
        !session ||
        mustSignIn(request, session) ||
        (expected !== undefined && expected !== session.userId)
      ) {
        if (silent) throw new OAuthError('login_required', 'Nobody is signed in who would do.');
        return { kind: 'sign-in', request };
      }
      if (!isBuiltIn(request.client))
        return { kind: 'redirect', location: await this.grant(request, session) };
      if (silent) throw new OAuthError('interaction_required', 'The command line is let in by a person.');
      return { kind: 'ask', request, session };
    } catch (error) {
      return { kind: 'redirect', location: this.refuse(destination, error) };
    }
  }

  /** Reads a request once more, for the form that carries it. Throws `NoDestination` or `OAuthError`. */
  async read(query: string): Promise<AuthorizationRequest> {
    return readRequest(await readDestination(this.#parts.clients, query), query);
  }

  /** Gives the client what it asked for, and answers the address to which the browser is sent. */
  async grant(request: AuthorizationRequest, session: Session): Promise<string> {
    const { records, audit, grants, tokens } = this.#parts;
    const { client, redirectUri, state } = request;
    const expected = await this.#expectedUser(request);
    if (expected !== undefined && expected !== session.userId)
      throw new OAuthError('login_required', 'Somebody else signed in than id_token_hint names.');
    const onlyAccount = session.onlyAccount ?? (isBuiltIn(client) ? undefined : client.account);
    const { grant, code } = await records.transact(async (tx) => {
      if (!isBuiltIn(client)) await requireMember(tx, client.account, session.userId);
      const added = await grants.add(
        tx,
        {
          client,
          flow: request.flow,
          scope: request.scope,
          redirectUri,
          ...(request.nonce !== undefined && { nonce: request.nonce }),
          ...(request.codeChallenge !== undefined && { codeChallenge: request.codeChallenge }),
        },
        { ...session, onlyAccount },
      );
      // A code is nothing yet: its exchange is told.
      if (request.flow !== 'code')
        await tellOfGrant(audit, tx, added.grant, client, { action: 'oauth.signIn', outcome: 'done' });
      return added;
    });
    if (request.flow === 'code') return this.#address(redirectUri, { code, state });
    return this.#address(redirectUri, {
      access_token: await tokens.signAccessToken(grant, grant.scope),
      token_type: 'Bearer',
      expires_in: String(tokenLifeS(grant)),
      scope: grant.scope,
      state,
    });
  }

  /** The address that tells the client what was wrong. Anything but an `OAuthError` is thrown on. */
  refuse(destination: { redirectUri: string; state: string | undefined }, error: unknown): string {
    if (!(error instanceof OAuthError)) throw error;
    return this.#address(destination.redirectUri, {
      error: error.code,
      error_description: error.message,
      state: destination.state,
    });
  }

  async #expectedUser(request: AuthorizationRequest): Promise<string | undefined> {
    if (request.idTokenHint === undefined) return undefined;
    const hint = await this.#parts.tokens.readIdTokenHint(request.idTokenHint);
    if (!hint || hint.clientId !== request.client.id)
      throw new OAuthError('invalid_request', 'id_token_hint is not an id token of this client.');
    return hint.userId;
  }

  /** With `iss`, so that a client of several servers is not mixed up (RFC 9207). The registered address is kept as it is written. */
  #address(redirectUri: string, fields: Record<string, string | undefined>): string {
    const present = Object.entries({ ...fields, iss: this.#parts.issuer() });
    const query = new URLSearchParams(
      present.filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`;
  }
}

/**
 * A client of an account acts in this account only, and only for its members: else the administrator of any account could have the
 * tokens of everybody who follows a link. Whoever takes him out of it at this moment waits, and finds the grant.
 */
async function requireMember(tx: Transaction, account: string, userId: string): Promise<void> {
  if ((await holdAccount(tx, account)) && (await isMember(tx, account, userId))) return;
  throw new OAuthError('access_denied', 'This person does not belong to the account of the application.');
}

/** Whether the session that is there does not do for this request (OpenID Connect Core §3.1.2.1). */
function mustSignIn(request: AuthorizationRequest, session: Session): boolean {
  const { prompt, maxAgeMs, client } = request;
  if (prompt.includes('login') || prompt.includes('select_account')) return true;
  if (maxAgeMs !== undefined && Date.now() - session.authenticatedAt > maxAgeMs) return true;
  const bySaml = session.methods.includes('saml');
  if (session.onlyAccount !== undefined && session.onlyAccount !== client.account) return true;
  return !client.identityProviders.includes(bySaml ? 'SAML' : 'PASSWORD');
}
