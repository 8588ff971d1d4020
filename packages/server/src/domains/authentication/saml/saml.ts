import type { Answer } from '../../../api/route.ts';
import { Problem } from '../../../base/problem.ts';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import type { PlatformLog } from '../../../platform/records/log.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { SamlRequestsTable } from '../../../platform/records/schema-saml.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import type { Audit } from '../../audit/index.ts';
import { type Client, type Clients, offeredProvider } from '../clients/index.ts';
import {
  type AuthorizationRequest,
  type Authorizer,
  type Grants,
  NoDestination,
  OAuthError,
  type SignInContext,
} from '../oauth/index.ts';
import type { Forms, SignIn } from '../sign-in/index.ts';
import type { Sessions } from '../sign-in/sessions/index.ts';
import { SamlKeys } from './encryption/keys.ts';
import { WrappedKeys } from './encryption/wrapped-keys.ts';
import { Identities } from './identities.ts';
import { type Assertion, readAssertion } from './messages/assertion.ts';
import { personOf } from './messages/attributes.ts';
import { type Carrier, signedRequest } from './messages/authn-request.ts';
import { type Opening, readEnvelope, verifiedAssertion } from './messages/envelope.ts';
import { refused, skewMs, unsolicited } from './messages/refusal.ts';
import type { Provider } from './provider-metadata.ts';
import { Providers } from './providers.ts';
import { type Finished, SamlRequests } from './requests.ts';
import { serviceAddresses, serviceMetadata } from './service-metadata.ts';
import { UserReplacement } from './user-replacement.ts';

interface SamlDeps {
  records: Records;
  secrets: Secrets;
  audit: Audit;
  outbound: Outbound;
  log: PlatformLog;
  clients: Clients;
  sessions: Pick<Sessions, 'endProvidedBy'>;
  grants: Pick<Grants, 'revoke'>;
  authorizer: Authorizer;
  signIn: Pick<SignIn, 'complete' | 'current'>;
  forms: Forms;
  publicUrl: () => string;
}

/** Client with its own identity provider for sign-in. */
interface Offer {
  client: Client;
  mapping: readonly string[];
  groupMapping: readonly string[];
  metadataUrl: string;
}

/** Sign-in by the identity provider of a client, initiated by this service (SAML V2.0 Profiles §4.1). */
export class Saml {
  readonly #deps: SamlDeps;
  readonly #keys: SamlKeys;
  readonly #wrappedKeys: WrappedKeys;
  readonly #providers: Providers;
  readonly #requests: SamlRequests;
  readonly #identities: Identities;
  readonly #replacement: UserReplacement;

  constructor(deps: SamlDeps) {
    this.#deps = deps;
    const { records, secrets, audit } = deps;
    this.#keys = new SamlKeys(records, secrets);
    this.#wrappedKeys = new WrappedKeys(records);
    this.#providers = new Providers(deps);
    this.#requests = new SamlRequests(records, secrets);
    this.#identities = new Identities(records, audit);
    this.#replacement = new UserReplacement(deps);
  }

  /**
   * Returns the metadata. `encrypts`: includes the encryption key; most providers encrypt once they find one.
   */
  async metadata(encrypts: boolean): Promise<string> {
    const signing = await this.#keys.certificates();
    const encryption = encrypts ? { encryption: await this.#keys.encryptionCertificate() } : {};
    return serviceMetadata(this.#addresses, { signing, ...encryption });
  }

  /**
   * Begins a sign-in: sends the authorization request to the provider, bound to the browser with the cookie
   * `browser`.
   */
  async begin(query: string, browser: string, { address }: SignInContext): Promise<Carrier> {
    const request = await this.#read(query);
    const { client, metadataUrl } = offerOf(request.client);
    const provider = await this.#providers.find({ ...client, metadataUrl });
    const key = await this.#keys.signing();
    const fields = { account_id: client.account, client_id: client.id, query, address };
    const begun = await this.#requests.add({ ...fields, browser });
    return signedRequest({ ...begun, asksAgain: ageMaxMs(request) !== undefined }, provider, {
      from: this.#addresses,
      key,
    });
  }

  /**
   * Accepts the provider's response: one per request, right or wrong. A right one is stored for the browser,
   * which fetches it by the returned handle.
   */
  async accept(response: string, relayState: string, requestId: string): Promise<string> {
    const pending = await this.#requests.findPending(relayState);
    if (!pending) throw unsolicited();
    try {
      const offer = await this.#offerOf(pending.client_id);
      const { assertion, entityId } = await this.#verify(response, offer, pending.id);
      return await this.#requests.answer(pending, assertion, entityId);
    } catch (error) {
      if (error instanceof Problem) await this.#recordRefusal(pending, error, requestId);
      throw error;
    }
  }

  /**
   * Finishes in the browser: the authorization request continues. UserReplacement another signed-in user needs
   * confirmation by `proof`: any link may lead here, with any provider's user.
   */
  async finish(
    { handle, proof }: { handle: string; proof?: string },
    browser: string | undefined,
    context: SignInContext,
  ): Promise<Answer> {
    const finished = await this.#requests.finish(handle, browser);
    const { account_id: account, client_id: client, query } = finished.request;
    const { requestId } = context;
    try {
      const request = await this.#read(query);
      const { mapping, groupMapping } = offerOf(request.client);
      requireAskedAgain(request, finished);
      const { entityId, authenticatedAt, sessionEndsAt } = finished.answered;
      const person = personOf(finished.answered, mapping);
      requireLasting(sessionEndsAt);
      const origin = { account, entityId, client, requestId, groupMapping };
      const next = await this.#identities.find(person, origin);
      const replaced = await this.#replacement.unconfirmed(next, context, proof);
      if (replaced)
        return this.#replacement.ask(await this.#requests.storeAgain(finished), replaced, request, context);
      const userId = await this.#identities.userOf(person, origin);
      const user = { userId, methods: ['saml' as const], onlyAccount: account, providedBy: client };
      const times = { authenticatedAt, ...(sessionEndsAt !== undefined && { endsAt: sessionEndsAt }) };
      const requireValid = (tx: Transaction) => this.#requests.requireKnown(tx, finished.request);
      return await this.#deps.signIn.complete(request, { ...user, ...times, requireValid }, context);
    } catch (error) {
      if (error instanceof Problem) await this.#record(finished.request, error, requestId);
      throw error;
    }
  }

  readonly clientDeleted = async (tx: Transaction, client: string): Promise<void> => {
    await this.#providers.forget(tx, client);
    await this.providerLost(tx, client);
  };

  /** Ends all sessions, grants and pending sign-ins of the provider that a client had. */
  readonly providerLost = async (tx: Transaction, client: string): Promise<void> => {
    await this.#requests.forget(tx, client);
    await this.#deps.sessions.endProvidedBy(tx, client);
    await this.#deps.grants.revoke(tx, { provider: client });
  };

  readonly sweeps: (() => Promise<void>)[] = [() => this.#requests.sweep(), () => this.#keys.rotate()];

  get #addresses() {
    return serviceAddresses(this.#deps.publicUrl());
  }

  /** Validates the authorization request again: the browser returned it. */
  async #read(query: string): Promise<AuthorizationRequest> {
    try {
      return await this.#deps.authorizer.read(query);
    } catch (error) {
      if (!(error instanceof NoDestination || error instanceof OAuthError)) throw error;
      throw new Problem(400, 'INVALID_AUTHORIZATION_REQUEST', error.message);
    }
  }

  async #offerOf(clientId: string): Promise<Offer> {
    const client = await this.#deps.clients.find(clientId);
    if (!client) throw unsolicited();
    return offerOf(client);
  }

  async #verify(
    response: string,
    { client, metadataUrl }: Offer,
    requestId: string,
  ): Promise<{ assertion: Assertion; entityId: string }> {
    const { entityId: audience, acsUrl } = this.#addresses;
    const envelope = readEnvelope(response, { acsUrl, requestId, entityId: audience });
    const opening = envelope.encryptedFor === undefined ? undefined : await this.#opening();
    const from = { ...client, metadataUrl };
    const read = (xml: string, { entityId }: Provider) => ({
      assertion: readAssertion(xml, { entityId, audience, acsUrl, requestId, now: Date.now() }),
      entityId,
    });
    const provider = await this.#providers.find(from);
    const xml = await verifiedAssertion(envelope, provider, opening);
    if (xml !== undefined) return read(xml, provider);
    // The provider may have changed its keys since its metadata were read.
    const renewed = await this.#providers.renew(from);
    const again = renewed && (await verifiedAssertion(envelope, renewed, opening));
    if (renewed && again !== undefined) return read(again, renewed);
    throw refused(
      'SAML_SIGNATURE',
      'The identity provider’s response is not signed with one of its keys, is encrypted for an unknown key, or was changed.',
    );
  }

  /** Returns the means to open one response, for any number of attempts. */
  async #opening(): Promise<Opening> {
    const privateKeys = await this.#keys.decrypting();
    if (privateKeys.length > 0) return { privateKeys, isFirst: this.#wrappedKeys.forOneAnswer() };
    throw refused(
      'SAML_ENCRYPTED',
      'The identity provider encrypts, and this service has not published a key for that yet. Its administrator can read /v1/saml/metadata?encryption=true instead of /v1/saml/metadata, or turn encryption off.',
    );
  }

  /** Closes the request at its first wrong response, so that any number of them is one event. */
  async #recordRefusal(request: SamlRequestsTable, problem: Problem, requestId: string): Promise<void> {
    await this.#deps.records.transact(async (tx) => {
      if (await this.#requests.end(tx, request)) await this.#append(tx, request, problem, requestId);
    });
  }

  async #record(request: SamlRequestsTable, problem: Problem, requestId: string): Promise<void> {
    await this.#deps.records.transact((tx) => this.#append(tx, request, problem, requestId));
  }

  async #append(
    tx: Transaction,
    request: SamlRequestsTable,
    { code }: Problem,
    requestId: string,
  ): Promise<void> {
    await this.#deps.audit.append(tx, {
      account: request.account_id,
      userId: null,
      via: 'saml',
      action: 'saml.refuse',
      resource: { type: 'client', id: request.client_id },
      outcome: 'refused',
      details: { code },
      requestId,
    });
  }
}

function offerOf(client: Client): Offer {
  const metadataUrl = offeredProvider(client);
  if (metadataUrl === undefined)
    throw new Problem(
      400,
      'SAML_NOT_OFFERED',
      'This application does not sign in through an identity provider.',
    );
  const { attributeMapping: mapping = [], groupMapping = [] } = client.customIdentityProvider ?? {};
  return { client, mapping, groupMapping, metadataUrl };
}

/** Returns the max. age of the authentication (OpenID Connect Core §3.1.2.1); `undefined` for any. */
function ageMaxMs({ prompt, maxAgeMs }: AuthorizationRequest): number | undefined {
  return prompt.includes('login') || prompt.includes('select_account') ? 0 : maxAgeMs;
}

/** Requires that the session still lasts: the confirmation may have taken long. */
function requireLasting(sessionEndsAt: number | undefined): void {
  if (sessionEndsAt !== undefined && sessionEndsAt <= Date.now())
    throw refused(
      'SAML_EXPIRED',
      'The session at the identity provider has ended. Go back to the application and sign in again.',
    );
}

function requireAskedAgain(request: AuthorizationRequest, { request: begun, answered }: Finished): void {
  const allowedMs = ageMaxMs(request);
  if (allowedMs !== undefined && answered.authenticatedAt < begun.created_at - allowedMs - skewMs)
    throw refused(
      'SAML_NOT_ASKED_AGAIN',
      'The application requires a new authentication, and the identity provider did not perform one.',
    );
}
