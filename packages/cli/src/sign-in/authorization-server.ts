import { createHash, randomBytes } from 'node:crypto';
import { ClientError, isPassingStatus } from '@ploidy/client';
import type { Tokens } from '../config.ts';
import { CommandError, exitCodes } from '../exit.ts';

/** Client id of this program; every service has it. */
const clientId = 'ploidy-command-line';
const timeoutMs = 20_000;

/** Endpoints of a service (OpenID Connect Discovery §3). */
interface Metadata {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  revocation_endpoint: string;
  device_authorization_endpoint: string;
}

/** Request for authorization, with the values that its answer is compared with. */
export interface AuthorizationRequest {
  url: string;
  state: string;
  verifier: string;
  redirectUri: string;
}

/** Asks the service where to sign in. Everything has to be at the address that was given: a token goes nowhere else. */
export async function discover(address: string): Promise<Metadata> {
  const url = `${address}/v1/.well-known/openid-configuration`;
  const { status, body } = await request(url, {});
  if (status !== 200) {
    const message = `${address} does not offer signing in with a browser. Use an API key: ploidy login --key`;
    throw new CommandError(message);
  }
  const metadata = body as Partial<Metadata>;
  if (metadata.issuer !== `${address}/v1`) {
    const elsewhere = String(metadata.issuer).replace(/\/v1$/, '');
    throw new CommandError(`The service calls itself ${elsewhere}. Run: ploidy login --address ${elsewhere}`);
  }
  const endpoints = {
    authorization_endpoint: '',
    token_endpoint: '',
    revocation_endpoint: '',
    device_authorization_endpoint: '',
    ...metadata,
  };
  const { authorization_endpoint, token_endpoint, revocation_endpoint, device_authorization_endpoint } =
    endpoints;
  for (const one of [
    authorization_endpoint,
    token_endpoint,
    revocation_endpoint,
    device_authorization_endpoint,
  ]) {
    if (!one.startsWith(`${address}/`))
      throw new CommandError(`${address} names a sign-in address of another host.`);
  }
  return {
    issuer: metadata.issuer,
    authorization_endpoint,
    token_endpoint,
    revocation_endpoint,
    device_authorization_endpoint,
  };
}

/** Builds an authorization request with PKCE (RFC 6749 §4.1.1, RFC 7636). */
export function authorizationRequest(
  { authorization_endpoint }: Metadata,
  redirectUri: string,
): AuthorizationRequest {
  const state = randomBytes(24).toString('base64url');
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'openid',
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return { url: `${authorization_endpoint}?${query}`, state, verifier, redirectUri };
}

export function redeem(
  { token_endpoint }: Metadata,
  code: string,
  authorization: AuthorizationRequest,
): Promise<Tokens> {
  const { redirectUri, verifier } = authorization;
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
  return tokensFrom(token_endpoint, form);
}

export function refresh({ token_endpoint }: Metadata, refreshToken: string): Promise<Tokens> {
  return tokensFrom(token_endpoint, { grant_type: 'refresh_token', refresh_token: refreshToken });
}

/** Codes for a sign-in on another computer (RFC 8628 §3.2). */
interface DeviceCodes {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
}

export async function deviceCodes({ device_authorization_endpoint }: Metadata): Promise<DeviceCodes> {
  const { status, body } = await request(device_authorization_endpoint, {
    client_id: clientId,
    scope: 'openid',
  });
  if (status === 200) return body as DeviceCodes;
  throw new CommandError(`The service returned no code (${(body as { error?: string }).error ?? status}).`);
}

/** Asks for the tokens of a device once; `undefined` until its user has decided (§3.5). */
export async function deviceTokens(
  { token_endpoint }: Metadata,
  deviceCode: string,
): Promise<Tokens | undefined> {
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
  const { status, body } = await request(token_endpoint, {
    client_id: clientId,
    grant_type,
    device_code: deviceCode,
  });
  const { error } = body as { error?: string };
  if (error === 'authorization_pending' || error === 'slow_down') return undefined;
  if (error === 'access_denied') throw new CommandError('The sign-in was denied.', exitCodes.signedOut);
  if (error === 'expired_token')
    throw new CommandError('The sign-in was not allowed in time. Try again.', exitCodes.signedOut);
  return tokensIn(status, body);
}

/** Revokes the tokens of a sign-in (RFC 7009). */
export async function revoke({ revocation_endpoint }: Metadata, refreshToken: string): Promise<void> {
  const { status } = await request(revocation_endpoint, { client_id: clientId, token: refreshToken });
  if (status !== 200) throw new CommandError('The service did not revoke the sign-in.');
}

async function tokensFrom(url: string, form: Record<string, string>): Promise<Tokens> {
  const { status, body } = await request(url, { client_id: clientId, ...form });
  return tokensIn(status, body);
}

function tokensIn(status: number, body: unknown): Tokens {
  const { access_token, refresh_token, expires_in, error } = body as Record<string, unknown>;
  if (error === 'invalid_grant') {
    throw new CommandError('Your sign-in has ended. Run "ploidy login" again.', exitCodes.signedOut);
  }
  if (status !== 200 || typeof access_token !== 'string' || typeof refresh_token !== 'string') {
    throw new CommandError(`The service returned no token (${typeof error === 'string' ? error : status}).`);
  }
  const expiresAt = Date.now() + Number(expires_in) * 1000;
  return { accessToken: access_token, refreshToken: refresh_token, expiresAt };
}

/** Sends a GET, or with fields a POST of a form. A restart or overload of the service is an error that passes. */
async function request(
  url: string,
  form: Record<string, string>,
): Promise<{ status: number; body: unknown }> {
  const post = Object.keys(form).length > 0 && { method: 'POST', body: new URLSearchParams(form) };
  const signal = AbortSignal.timeout(timeoutMs);
  const { origin } = new URL(url);
  try {
    const response = await fetch(url, { ...post, redirect: 'error', signal });
    const text = await response.text();
    const { status } = response;
    if (isPassingStatus(status))
      throw new ClientError(`${origin} is busy or being restarted.`, { status, code: 'AWAY' });
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status, body: isJson ? JSON.parse(text) : {} };
  } catch (error) {
    if (error instanceof ClientError) throw error;
    const message = `${origin} cannot be reached.`;
    throw new ClientError(message, { status: 0, code: 'UNREACHABLE' }, error);
  }
}
