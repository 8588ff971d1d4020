import { isObject, type JsonValue } from '@ploidy/formats';
import { type Outbound, OutboundError, type OutboundRequest } from '../../platform/outbound/outbound.ts';
import type { AuthType, Credentials } from './ehr.ts';
import { EhrError } from './ehr-error.ts';
import { documentBytesMax, readJson } from './read-json.ts';

/** What requests to an EHR system prove who we are with. */
export interface Authorization {
  /** The value of the header `Authorization`; undefined: none is sent. */
  header(): Promise<string | undefined>;
  /** Called when it was not accepted. Answers whether the next `header` will be another one. */
  renew(): boolean;
}

export interface AuthorizationParts {
  outbound: Outbound;
  type: AuthType;
  credentials: Credentials;
  baseUrl: string;
  signal: AbortSignal;
}

/** `header`: the key as it was entered; `basic`: RFC 7617; `oauth2`: client credentials (RFC 6749 §4.4). */
export function openAuthorization(parts: AuthorizationParts): Authorization {
  const { apiKey, apiSecret = '' } = parts.credentials;
  if (parts.type === 'oauth2') return new ClientCredentials(parts);
  const basic = `Basic ${Buffer.from(`${apiKey}:${apiSecret}`).toString('base64')}`;
  const value = parts.type === 'basic' ? basic : apiKey;
  return { header: async () => value, renew: () => false };
}

/** So long before its end a token is not used any more. */
const marginMs = 30_000;
/** A token of which nothing is said lives as long as RFC 6749 §4.2.2 has in its example. */
const lifeMs = 3_600_000;
const timeoutMs = 30_000;
const oauthUris = 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris';
/** SMART App Launch: of the first version and of the second. */
const scopes = ['system/*.rs', 'system/*.read'];

/** Where tokens are, and how they are asked for. */
interface TokenEndpoint {
  url: string;
  /** The secret stands in the body, not in a header. */
  inBody: boolean;
  scope: string;
}

class ClientCredentials implements Authorization {
  readonly #parts: AuthorizationParts;
  #endpoint: TokenEndpoint | undefined;
  #token: { value: string; until: number } | undefined;

  constructor(parts: AuthorizationParts) {
    this.#parts = parts;
  }

  async header(): Promise<string> {
    if (!this.#token || performance.now() > this.#token.until) this.#token = await this.#ask();
    return `Bearer ${this.#token.value}`;
  }

  renew(): boolean {
    this.#token = undefined;
    return true;
  }

  async #ask(): Promise<{ value: string; until: number }> {
    this.#endpoint ??= await this.#discover();
    const { url, inBody, scope } = this.#endpoint;
    const { apiKey = '', apiSecret = '' } = this.#parts.credentials;
    const form = new URLSearchParams({ grant_type: 'client_credentials', scope });
    if (inBody) {
      form.set('client_id', apiKey);
      form.set('client_secret', apiSecret);
    }
    // RFC 6749 §2.3.1: both are form-encoded before they are joined.
    const [id, secret] = [apiKey, apiSecret].map((part) =>
      new URLSearchParams({ '': part }).toString().slice(1),
    );
    const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
    const { status, document } = await this.#json({
      method: 'POST',
      url,
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        ...(!inBody && { authorization: basic }),
      },
      body: form.toString(),
    });
    const token = isObject(document) ? document['access_token'] : undefined;
    if (status !== 200 || !isObject(document) || typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token))
      throw tokenRefused(status);
    const seconds = Number(document['expires_in']);
    const life = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : lifeMs;
    return { value: token, until: performance.now() + Math.max(life - marginMs, life / 2) };
  }

  /** SMART App Launch §2.0.9 (`.well-known/smart-configuration`); before it, an extension of the CapabilityStatement. */
  async #discover(): Promise<TokenEndpoint> {
    const base = this.#parts.baseUrl.replace(/\/*$/, '');
    const found = await this.#json({ method: 'GET', url: `${base}/.well-known/smart-configuration` });
    if (found.status === 200 && isObject(found.document)) {
      const { token_endpoint: url, scopes_supported: offered } = found.document;
      const methods = found.document['token_endpoint_auth_methods_supported'];
      if (typeof url === 'string') return { url, inBody: wantsBody(methods), scope: scopeOf(offered) };
    }
    const stated = await this.#json({
      method: 'GET',
      url: `${base}/metadata`,
      headers: { accept: 'application/fhir+json' },
    });
    const url = tokenAddress(stated.document);
    if (url !== undefined) return { url, inBody: false, scope: scopeOf(undefined) };
    const message =
      'The EHR system does not say where tokens are: it has neither /.well-known/smart-configuration nor a CapabilityStatement that names the token endpoint.';
    throw new EhrError('NO_TOKEN_ENDPOINT', message);
  }

  async #json(
    request: Pick<OutboundRequest, 'method' | 'url' | 'headers' | 'body'>,
  ): Promise<{ status: number; document: JsonValue | undefined }> {
    const { outbound, signal } = this.#parts;
    const limits = { bytesMax: documentBytesMax, timeoutMs, idleMs: timeoutMs, signal };
    try {
      return await outbound.exchange({ ...request, ...limits }, async ({ status, body }) => ({
        status,
        document: await readJson(body),
      }));
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const message = `The EHR system gives no token: ${error.message}.`;
      throw new EhrError('NO_TOKEN', message, { cause: error, isPassing: error.isPassing });
    }
  }
}

function tokenRefused(status: number): EhrError {
  const isPassing = status === 429 || status >= 500;
  const message =
    status === 200
      ? 'The EHR system gave no access token that could be used.'
      : `The EHR system refused an access token (status ${status}). Check apiKey, the id of the client, and apiSecret.`;
  return new EhrError('NO_TOKEN', message, { isPassing });
}

function wantsBody(methods: JsonValue | undefined): boolean {
  if (!Array.isArray(methods)) return false;
  return methods.includes('client_secret_post') && !methods.includes('client_secret_basic');
}

function scopeOf(offered: JsonValue | undefined): string {
  const known = Array.isArray(offered) ? scopes.find((scope) => offered.includes(scope)) : undefined;
  return known ?? 'system/*.read';
}

/** `rest.security.extension[oauth-uris].extension[token].valueUri` */
function tokenAddress(statement: JsonValue | undefined): string | undefined {
  const all = (value: JsonValue | undefined, name: string): JsonValue[] => {
    const found = isObject(value) ? value[name] : undefined;
    return Array.isArray(found) ? found : [];
  };
  const security = all(statement, 'rest').map((rest) => (isObject(rest) ? rest['security'] : undefined));
  const uris = security
    .flatMap((one) => all(one, 'extension'))
    .filter((one) => isObject(one) && one['url'] === oauthUris)
    .flatMap((one) => all(one, 'extension'));
  const token = uris.find((one) => isObject(one) && one['url'] === 'token');
  const value = isObject(token) ? token['valueUri'] : undefined;
  return typeof value === 'string' ? value : undefined;
}
