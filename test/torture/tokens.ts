import {
  callback,
  pkce,
} from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import type { Reply } from '../support/app.ts';
import type { Area, Client } from './client.ts';

/** A refresh whose answer was lost may be repeated for 30 s; this leaves a slow machine some of it. */
const repeatMaxMs = 20_000;
const revokedMax = 4;

interface Given {
  access_token: string;
  refresh_token: string;
}

/** An OAuth application that signs a user in, refreshes its tokens and revokes them. */
export class Tokens implements Area {
  readonly acts = {
    'refresh tokens': () => this.#refresh(),
    'use tokens': () => this.verify(),
    'revoke tokens': () => this.#revoke(),
  };
  readonly #client: Client;
  readonly #application: string;
  readonly #cookie: string;
  readonly #revoked: Given[] = [];
  #given: Given | undefined;

  /** `cookie`: that of a signed-in browser. */
  constructor(client: Client, application: string, cookie: string) {
    this.#client = client;
    this.#application = application;
    this.#cookie = cookie;
  }

  async verify(): Promise<void> {
    if (this.#given) await this.#use(this.#given, 200);
    for (const one of this.#revoked.slice(-revokedMax)) await this.#use(one, 401);
  }

  #use({ access_token: token }: Given, status: number): Promise<Reply> {
    return this.#client.askUntil('GET', '/v1/accounts', [status], { key: `Bearer ${token}` });
  }

  async #refresh(): Promise<void> {
    this.#given ??= await this.#signIn();
    if (!this.#given) return;
    const form = { grant_type: 'refresh_token', refresh_token: this.#given.refresh_token };
    const startedAt = performance.now();
    let reply: Reply | undefined;
    while (reply === undefined) {
      const inTime = performance.now() - startedAt < repeatMaxMs;
      reply = await this.#post('/v1/oauth/token', form, inTime ? [200] : [200, 400]);
    }
    this.#given = reply.status === 200 ? reply.body : undefined;
    if (this.#given) await this.#use(this.#given, 200);
  }

  async #signIn(): Promise<Given | undefined> {
    const { verifier, challenge } = pkce();
    const request = {
      response_type: 'code',
      client_id: this.#application,
      redirect_uri: callback,
      ...challenge,
    };
    const authorized = await this.#client.askUntil(
      'GET',
      `/v1/oauth/authorize?${new URLSearchParams(request)}`,
      [302, 303],
      { headers: { cookie: this.#cookie } },
    );
    const code = new URL(authorized.headers.get('location') ?? '').searchParams.get('code') ?? '';
    const form = { grant_type: 'authorization_code', redirect_uri: callback, code, code_verifier: verifier };
    // An exchange without an answer may have used the code: the next one starts over.
    return (await this.#post('/v1/oauth/token', form, [200]))?.body;
  }

  async #revoke(): Promise<void> {
    const given = this.#given;
    if (!given) return;
    const form = { token: given.refresh_token };
    while ((await this.#post('/v1/oauth/revoke', form, [200])) === undefined);
    this.#given = undefined;
    this.#revoked.push(given);
    await this.#use(given, 401);
  }

  #post(path: string, form: Record<string, string>, expected: number[]): Promise<Reply | undefined> {
    const body = new URLSearchParams({ client_id: this.#application, ...form }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: '' };
    return this.#client.ask('POST', path, expected, { body, headers });
  }
}
