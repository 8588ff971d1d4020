import { isObject, type JsonObject, type JsonValue } from '@ploidy/formats/fhir';
import { type Outbound, OutboundError, type OutboundRequest } from '../../../platform/outbound/outbound.ts';
import { EhrError } from './ehr-error.ts';
import { documentBytesMax, readJson } from './read-json.ts';
import { scopesToAsk } from './scopes.ts';

/** Token endpoint, with what the system states about it. */
export interface TokenEndpoint {
  url: string;
  /** Client authentication methods (RFC 8414 §2); empty if not stated. */
  methods: string[];
  /** Algorithms of assertions; empty if not stated. */
  algorithms: string[];
  /** Scopes to request, in order. */
  scopes: string[];
}

export interface DocumentAnswer {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  /** Undefined if the body is not JSON. */
  document: JsonValue | undefined;
}

export type AskDocument = (
  request: Pick<OutboundRequest, 'method' | 'url' | 'headers' | 'body'>,
) => Promise<DocumentAnswer>;

const timeoutMs = 30_000;
const oauthUris = 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris';
const authMethods = [
  'client_secret_basic',
  'client_secret_post',
  'client_secret_jwt',
  'private_key_jwt',
  'tls_client_auth',
  'self_signed_tls_client_auth',
  'none',
];
const signatures = ['HS', 'RS', 'PS', 'ES'].flatMap((kind) => [256, 384, 512].map((size) => kind + size));

/** Returns a function that requests the documents needed for a token. */
export function documentsFrom({
  outbound,
  signal,
}: {
  outbound: Outbound;
  signal: AbortSignal;
}): AskDocument {
  const limits = { bytesMax: documentBytesMax, timeoutMs, idleMs: timeoutMs, signal };
  return async (request) => {
    try {
      return await outbound.exchange({ ...request, ...limits }, async ({ status, headers, body }) => ({
        status,
        headers,
        document: await readJson(body),
      }));
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const message = `The EHR system issues no token: ${error.message}.`;
      throw new EhrError('NO_TOKEN', message, { cause: error, isPassing: error.isPassing });
    }
  };
}

/**
 * Finds the token endpoint in `.well-known/smart-configuration` (SMART App Launch 2.2), or in an extension of
 * the CapabilityStatement (earlier versions).
 */
export async function findTokenEndpoint(ask: AskDocument, baseUrl: string): Promise<TokenEndpoint> {
  const base = baseUrl.replace(/(?<!\/)\/+$/, '');
  const found = await ask({ method: 'GET', url: `${base}/.well-known/smart-configuration` });
  if (found.status === 200 && isObject(found.document)) {
    const stated = tokenEndpointOf(found.document);
    if (stated) return stated;
  }
  const headers = { accept: 'application/fhir+json' };
  const stated = await ask({ method: 'GET', url: `${base}/metadata`, headers });
  const url = tokenAddress(stated.document);
  if (url !== undefined) return { url, methods: [], algorithms: [], scopes: scopesToAsk({}) };
  const message =
    'The EHR system states no token endpoint: it has neither /.well-known/smart-configuration nor a CapabilityStatement that names the token endpoint.';
  throw new EhrError('NO_TOKEN_ENDPOINT', message);
}

function tokenEndpointOf(configuration: JsonObject): TokenEndpoint | undefined {
  const url = configuration['token_endpoint'];
  if (typeof url !== 'string') return undefined;
  // Known names only: they are shown to users.
  const known = (name: string, names: string[]): string[] => {
    const listed = configuration[name];
    return Array.isArray(listed) ? names.filter((one) => listed.includes(one)) : [];
  };
  return {
    url,
    methods: known('token_endpoint_auth_methods_supported', authMethods),
    algorithms: known('token_endpoint_auth_signing_alg_values_supported', signatures),
    scopes: scopesToAsk(configuration),
  };
}

/** Reads `rest.security.extension[oauth-uris].extension[token].valueUri`. */
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
