import { smartScopesIn } from '../../../../access/smart-scopes.ts';
import { readInteger } from '../../../../base/numbers.ts';
import { isUtf8Encoded } from '../../../../base/utf8-encoded.ts';
import { type Client, type Clients, isRegistered } from '../../clients/index.ts';
import { OAuthError } from '../oauth-error.ts';
import { fhirTarget, readTarget, type Target } from '../resource.ts';
import { readScope } from '../scopes.ts';
import { codeChallengePattern } from './pkce.ts';

/** Validated authorization request. */
export interface AuthorizationRequest {
  client: Client;
  target: Target;
  redirectUri: string;
  flow: 'code' | 'implicit';
  scope: string;
  state: string | undefined;
  nonce: string | undefined;
  codeChallenge: string | undefined;
  prompt: string[];
  loginHint: string | undefined;
  /** Id token of an earlier sign-in, which names the expected user. */
  idTokenHint: string | undefined;
  maxAgeMs: number | undefined;
  /** Query of the request, repeated by the sign-in form. */
  query: string;
}

/** Client and redirect address, validated first: errors may be sent there. */
export interface Destination {
  client: Client;
  redirectUri: string;
  state: string | undefined;
}

/** Error before a valid redirect address: shown on a page, without redirect (RFC 6749 §4.1.2.1). */
export class NoDestination extends Error {}

const textMax = 2000;
const queryMax = 8192;
const clientIdPattern = /^[\w-]{1,255}$/;

/** Throws `NoDestination` for a query over the limit. */
export function refuseTooLong(query: string): void {
  if (query.length > queryMax) throw new NoDestination('The request is too long.');
}

/** Validates the client and the redirect address: the first phase. Throws `NoDestination`. */
export async function readDestination(clients: Clients, query: string): Promise<Destination> {
  refuseTooLong(query);
  const parameters = new URLSearchParams(query);
  const the = (name: string): string => {
    const [value, another] = parameters.getAll(name);
    if (another !== undefined) throw new NoDestination(`The parameter ${name} is given more than once.`);
    if (!value) throw new NoDestination(`The parameter ${name} is missing.`);
    return value;
  };
  const clientId = the('client_id');
  const client = clientIdPattern.test(clientId) ? await clients.find(clientId) : undefined;
  if (!client) throw new NoDestination('There is no application with this client_id.');
  const redirectUri = the('redirect_uri');
  if (!isRegistered(client.callbackUrls, redirectUri))
    throw new NoDestination('The redirect_uri is not registered for this application.');
  return { client, redirectUri, state: stateOf(query) };
}

/** Returns `state` for every response, or nothing when it could not be returned unchanged. */
function stateOf(query: string): string | undefined {
  const [state, another] = new URLSearchParams(query).getAll('state');
  return another === undefined && !unreadable(query).includes('state') ? state : undefined;
}

/** Lists parameters with invalid UTF-8: a decoder would replace their bytes. */
function unreadable(query: string): string[] {
  const pairs = query.split('&').filter((pair) => !isUtf8Encoded(pair));
  return pairs.flatMap((pair) => [...new URLSearchParams(pair).keys()]);
}

/**
 * Refuses repeated parameters (RFC 6749 §3.1) and those that cannot be stored as text
 * (docs/api/requests.md, "Bodies").
 */
function refuseMalformed(query: string): void {
  const seen = new Set<string>();
  const refuse = (name: string, what: string): never => {
    const known = /^\w{1,60}$/.test(name) ? `The parameter ${name}` : 'A parameter';
    throw new OAuthError('invalid_request', `${known} ${what}.`);
  };
  const [broken] = unreadable(query);
  if (broken !== undefined) refuse(broken, 'is not UTF-8');
  for (const [name, value] of new URLSearchParams(query)) {
    if (seen.has(name)) refuse(name, 'is given more than once');
    if (/[\0\u{10ffff}]/u.test(value)) refuse(name, 'holds a character that is not valid in a text');
    seen.add(name);
  }
}

/**
 * Validates all other parameters: the second phase. Throws `OAuthError`, which is sent to the redirect
 * address.
 */
export function readRequest(
  { client, redirectUri, state }: Destination,
  query: string,
  issuer: string,
): AuthorizationRequest {
  refuseMalformed(query);
  const parameters = new URLSearchParams(query);
  const get = (name: string): string | undefined => {
    const value = parameters.get(name) ?? undefined;
    if (value !== undefined && value.length > textMax)
      throw new OAuthError('invalid_request', `${name} is too long.`);
    return value === '' ? undefined : value;
  };
  if (get('request') !== undefined)
    throw new OAuthError('request_not_supported', 'Request objects are not supported.');
  if (get('request_uri') !== undefined)
    throw new OAuthError('request_uri_not_supported', 'Request objects are not supported.');
  if (get('registration') !== undefined)
    throw new OAuthError('registration_not_supported', 'Clients are registered by administrators.');
  const scope = readScope(client, get('scope'));
  const flow = readFlow(client, get('response_type'), get('response_mode'));
  return {
    client,
    target:
      smartScopesIn(scope).length > 0
        ? fhirTarget(client, get('aud') ?? get('resource'), issuer)
        : readTarget(client, get('resource'), issuer),
    redirectUri,
    state,
    flow,
    scope,
    nonce: get('nonce'),
    codeChallenge: readChallenge(client, flow, get('code_challenge'), get('code_challenge_method')),
    prompt: readPrompt(get('prompt')),
    loginHint: get('login_hint'),
    idTokenHint: get('id_token_hint'),
    maxAgeMs: readMaxAge(get('max_age')),
    query,
  };
}

function readFlow(
  client: Client,
  responseType: string | undefined,
  mode: string | undefined,
): 'code' | 'implicit' {
  if (responseType === undefined) throw new OAuthError('invalid_request', 'response_type is missing.');
  // The specification returns code and token in the query.
  if (mode !== undefined && mode !== 'query')
    throw new OAuthError('invalid_request', 'Only response_mode=query is supported.');
  const flows = client.allowedOAuthFlows;
  if (responseType === 'code' && flows.includes('code')) return 'code';
  if (responseType === 'token' && (flows.includes('implicit') || flows.includes('token'))) return 'implicit';
  if (responseType === 'code' || responseType === 'token')
    throw new OAuthError('unauthorized_client', `This client may not use response_type=${responseType}.`);
  throw new OAuthError('unsupported_response_type', 'response_type must be code or token.');
}

/** Requires PKCE of public clients; `plain` proves nothing and is refused (RFC 9700 §2.1.1). */
function readChallenge(
  client: Client,
  flow: 'code' | 'implicit',
  challenge: string | undefined,
  method: string | undefined,
): string | undefined {
  if (challenge === undefined) {
    if (method !== undefined) throw new OAuthError('invalid_request', 'code_challenge is missing.');
    if (flow === 'code' && client.secretHash === undefined)
      throw new OAuthError(
        'invalid_request',
        'This client must use PKCE: send code_challenge and code_challenge_method=S256.',
      );
    return undefined;
  }
  // RFC 7636 §4.3: the default method would be plain.
  if (method !== 'S256') throw new OAuthError('invalid_request', 'code_challenge_method must be S256.');
  if (!codeChallengePattern.test(challenge))
    throw new OAuthError('invalid_request', 'code_challenge must be the base64url of a SHA-256.');
  return challenge;
}

function readPrompt(text: string | undefined): string[] {
  const words = (text ?? '').split(' ').filter(Boolean);
  const unknown = words.find((word) => !['none', 'login', 'consent', 'select_account'].includes(word));
  if (unknown !== undefined)
    throw new OAuthError('invalid_request', 'prompt must be none, login, consent or select_account.');
  if (words.includes('none') && words.length > 1)
    throw new OAuthError('invalid_request', 'prompt=none cannot be combined with others.');
  return words;
}

function readMaxAge(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = readInteger(text, { min: 0, max: 999_999_999 });
  if (seconds === undefined) throw new OAuthError('invalid_request', 'max_age must be a number of seconds.');
  return seconds * 1000;
}
