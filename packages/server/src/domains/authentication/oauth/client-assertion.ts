import { createLocalJWKSet, decodeJwt, errors, type JSONWebKeySet, jwtVerify } from 'jose';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import { isUniqueViolation } from '../../../platform/records/errors.ts';
import type { Records } from '../../../platform/records/records.ts';
import { tokenHash } from '../../../platform/secrets/secret-token.ts';
import type { Client, Clients } from '../clients/index.ts';
import { authenticateClient, credentialsIn } from './client-authentication.ts';
import { OAuthError } from './oauth-error.ts';

/** Algorithms of assertions; SMART 2.2 requires both. */
export const assertionAlgorithms = ['RS384', 'ES384'];
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
/** SMART 2.2 allows an assertion to be valid for five minutes; clocks differ. */
const lifeMaxS = 300;
const clockSlackS = 30;
/** Keys of an address are asked for again after this time, or for an unknown key once in a minute. */
const keysLifeMs = 300_000;
const keysAgainMs = 60_000;
const keysBytesMax = 100_000;

const refused = (why: string) => new OAuthError('invalid_client', `The client assertion is refused: ${why}.`);

interface FetchedKeys {
  url: string;
  at: number;
  keys: Promise<JSONWebKeySet>;
}

/** Authentication of clients by a JWT that they sign with their own key (RFC 7523, SMART `private_key_jwt`). */
export class ClientAssertions {
  readonly #records: Records;
  readonly #clients: Clients;
  readonly #outbound: Pick<Outbound, 'get'>;
  readonly #issuer: () => string;
  readonly #fetched = new Map<string, FetchedKeys>();

  constructor(deps: {
    records: Records;
    clients: Clients;
    outbound: Pick<Outbound, 'get'>;
    issuer: () => string;
  }) {
    this.#records = deps.records;
    this.#clients = deps.clients;
    this.#outbound = deps.outbound;
    this.#issuer = deps.issuer;
  }

  /** Authenticates the client of a form by its assertion, its secret or, if it is public, its name. Throws `OAuthError`. */
  async authenticate(
    headers: Record<string, string | string[] | undefined>,
    fields: Record<string, string | undefined>,
  ): Promise<Client> {
    const signed = await this.clientOf(fields);
    return signed ?? authenticateClient(this.#clients, credentialsIn(headers, fields));
  }

  /** Returns the client that signed an assertion of a form; undefined for a form without one. Throws `invalid_client`. */
  async clientOf(fields: Record<string, string | undefined>): Promise<Client | undefined> {
    const { client_assertion: assertion, client_assertion_type: type, client_id: named } = fields;
    if (assertion === undefined && type === undefined) return undefined;
    if (assertion === undefined || type !== assertionType)
      throw new OAuthError('invalid_request', 'client_assertion and its type jwt-bearer belong together.');
    const id = issuerOf(assertion);
    const client = /^[\w-]{1,255}$/.test(id) ? await this.#clients.find(id) : undefined;
    if (!client || (named !== undefined && named !== id)) throw refused('it is of no known client');
    const { exp, jti } = await this.#verified(client, assertion);
    if (exp > Date.now() / 1000 + lifeMaxS + clockSlackS)
      throw refused('it is valid for more than 5 minutes');
    await this.#useOnce(id, jti, exp);
    return client;
  }

  async #verified(client: Client, assertion: string): Promise<{ exp: number; jti: string }> {
    const options = {
      ...{ algorithms: assertionAlgorithms, issuer: client.id, subject: client.id },
      ...{ audience: [`${this.#issuer()}/oauth/token`, this.#issuer()], clockTolerance: clockSlackS },
      requiredClaims: ['exp', 'jti'],
    };
    const attempt = async (again: boolean) =>
      (await jwtVerify(assertion, createLocalJWKSet(await this.#keysOf(client, again)), options)).payload;
    try {
      const { exp = 0, jti = '' } = await attempt(false).catch((error: unknown) => {
        if (error instanceof errors.JWKSNoMatchingKey && client.jwksUrl !== undefined) return attempt(true);
        throw error;
      });
      return { exp, jti: String(jti) };
    } catch (error) {
      if (error instanceof errors.JOSEError) throw refused(whyOf(error));
      throw error;
    }
  }

  async #keysOf({ id, jwks, jwksUrl: url }: Client, again: boolean): Promise<JSONWebKeySet> {
    if (jwks) return jwks as unknown as JSONWebKeySet;
    if (url === undefined) throw refused('the client has no keys');
    const known = this.#fetched.get(id);
    const age = known?.url === url ? Date.now() - known.at : Number.POSITIVE_INFINITY;
    if (known && age < (again ? keysAgainMs : keysLifeMs)) return known.keys;
    const keys = this.#outbound.get(url, { bytesMax: keysBytesMax, timeoutMs: 5000 }).then(keysIn);
    this.#fetched.set(id, { url, at: Date.now(), keys });
    return keys.catch(() => {
      this.#fetched.delete(id);
      throw refused('the keys of the client cannot be fetched from its address');
    });
  }

  /** An assertion counts once, in all processes. */
  async #useOnce(client: string, jti: string, exp: number): Promise<void> {
    const row = { client_id: client, jti_hash: tokenHash(jti), expires_at: (exp + clockSlackS) * 1000 };
    try {
      await this.#records.transact((tx) => tx.insertInto('client_assertions').values(row).execute());
    } catch (error) {
      if (isUniqueViolation(error)) throw refused('it was used before');
      throw error;
    }
  }

  /** Removes assertions that have expired. */
  async sweep(): Promise<void> {
    await this.#records.transact((tx) =>
      tx.deleteFrom('client_assertions').where('expires_at', '<', Date.now()).execute(),
    );
  }
}

function issuerOf(assertion: string): string {
  try {
    return String(decodeJwt(assertion).iss);
  } catch {
    throw refused('it is no JWT');
  }
}

function keysIn(document: Buffer): JSONWebKeySet {
  const found = JSON.parse(document.toString('utf8')) as JSONWebKeySet;
  if (!Array.isArray(found?.keys)) throw refused('the address of its keys has none');
  return found;
}

/** Explains a fault without words of the assertion. */
function whyOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'it has expired';
  if (error instanceof errors.JWTClaimValidationFailed) return `its claim ${error.claim} is missing or wrong`;
  if (error instanceof errors.JWKSNoMatchingKey) return 'its key is none of the client';
  if (error instanceof errors.JOSEAlgNotAllowed)
    return `its algorithm must be ${assertionAlgorithms.join(' or ')}`;
  return 'its signature is not of a key of the client';
}
