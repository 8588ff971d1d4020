import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { PlatformLog } from '../../platform/records/log.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { SamlRequestsTable } from '../../platform/records/schema-saml.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { Problem } from '../../problem.ts';
import type { Answer } from '../../route.ts';
import type { Audit } from '../audit/index.ts';
import { type Client, type Clients, offeredProvider } from '../clients/index.ts';
import {
  type AuthorizationRequest,
  type Authorizer,
  type Grants,
  NoDestination,
  OAuthError,
  type SignInContext,
} from '../oauth/index.ts';
import type { Sessions } from '../sessions/index.ts';
import type { Forms, SignIn } from '../sign-in/index.ts';
import { type Assertion, readAssertion } from './assertion.ts';
import { personOf } from './attributes.ts';
import { type Carrier, signedRequest } from './authn-request.ts';
import { type Opening, readEnvelope, verifiedAssertion } from './envelope.ts';
import { Identities } from './identities.ts';
import { SamlKeys } from './keys.ts';
import type { Provider } from './provider-metadata.ts';
import { Providers } from './providers.ts';
import { refused, skewMs, unsolicited } from './refusal.ts';
import { Replacing } from './replacing.ts';
import { type Finished, SamlRequests } from './requests.ts';
import { serviceAddresses, serviceMetadata } from './service-metadata.ts';
import { WrappedKeys } from './wrapped-keys.ts';

export interface SamlParts {
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

/** A client whose people sign in through an identity provider of its own. */
interface Offer {
  client: Client;
  mapping: readonly string[];
  metadataUrl: string;
}

/** Signing in through the identity provider of a client, begun here (SAML V2.0 Profiles §4.1). */
export class Saml {
  readonly #parts: SamlParts;
  readonly #keys: SamlKeys;
  readonly #wrappedKeys: WrappedKeys;
  readonly #providers: Providers;
  readonly #requests: SamlRequests;
  readonly #identities: Identities;
  readonly #replacing: Replacing;

  constructor(parts: SamlParts) {
    this.#parts = parts;
    const { records, secrets, audit } = parts;
    this.#keys = new SamlKeys(records, secrets);
    this.#wrappedKeys = new WrappedKeys(records);
    this.#providers = new Providers(parts);
    this.#requests = new SamlRequests(records, secrets);
    this.#identities = new Identities(records, audit);
    this.#replacing = new Replacing(parts);
  }

  /** `encrypts`: whether its reader shall encrypt assertions; most do as soon as they find a key for it. */
  async metadata(encrypts: boolean): Promise<string> {
    const signing = await this.#keys.certificates();
    const encryption = encrypts ? { encryption: await this.#keys.encryptionCertificate() } : {};
    return serviceMetadata(this.#addresses, { signing, ...encryption });
  }

  /** First step: the authorization request goes to the provider with the browser that holds the cookie `browser`. */
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
   * Second step: the provider's answer. A request takes one answer, right or wrong. What is right waits for the browser, which
   * fetches it with the handle that is answered here.
   */
  async accept(response: string, relayState: string, requestId: string): Promise<string> {
    const waiting = await this.#requests.waiting(relayState);
    if (!waiting) throw unsolicited();
    try {
      const offer = await this.#offerOf(waiting.client_id);
      const { assertion, entityId } = await this.#verify(response, offer, waiting.id);
      return await this.#requests.answer(waiting, assertion, entityId);
    } catch (error) {
      if (error instanceof Problem) await this.#tellRefusal(waiting, error, requestId);
      throw error;
    }
  }

  /**
   * Last step: the browser is back, and the authorization request goes on. Where somebody else is signed in it is asked first, and
   * `proof` says that it was: everybody can be led here by a link, to be whom a provider of anybody's says.
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
      const { mapping } = offerOf(request.client);
      requireAskedAgain(request, finished);
      const { entityId, authenticatedAt, sessionEndsAt } = finished.answered;
      const person = personOf(finished.answered, mapping);
      requireLasting(sessionEndsAt);
      const origin = { account, entityId, client, requestId };
      const next = await this.#identities.whom(person, origin);
      const replaced = await this.#replacing.unconfirmed(next, context, proof);
      if (replaced)
        return this.#replacing.ask(await this.#requests.handAgain(finished), replaced, request, context);
      const userId = await this.#identities.userOf(person, origin);
      const who = { userId, methods: ['saml' as const], onlyAccount: account, providedBy: client };
      const times = { authenticatedAt, ...(sessionEndsAt !== undefined && { endsAt: sessionEndsAt }) };
      const still = (tx: Transaction) => this.#requests.requireKnown(tx, finished.request);
      return await this.#parts.signIn.complete(request, { ...who, ...times, still }, context);
    } catch (error) {
      if (error instanceof Problem) await this.#tell(finished.request, error, requestId);
      throw error;
    }
  }

  readonly clientDeleted = async (tx: Transaction, client: string): Promise<void> => {
    await this.#providers.forget(tx, client);
    await this.providerLost(tx, client);
  };

  /** Whoever came in by the provider that a client had is out, with all that he gave applications then; so is who is on his way. */
  readonly providerLost = async (tx: Transaction, client: string): Promise<void> => {
    await this.#requests.forget(tx, client);
    await this.#parts.sessions.endProvidedBy(tx, client);
    await this.#parts.grants.revoke(tx, { provider: client });
  };

  readonly sweeps: (() => Promise<void>)[] = [() => this.#requests.sweep(), () => this.#keys.rotate()];

  get #addresses() {
    return serviceAddresses(this.#parts.publicUrl());
  }

  /** The authorization request, found right once more: it has been in the hands of a browser. */
  async #read(query: string): Promise<AuthorizationRequest> {
    try {
      return await this.#parts.authorizer.read(query);
    } catch (error) {
      if (!(error instanceof NoDestination || error instanceof OAuthError)) throw error;
      throw new Problem(400, 'INVALID_AUTHORIZATION_REQUEST', error.message);
    }
  }

  async #offerOf(clientId: string): Promise<Offer> {
    const client = await this.#parts.clients.find(clientId);
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
    // Perhaps the provider has changed its keys since its metadata were read.
    const renewed = await this.#providers.renew(from);
    const again = renewed && (await verifiedAssertion(envelope, renewed, opening));
    if (renewed && again !== undefined) return read(again, renewed);
    throw refused(
      'SAML_SIGNATURE',
      'The identity provider’s answer is not signed with one of its keys, is encrypted for a key that is not one of ours, or was changed on its way.',
    );
  }

  /** For one answer, however often it is tried. */
  async #opening(): Promise<Opening> {
    const privateKeys = await this.#keys.decrypting();
    if (privateKeys.length > 0) return { privateKeys, isFirst: this.#wrappedKeys.forOneAnswer() };
    throw refused(
      'SAML_ENCRYPTED',
      'The identity provider encrypts, and this service has published no key for that yet. Its administrator can read /v1/saml/metadata?encryption=true instead of /v1/saml/metadata, or turn encryption off.',
    );
  }

  /** Ends the request with its first wrong answer, so that there is one event of it, however many follow. */
  async #tellRefusal(request: SamlRequestsTable, problem: Problem, requestId: string): Promise<void> {
    await this.#parts.records.transact(async (tx) => {
      if (await this.#requests.end(tx, request)) await this.#append(tx, request, problem, requestId);
    });
  }

  async #tell(request: SamlRequestsTable, problem: Problem, requestId: string): Promise<void> {
    await this.#parts.records.transact((tx) => this.#append(tx, request, problem, requestId));
  }

  async #append(
    tx: Transaction,
    request: SamlRequestsTable,
    { code }: Problem,
    requestId: string,
  ): Promise<void> {
    await this.#parts.audit.append(tx, {
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
  return { client, mapping: client.customIdentityProvider?.attributeMapping ?? [], metadataUrl };
}

/** How old a sign-in at the provider may be (OpenID Connect Core §3.1.2.1); `undefined`: whatever is there does. */
function ageMaxMs({ prompt, maxAgeMs }: AuthorizationRequest): number | undefined {
  return prompt.includes('login') || prompt.includes('select_account') ? 0 : maxAgeMs;
}

/** The browser may have been asked for long. */
function requireLasting(sessionEndsAt: number | undefined): void {
  if (sessionEndsAt !== undefined && sessionEndsAt <= Date.now())
    throw refused(
      'SAML_EXPIRED',
      'The session at the identity provider is over. Go back to the application and sign in again.',
    );
}

function requireAskedAgain(request: AuthorizationRequest, { request: begun, answered }: Finished): void {
  const allowedMs = ageMaxMs(request);
  if (allowedMs !== undefined && answered.authenticatedAt < begun.created_at - allowedMs - skewMs)
    throw refused(
      'SAML_NOT_ASKED_AGAIN',
      'The application wants you to prove again who you are, and the identity provider did not ask you.',
    );
}
