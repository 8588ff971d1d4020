import assert from 'node:assert/strict';
import type { TestApp } from '../../../../../../../test/support/app.ts';
import { callback, pkce } from '../../sign-in/tests/signed-in.fixture.ts';
import {
  type ResponseFields,
  readRedirect,
  responseXml,
  rightFields,
  signed,
  type TestProvider,
} from './saml-provider.fixture.ts';

/** Returns the query of an authorization request of a client. */
export function authorizationQuery(client: string, more: Record<string, string> = {}): string {
  const fields = { response_type: 'code', client_id: client, redirect_uri: callback, state: 'kept' };
  return new URLSearchParams({ ...fields, scope: 'openid', ...pkce().challenge, ...more }).toString();
}

/** Page or redirect as a browser gets it. */
export interface Seen {
  status: number;
  location: string;
  text: string;
  /** Cookies set, as `name=value`. */
  cookies: string[];
  headers: Headers;
}

export async function visit(address: string, init: RequestInit = {}): Promise<Seen> {
  const response = await fetch(address, { redirect: 'manual', ...init });
  return {
    status: response.status,
    location: response.headers.get('location') ?? '',
    text: await response.text(),
    cookies: response.headers.getSetCookie().map((one) => one.split(';')[0] ?? ''),
    headers: response.headers,
  };
}

/** Begun sign-in: the provider's request, and the cookie of the browser. */
export interface Begun {
  requestId: string;
  relayState: string;
  cookie: string;
  location: string;
}

export async function begin(
  app: TestApp,
  client: string,
  options: { cookie?: string; more?: Record<string, string> } = {},
): Promise<Begun> {
  const request = encodeURIComponent(authorizationQuery(client, options.more));
  const seen = await visit(`${app.address}/v1/saml/sign-in?request=${request}`, {
    headers: options.cookie === undefined ? {} : { cookie: options.cookie },
  });
  assert.equal(seen.status, 302, seen.text);
  const { id, relayState } = readRedirect(seen.location);
  return { requestId: id, relayState, cookie: seen.cookies[0] ?? '', location: seen.location };
}

/** Posts a response as the provider's page would: without cookies. */
export async function post(app: TestApp, xml: string, relayState: string): Promise<Seen> {
  const body = new URLSearchParams({
    SAMLResponse: Buffer.from(xml).toString('base64'),
    RelayState: relayState,
  });
  return visit(`${app.address}/v1/saml/acs`, {
    method: 'POST',
    body,
    headers: { origin: 'https://provider.example', 'sec-fetch-site': 'cross-site' },
  });
}

/** Follows the redirect of an accepted response. */
export function finish(app: TestApp, accepted: Seen, cookie: string): Promise<Seen> {
  assert.match(accepted.location, /^\/v1\/saml\/finish\?handle=/, accepted.text);
  return visit(`${app.address}${accepted.location}`, { headers: { cookie } });
}

/** Returns a valid response to a begun sign-in, with some fields changed. */
export function responseTo(
  app: TestApp,
  provider: TestProvider,
  begun: Begun,
  change: Partial<ResponseFields> = {},
): string {
  const fields = rightFields(provider, app.address, begun.requestId, change.nameId);
  return signed(responseXml({ ...fields, ...change }), provider.key);
}

/** Runs a whole sign-in; returns the response of `finish`. */
export async function signIn(
  app: TestApp,
  provider: TestProvider,
  client: string,
  change: Partial<ResponseFields> = {},
): Promise<Seen> {
  const begun = await begin(app, client);
  const accepted = await post(app, responseTo(app, provider, begun, change), begun.relayState);
  return accepted.status === 302 ? finish(app, accepted, begun.cookie) : accepted;
}

/** Returns the code in the redirect to the application. */
export function codeOf(seen: Seen): string {
  assert.equal(seen.status, 302, seen.text);
  assert.ok(seen.location.startsWith(callback), seen.location);
  const fields = new URL(seen.location).searchParams;
  assert.equal(fields.get('error'), null, seen.location);
  assert.equal(fields.get('state'), 'kept');
  return fields.get('code') ?? '';
}

/** Browser without scripts: cookies by host and port, forms as in the page. */
export class Jar {
  readonly #cookies = new Map<string, Map<string, string>>();

  async go(address: string, form?: Record<string, string>): Promise<Seen> {
    const { host } = new URL(address);
    const cookies = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, cookies);
    const cookie = [...cookies].map((one) => one.join('=')).join('; ');
    const seen = await visit(address, {
      headers: { cookie },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const one of seen.cookies)
      cookies.set(one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1));
    if (seen.status < 300 || seen.status > 399) return seen;
    const next = new URL(seen.location, address);
    return next.href.startsWith(callback) ? seen : this.go(next.href);
  }
}

const plain = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#039;', "'")
    .replaceAll('&amp;', '&');

/** Returns the hidden fields of a page's form. */
export function fieldsOf(page: string): Record<string, string> {
  return Object.fromEntries(
    [...page.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) => {
      const value = (name: string): string => plain(new RegExp(`${name}="([^"]*)"`).exec(input)?.[1] ?? '');
      return [value('name'), value('value')];
    }),
  );
}
