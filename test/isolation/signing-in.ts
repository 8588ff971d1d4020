import assert from 'node:assert/strict';
import {
  codeAt,
  stepAt,
} from '../../packages/server/src/domains/authentication/sign-in/second-factor/totp.ts';
import {
  FormBrowser,
  hiddenOf,
} from '../../packages/server/src/domains/authentication/sign-in/tests/form-browser.fixture.ts';
import { pkce } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import type { TestServer } from '../support/server.ts';

const redirectUri = 'http://127.0.0.1:9/callback';
const clientId = 'ploidy-command-line';
const signInPath = '/v1/oauth/sign-in';
const enrolPath = '/v1/security/second-factor';

/** Signs in as the administrator in every way, with errors. Returns the secrets that must not be written down anywhere. */
export async function signInAround(server: TestServer, password: string): Promise<Record<string, string>> {
  const browser = new FormBrowser(server.baseUrl);
  const { verifier, challenge } = pkce();
  const request = { response_type: 'code', client_id: clientId, redirect_uri: redirectUri, ...challenge };
  const query = new URLSearchParams({ ...request, state: 'words-of-a-state', login_hint: 'name-of-a-guest' });
  const page = await browser.open(`/v1/oauth/authorize?${query}`);
  const email = 'admin@localhost';
  await browser.submit(page, signInPath, {
    email: 'name-of-a-stranger@example.test',
    password: 'words-of-a-guess',
  });
  await browser.submit(page, signInPath, { email, password: 'words-of-a-guess' });
  const sent = await browser.submit(page, signInPath, { email, password });
  const code = new URL(sent.location ?? '').searchParams.get('code') ?? '';
  assert.ok(code, sent.text);
  const tokens = await token(server, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });
  await token(server, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: 'words-of-a-verifier',
  });
  const refresh = { grant_type: 'refresh_token', refresh_token: tokens['refresh_token'] ?? '' };
  const renewed = await token(server, refresh);
  await fetch(`${server.baseUrl}/v1/accounts?access_token=${tokens['access_token']}`, {
    headers: { authorization: `Bearer ${tokens['access_token']}` },
  });
  const session = browser.cookies.get('ploidy-session') ?? '';
  const enrolment = await browser.open(enrolPath);
  const secret = /<code>([A-Z2-7 ]{30,})<\/code>/.exec(enrolment.text)?.[1]?.replaceAll(' ', '') ?? '';
  const on = await browser.submit(enrolment, enrolPath, {
    code: codeAt(secret, stepAt(Date.now())),
    current: password,
  });
  const recovery = /<code>([A-Z2-7]{5}-[A-Z2-7]{5})<\/code>/.exec(on.text)?.[1] ?? '';
  const forgotten = await browser.open('/v1/oauth/forgotten-password');
  await browser.submit(forgotten, '/v1/oauth/forgotten-password', {
    email: 'name-of-a-stranger@example.test',
  });
  await browser.open(`/v1/oauth/logout?id_token_hint=${tokens['id_token']}&state=words-of-a-state`);
  const found = {
    'a code': code,
    'an access token': tokens['access_token']?.split('.')[2],
    'an id token': tokens['id_token']?.split('.')[2],
    'a refresh token': tokens['refresh_token']?.split('.')[2],
    'a later refresh token': renewed['refresh_token']?.split('.')[2],
    'a verifier': verifier,
    'a session': session,
    'a form': hiddenOf(page.text, signInPath)['proof'],
    'a binding': browser.cookies.get('ploidy-form'),
    'a device': browser.cookies.get('ploidy-device'),
    'a second factor': secret,
    'a recovery code': recovery,
  };
  for (const [what, value] of Object.entries(found)) assert.ok(value, what);
  return found as Record<string, string>;
}

async function token(server: TestServer, form: Record<string, string>): Promise<Record<string, string>> {
  const body = new URLSearchParams({ client_id: clientId, ...form });
  const response = await fetch(`${server.baseUrl}/v1/oauth/token`, { method: 'POST', body });
  return (await response.json()) as Record<string, string>;
}
