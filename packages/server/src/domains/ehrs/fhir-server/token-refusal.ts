import { isObject } from '@ploidy/formats/fhir';
import { type AuthType, type Credentials, jwksCacheMs } from '../ehr.ts';
import { readSigningKey } from '../signing-key.ts';
import { assertionLifeS } from './client-assertion.ts';
import { EhrError } from './ehr-error.ts';
import { retryAfterMs } from './retry-after.ts';
import { withoutScope } from './scopes.ts';
import type { DocumentAnswer, TokenEndpoint } from './token-endpoint.ts';

/** Parameters of the token request. */
interface TokenRequest {
  type: Extract<AuthType, 'oauth2' | 'private_key_jwt'>;
  endpoint: TokenEndpoint;
  client: Credentials;
}

/** Error codes of RFC 6749 §5.2. */
const reasons = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
] as const;
/** Clock difference that cannot cause a refusal. */
const clocksApartMs = 30_000;

/** Returns the standard's error code of a response without a token. */
export function refusalOf({ document }: DocumentAnswer): (typeof reasons)[number] | undefined {
  const error = isObject(document) ? document['error'] : undefined;
  return reasons.find((reason) => reason === error);
}

/** Explains a response without a token and how to fix it. Contains no text, key or assertion of the response. */
export function tokenRefused(answer: DocumentAnswer, request: TokenRequest): EhrError {
  const { status } = answer;
  if (status === 200)
    return new EhrError('NO_TOKEN', 'The EHR system gave no access token that could be used.');
  if (status === 429 || status >= 500) {
    const waitMs = retryAfterMs(answer.headers['retry-after']);
    const message = `The EHR system repeatedly failed to issue an access token (status ${status}).`;
    return new EhrError('NO_TOKEN', message, { isPassing: true, waitMs });
  }
  const reason = refusalOf(answer);
  const cause = reason === undefined ? `status ${status}` : `status ${status}, ${reason}`;
  const unknownMs = mayNotKnowKey(status, reason) ? unknownKeyMs(request) : 0;
  const hints = [
    methodHint(request),
    reasonHint(reason, request),
    clockHint(answer, request),
    unknownMs > 0 &&
      'Its key was replaced a moment ago, and the system may remember the one before for five minutes.',
  ].filter((hint) => hint !== undefined && hint !== false);
  const message = [`The EHR system refused an access token (${cause}).`, ...hints].join(' ');
  return new EhrError('NO_TOKEN', message, unknownMs > 0 ? { isPassing: true, waitMs: unknownMs } : {});
}

function methodHint({ type, endpoint: { methods } }: TokenRequest): string | undefined {
  const ours = type === 'oauth2' ? ['client_secret_basic', 'client_secret_post'] : ['private_key_jwt'];
  if (methods.length === 0 || methods.some((method) => ours.includes(method))) return undefined;
  const offers = `It states that clients authenticate by ${methods.join(', ')} only, and apiAuthType is ${type}`;
  if (methods.includes('private_key_jwt'))
    return `${offers}: set it to private_key_jwt, with a private key as apiSecret.`;
  const takesSecrets = methods.some(
    (method) => method.startsWith('client_secret_') && !method.endsWith('_jwt'),
  );
  return takesSecrets
    ? `${offers}: set it to oauth2, with the secret of the client as apiSecret.`
    : `${offers}: none of these can be used.`;
}

function reasonHint(reason: ReturnType<typeof refusalOf>, request: TokenRequest): string {
  if (reason === 'invalid_scope')
    return `It grants the client none of these scopes: ${request.endpoint.scopes.filter((scope) => scope !== withoutScope).join('; ')}. Grant them there.`;
  if (reason === 'unauthorized_client' || reason === 'unsupported_grant_type')
    return 'Allow the client client_credentials (a backend service) there.';
  if (request.type === 'oauth2') return 'Check apiKey, the id of the client, and apiSecret.';
  const key = readSigningKey(request.client.apiSecret ?? '');
  const named = typeof key === 'string' ? '' : ` (kid ${key.publicJwk.kid})`;
  return `Check apiKey, the id of the client, and that the public key in jwks${named} is registered for it there.`;
}

/** Hints at a clock difference: an assertion is valid for minutes only, by the system's clock. */
function clockHint({ headers }: DocumentAnswer, { type }: TokenRequest): string | undefined {
  const apartMs = Date.parse(headers['date'] ?? '') - Date.now();
  if (type === 'oauth2' || !(Math.abs(apartMs) > clocksApartMs)) return undefined;
  const apart = `${Math.round(Math.abs(apartMs) / 1000)} s ${apartMs > 0 ? 'ahead of' : 'behind'}`;
  return `Its clock is ${apart} ours, and signatures are good for ${assertionLifeS} s: set the clocks right.`;
}

/** Reports whether the key may be unknown. RFC 6749 §5.2 specifies `invalid_client`; some systems answer otherwise or without JSON. */
function mayNotKnowKey(status: number, reason: ReturnType<typeof refusalOf>): boolean {
  if (reason === undefined) return status === 401;
  return reason === 'invalid_client' || reason === 'unauthorized_client';
}

/** Returns how long the system may still know only the replaced key. */
function unknownKeyMs({ type, client: { keyReplacedAt } }: TokenRequest): number {
  if (type !== 'private_key_jwt' || keyReplacedAt === undefined) return 0;
  return Math.max(0, keyReplacedAt + jwksCacheMs - Date.now());
}
