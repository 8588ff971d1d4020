import { isObject } from '@ploidy/formats/fhir';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import type { AuthType, Credentials } from '../ehr.ts';
import { readSigningKey } from '../signing-key.ts';
import { clientAssertion } from './client-assertion.ts';
import { EhrError } from './ehr-error.ts';
import { withoutScope } from './scopes.ts';
import {
  type AskDocument,
  type DocumentAnswer,
  documentsFrom,
  findTokenEndpoint,
  type TokenEndpoint,
} from './token-endpoint.ts';
import { refusalOf, tokenRefused } from './token-refusal.ts';

/** Credentials of requests to an EHR system. */
export interface Authorization {
  /** Value of the header `Authorization`; undefined to omit it. */
  header(): Promise<string | undefined>;
  /** Called after a refusal. Returns whether the next `header` will differ. */
  renew(): boolean;
  /** Scope of the present token; undefined if there is none or it is unknown. */
  readonly scope: string | undefined;
}

interface AuthorizationDeps {
  outbound: Outbound;
  type: AuthType;
  /** Reads the current credentials, which may be replaced while a sync runs. */
  credentials: () => Promise<Credentials>;
  baseUrl: string;
  signal: AbortSignal;
}

/**
 * Creates the authorization of a type. `header`: the key as entered; `basic`: RFC 7617; `oauth2`: client
 * credentials (RFC 6749 §4.4) with a secret; `private_key_jwt`: with a signature (SMART Backend Services).
 */
export function openAuthorization(deps: AuthorizationDeps): Authorization {
  if (deps.type === 'oauth2' || deps.type === 'private_key_jwt')
    return new ClientCredentials({ ...deps, type: deps.type });
  let value: Promise<string | undefined> | undefined;
  const read = async () => {
    const { apiKey, apiSecret = '' } = await deps.credentials();
    return deps.type === 'basic'
      ? `Basic ${Buffer.from(`${apiKey}:${apiSecret}`).toString('base64')}`
      : apiKey;
  };
  return {
    header: () => {
      value ??= read();
      return value;
    },
    renew: () => false,
    scope: undefined,
  };
}

/** Time before expiry from which a token is no longer used. */
const marginMs = 30_000;
/** Assumed lifetime of a token without one (example of RFC 6749 §4.2.2). */
const lifeMs = 3_600_000;

interface Token {
  value: string;
  until: number;
  scope: string | undefined;
}

class ClientCredentials implements Authorization {
  readonly #deps: AuthorizationDeps & { type: 'oauth2' | 'private_key_jwt' };
  readonly #documents: AskDocument;
  #endpoint: TokenEndpoint | undefined;
  #token: Token | undefined;

  constructor(deps: AuthorizationDeps & { type: 'oauth2' | 'private_key_jwt' }) {
    this.#deps = deps;
    this.#documents = documentsFrom(deps);
  }

  async header(): Promise<string> {
    if (!this.#token || performance.now() > this.#token.until) this.#token = await this.#ask();
    return `Bearer ${this.#token.value}`;
  }

  renew(): boolean {
    this.#token = undefined;
    return true;
  }

  get scope(): string | undefined {
    return this.#token?.scope;
  }

  async #ask(): Promise<Token> {
    const { type, baseUrl, credentials } = this.#deps;
    this.#endpoint ??= await findTokenEndpoint(this.#documents, baseUrl);
    const endpoint = this.#endpoint;
    const client = await credentials();
    let refused: DocumentAnswer | undefined;
    for (const scope of endpoint.scopes) {
      const answer = await this.#request(endpoint, client, scope);
      const token = answer.status === 200 ? readToken(answer.document, scope) : undefined;
      if (token) {
        this.#endpoint = { ...endpoint, scopes: [scope] };
        return token;
      }
      // Systems reject a request without scope in various ways: report the refusal of the requested scopes
      // instead.
      const isWordless = scope === withoutScope && answer.status < 500 && answer.status !== 429;
      if (refused && isWordless) break;
      if (refusalOf(answer) !== 'invalid_scope') throw tokenRefused(answer, { type, endpoint, client });
      refused ??= answer;
    }
    if (!refused) throw new Error('there is always a scope to ask for');
    throw tokenRefused(refused, { type, endpoint, client });
  }

  async #request(endpoint: TokenEndpoint, client: Credentials, scope: string): Promise<DocumentAnswer> {
    const isSecret = this.#deps.type === 'oauth2';
    const proof = isSecret ? secretProof(endpoint, client) : await keyProof(endpoint, client);
    const asked = scope === withoutScope ? {} : { scope };
    const form = { grant_type: 'client_credentials', ...asked, ...proof.form };
    return this.#documents({
      method: 'POST',
      url: endpoint.url,
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        ...proof.headers,
      },
      body: new URLSearchParams(form).toString(),
    });
  }
}

interface Proof {
  form?: Record<string, string>;
  headers?: Record<string, string>;
}

function secretProof({ methods }: TokenEndpoint, { apiKey = '', apiSecret = '' }: Credentials): Proof {
  const inBody = methods.includes('client_secret_post') && !methods.includes('client_secret_basic');
  if (inBody) return { form: { client_id: apiKey, client_secret: apiSecret } };
  // RFC 6749 §2.3.1: both are form-encoded before they are joined.
  const [id, secret] = [apiKey, apiSecret].map((part) =>
    new URLSearchParams({ '': part }).toString().slice(1),
  );
  return { headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` } };
}

async function keyProof(
  { url, algorithms }: TokenEndpoint,
  { apiKey = '', apiSecret = '' }: Credentials,
): Promise<Proof> {
  const key = readSigningKey(apiSecret);
  if (typeof key === 'string')
    throw new EhrError('NO_TOKEN', `There is no token without a key: apiSecret ${key}.`);
  const { alg } = key.publicJwk;
  if (algorithms.length > 0 && !algorithms.includes(alg)) {
    const message = `The EHR system accepts signatures by ${algorithms.join(', ')}, and the key in apiSecret makes ${alg}. Give it another key: RSA for RS384, P-384 for ES384.`;
    throw new EhrError('NO_TOKEN', message);
  }
  return { form: await clientAssertion(key, apiKey, url) };
}

/** Parses a token. Without a stated scope it has the requested one (RFC 6749 §5.1). */
function readToken(document: unknown, asked: string): Token | undefined {
  const { access_token: token, expires_in: life, scope = asked } = isObject(document) ? document : {};
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) return undefined;
  const seconds = Number(life);
  const ms = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : lifeMs;
  const until = performance.now() + Math.max(ms - marginMs, ms / 2);
  return { value: token, until, scope: typeof scope === 'string' ? scope : undefined };
}
