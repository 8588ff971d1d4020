import assert from 'node:assert/strict';
import type { Reply, TestApp } from '../../../../../../../test/support/app.ts';
import {
  authorize,
  callback,
  firstUser,
  makeClient,
  pkce,
  postForm,
  signedIn,
} from '../../sign-in/tests/signed-in.fixture.ts';

export const tokenPath = '/v1/oauth/token';

type Fields = Record<string, string>;

/** Signed-in user, application, and the steps between them. */
export class TokenFlow {
  readonly app: TestApp;
  readonly user: string;
  readonly cookie: string;
  readonly client: { id: string; secret?: string };

  constructor(app: TestApp, user: string, cookie: string, client: { id: string }) {
    this.app = app;
    this.user = user;
    this.cookie = cookie;
    this.client = client;
  }

  static async open(app: TestApp): Promise<TokenFlow> {
    const user = await firstUser(app);
    return new TokenFlow(app, user, await signedIn(app, user), await makeClient(app));
  }

  /** Requests a code; returns it with its verifier. */
  async ask(clientId = this.client.id, more: Fields = {}): Promise<{ code: string; verifier: string }> {
    const { verifier, challenge } = pkce();
    const request = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: callback,
      ...challenge,
      ...more,
    };
    const { location } = await authorize(this.app, request, this.cookie);
    const code = location?.searchParams.get('code');
    assert.ok(code, String(location));
    return { code, verifier };
  }

  exchange(clientId: string, code: string, verifier: string, more: Fields = {}): Promise<Reply> {
    return postForm(this.app, tokenPath, {
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: callback,
      code,
      code_verifier: verifier,
      ...more,
    });
  }

  /** Runs a whole flow; returns the tokens. */
  async signIn(more: Fields = {}): Promise<Reply['body']> {
    const { code, verifier } = await this.ask(this.client.id, more);
    const reply = await this.exchange(this.client.id, code, verifier);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  }

  refresh(token: string, more: Fields = {}): Promise<Reply> {
    const form = { grant_type: 'refresh_token', client_id: this.client.id, refresh_token: token };
    return postForm(this.app, tokenPath, { ...form, ...more });
  }

  /** Returns the status of a request with a token. */
  async works(token: string): Promise<number> {
    return (await this.app.call('GET', '/v1/accounts', { key: `Bearer ${token}` })).status;
  }
}
