/** Signing in with a password through the pages, and renewing the tokens of that sign-in. */
import assert from 'node:assert/strict';
import { FormBrowser } from '../../../packages/server/src/domains/authentication/sign-in/tests/form-browser.fixture.ts';
import { pkce } from '../../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';

export interface Credentials {
  email: string;
  password: string;
}

const redirectUri = 'http://127.0.0.1:9/callback';
const client = { client_id: 'ploidy-command-line' };
const page = '/v1/oauth/sign-in';

/** Chooses the first password, by the link that the first start prints. */
export async function setPassword(link: string, password: string): Promise<void> {
  const { origin, pathname, searchParams } = new URL(link);
  const form = new URLSearchParams({
    token: searchParams.get('token') ?? '',
    password,
    repeated: password,
  });
  const reply = await fetch(`${origin}${pathname}`, { method: 'POST', body: form });
  assert.ok(reply.status < 400, await reply.text());
}

/** Signs in with a password; answers a refresh token. */
export async function signIn(address: string, { email, password }: Credentials): Promise<string> {
  const browser = new FormBrowser(address);
  const { verifier, challenge } = pkce();
  const request = {
    response_type: 'code',
    ...client,
    redirect_uri: redirectUri,
    ...challenge,
    state: 'state',
  };
  const shown = await browser.open(`/v1/oauth/authorize?${new URLSearchParams(request)}`);
  const sent = await browser.submit(shown, page, { email, password });
  const code = new URL(sent.location ?? '').searchParams.get('code') ?? '';
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
  return tokenOf(address, form);
}

/** Exchanges a refresh token for the next one. */
export function renew(address: string, refreshToken: string): Promise<string> {
  return tokenOf(address, { grant_type: 'refresh_token', refresh_token: refreshToken });
}

async function tokenOf(address: string, form: Record<string, string>): Promise<string> {
  const body = new URLSearchParams({ ...client, ...form });
  const reply = await fetch(`${address}/v1/oauth/token`, { method: 'POST', body });
  const tokens = (await reply.json()) as Record<string, string>;
  const token = tokens['refresh_token'];
  assert.ok(token, JSON.stringify(tokens));
  return token;
}
