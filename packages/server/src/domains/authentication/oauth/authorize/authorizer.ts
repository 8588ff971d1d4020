import { asksPatient } from '../../../../access/smart-scopes.ts';
import type { Records, Transaction } from '../../../../platform/records/records.ts';
import type { Audit } from '../../../audit/index.ts';
import { assistantsOf } from '../../../identity/accounts/index.ts';
import { isMember, tryLockAccount } from '../../../identity/groups/index.ts';
import { type Client, type Clients, isBuiltIn } from '../../clients/index.ts';
import type { Session } from '../../sign-in/sessions/index.ts';
import { recordGrantEvent } from '../events.ts';
import { OAuthError } from '../oauth-error.ts';
import type { Target } from '../resource.ts';
import type { Grants } from '../tokens/grants.ts';
import { type Tokens, tokenLifeS } from '../tokens/tokens.ts';
import {
  type AuthorizationRequest,
  NoDestination,
  readDestination,
  readRequest,
} from './authorization-request.ts';

/** Outcome of a request at /oauth/authorize. Errors of its first phase throw `NoDestination`. */
export type Authorization =
  | { kind: 'redirect'; location: string }
  /** Sign-in, or a renewed one, is required. */
  | { kind: 'sign-in'; request: AuthorizationRequest }
  /** Consent of the signed-in user is required. */
  | { kind: 'ask'; request: AuthorizationRequest; session: Session }
  /** The signed-in user has to choose the patient of the launch. */
  | Choice;

/** Request for one patient of several. */
export interface Choice {
  kind: 'choose';
  request: AuthorizationRequest;
  session: Session;
  patients: readonly ListedPatient[];
}

/** Patient as the pages of a sign-in show it. */
interface ListedPatient {
  id: string;
  /** Name and date of birth, as far as the user sees them; may be empty. */
  label: string;
}

/** Patients that a user sees at a FHIR base (SMART App Launch 2.2, "Launch context"). */
export interface LaunchPatients {
  /** Lists the first of them; empty for a user who reads nothing there. */
  list(target: Target, session: Session, requestId: string): Promise<ListedPatient[]>;
  /** Reports whether the user sees a patient. */
  has(target: Target, session: Session, patient: string): Promise<boolean>;
}

interface AuthorizerDeps {
  records: Records;
  audit: Audit;
  clients: Clients;
  grants: Grants;
  tokens: Tokens;
  patients: LaunchPatients;
  /** `{base_url}`. */
  issuer: () => string;
}

/** Authorization decisions: sign-in, consent or redirect. */
export class Authorizer {
  readonly #deps: AuthorizerDeps;

  constructor(deps: AuthorizerDeps) {
    this.#deps = deps;
  }

  /** Decides a request. `query`: its raw parameters. `session`: of this browser. */
  async authorize(query: string, session: Session | undefined, requestId: string): Promise<Authorization> {
    const destination = await readDestination(this.#deps.clients, query);
    try {
      const request = readRequest(destination, query, this.#deps.issuer());
      const expected = await this.#expectedUser(request);
      const silent = request.prompt.includes('none');
      if (
        !session ||
        mustSignIn(request, session) ||
        (expected !== undefined && expected !== session.userId)
      ) {
        if (silent) throw new OAuthError('login_required', 'No suitable session exists.');
        return { kind: 'sign-in', request };
      }
      if (!asksConsent(request.client) && asksPatient(request.scope))
        return await this.#withPatient(request, session, requestId);
      if (!asksConsent(request.client))
        return { kind: 'redirect', location: await this.grant(request, session, requestId) };
      if (silent)
        throw new OAuthError('interaction_required', 'This application needs the consent of a user.');
      return { kind: 'ask', request, session };
    } catch (error) {
      // Its address is not trusted yet: a link to it would pass for one of this service (RFC 9700 §4.11.2).
      if (destination.client.registered && error instanceof OAuthError)
        throw new NoDestination(error.message);
      return { kind: 'redirect', location: this.refuse(destination, error) };
    }
  }

  /** Grants the request for the only patient that the user sees, or asks for one of several. */
  async #withPatient(
    request: AuthorizationRequest,
    session: Session,
    requestId: string,
  ): Promise<Authorization> {
    const patients = await this.#deps.patients.list(request.target, session, requestId);
    const [only, ...others] = patients;
    if (!only)
      throw new OAuthError('access_denied', 'There is no patient in the project that the user may read.');
    if (others.length === 0)
      return { kind: 'redirect', location: await this.grant(request, session, requestId, only.id) };
    if (request.prompt.includes('none'))
      throw new OAuthError('interaction_required', 'The user has to choose a patient.');
    return { kind: 'choose', request, session, patients };
  }

  /** Reports whether a user may choose a patient for a request. */
  async mayChoose({ target }: AuthorizationRequest, session: Session, patient: string): Promise<boolean> {
    return this.#deps.patients.has(target, session, patient);
  }

  /** Validates the request in a submitted form again. Throws `NoDestination` or `OAuthError`. */
  async read(query: string): Promise<AuthorizationRequest> {
    return readRequest(await readDestination(this.#deps.clients, query), query, this.#deps.issuer());
  }

  /** Grants the request and returns the redirect address. `patient`: that of the launch, for scopes that ask for one. */
  async grant(
    request: AuthorizationRequest,
    session: Session,
    requestId: string,
    patient?: string,
  ): Promise<string> {
    const { records, audit, grants, tokens } = this.#deps;
    if (asksPatient(request.scope)) {
      if (patient === undefined)
        throw new OAuthError('interaction_required', 'The user has to choose a patient.');
      if (!(await this.mayChoose(request, session, patient)))
        throw new OAuthError('access_denied', 'The user may not read this patient.');
    }
    const { redirectUri, state, target } = request;
    const expected = await this.#expectedUser(request);
    if (expected !== undefined && expected !== session.userId)
      throw new OAuthError('login_required', 'The signed-in user is not the one that id_token_hint names.');
    const onlyAccount = session.onlyAccount ?? (isBuiltIn(request.client) ? undefined : target.account);
    const { grant, code } = await records.transact(async (tx) => {
      if (!isBuiltIn(request.client)) await requireMember(tx, target.account, session.userId);
      const client = await this.#allowed(tx, request, session, requestId);
      const added = await grants.add(
        tx,
        {
          client,
          flow: request.flow,
          scope: request.scope,
          redirectUri,
          ...(target.resource !== undefined && { resource: target.resource }),
          ...(patient !== undefined && { patient }),
          ...(request.nonce !== undefined && { nonce: request.nonce }),
          ...(request.codeChallenge !== undefined && { codeChallenge: request.codeChallenge }),
        },
        { ...session, onlyAccount },
      );
      // A code is recorded when exchanged.
      if (request.flow !== 'code')
        await recordGrantEvent(audit, tx, added.grant, client, {
          action: 'oauth.signIn',
          outcome: 'done',
          requestId,
        });
      return added;
    });
    if (request.flow === 'code') return this.#address(redirectUri, { code, state });
    return this.#address(redirectUri, {
      access_token: await tokens.signAccessToken(grant, grant.scope),
      token_type: 'Bearer',
      expires_in: String(tokenLifeS(grant)),
      scope: grant.scope,
      patient,
      state,
    });
  }

  /** Returns the client of a request, which is one of the account from its first consent on. Throws `access_denied`. */
  async #allowed(
    tx: Transaction,
    { client, target }: AuthorizationRequest,
    { userId }: Session,
    requestId: string,
  ): Promise<Client> {
    if (target.resource === undefined || target.isFhir) return client;
    if ((await assistantsOf(tx, target.account)) === 'off')
      throw new OAuthError('access_denied', 'Assistants are off in this account.');
    if (client.account !== '') return client;
    const by = { account: target.account, userId, requestId };
    const adopted = await this.#deps.clients.registrations.adopt(tx, client, by);
    if (adopted) return adopted;
    throw new OAuthError('access_denied', 'The account has all registered clients that it may have.');
  }

  /** Returns the redirect address with the error. Rethrows anything but an `OAuthError`. */
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
    const hint = await this.#deps.tokens.readIdTokenHint(request.idTokenHint);
    if (!hint || hint.clientId !== request.client.id)
      throw new OAuthError('invalid_request', 'id_token_hint is not an id token of this client.');
    return hint.userId;
  }

  /**
   * Builds the redirect address with `iss`, against mix-up of servers (RFC 9207). The registered address
   * stays unchanged.
   */
  #address(redirectUri: string, fields: Record<string, string | undefined>): string {
    const present = Object.entries({ ...fields, iss: this.#deps.issuer() });
    const query = new URLSearchParams(
      present.filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`;
  }
}

/**
 * Requires membership: a client of an account acts in this account only, for its members only. Otherwise
 * administrators of any account could obtain tokens of all users who follow a link. A concurrent end of the
 * membership waits, and then ends the grant.
 */
async function requireMember(tx: Transaction, account: string, userId: string): Promise<void> {
  if ((await tryLockAccount(tx, account)) && (await isMember(tx, account, userId))) return;
  throw new OAuthError('access_denied', 'The user is no member of the account of the application.');
}

/** Reports whether users must consent to a client: no administrator of an account chose it. */
const asksConsent = (client: Client): boolean => isBuiltIn(client) || client.registered === true;

/** Reports whether a request needs another sign-in than the session (OpenID Connect Core §3.1.2.1). */
function mustSignIn(request: AuthorizationRequest, session: Session): boolean {
  const { prompt, maxAgeMs, client, target } = request;
  if (prompt.includes('login') || prompt.includes('select_account')) return true;
  if (maxAgeMs !== undefined && Date.now() - session.authenticatedAt > maxAgeMs) return true;
  const bySaml = session.methods.includes('saml');
  if (session.onlyAccount !== undefined && session.onlyAccount !== target.account) return true;
  // The client has no sign-in of its own: each signed-in user may consent.
  if (client.registered) return false;
  return !client.identityProviders.includes(bySaml ? 'SAML' : 'PASSWORD');
}
