import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt } from 'jose';
import { pkce } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import type { TestApp } from '../support/app.ts';

/** Returns a third-party server on its own port, and so its own origin. */
export async function listening(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  host = 'localhost',
): Promise<{ origin: string; close: () => void }> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://${host}:${(server.address() as AddressInfo).port}`, close };
}

/** A third-party application on another port and host: signs users in with Ploidy and shows who signed in. */
export class Application {
  readonly #app: TestApp;
  readonly #server: Server;
  readonly #pending = new Map<string, string>();
  readonly origin: string;
  clients: Record<'code' | 'implicit', string> = { code: '', implicit: '' };
  /** The last id token that it got. */
  idToken = '';

  private constructor(app: TestApp, server: Server) {
    this.#app = app;
    this.#server = server;
    this.origin = `http://localhost:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  static async open(app: TestApp): Promise<Application> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    const application = new Application(app, server);
    for (const flow of ['code', 'implicit'] as const) {
      const made = await app.call('POST', '/v1/clients', {
        body: {
          name: 'Tumour board',
          callbackUrls: [`${application.origin}/callback`],
          logoutUrls: [`${application.origin}/goodbye`],
          allowedOAuthFlows: [flow],
        },
      });
      application.clients[flow] = made.body.id;
    }
    return application;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(url, this.origin);
    const show = (text: string) =>
      response
        .setHeader('content-type', 'text/html')
        .end(`<title>Tumour board</title><p id="who">${text}</p>`);
    if (pathname === '/start') {
      const flow = searchParams.get('flow') === 'implicit' ? 'implicit' : 'code';
      response.writeHead(302, { location: this.#request(flow) }).end();
    } else if (pathname === '/callback' && searchParams.has('access_token')) {
      const key = searchParams.get('access_token') ?? '';
      const { status } = await this.#app.call('GET', '/v1/projects', { key });
      show(`token works: ${status}`);
    } else if (pathname === '/callback') show(await this.#redeem(searchParams));
    else show(`goodbye ${searchParams.get('state') ?? ''}`);
  }

  #request(flow: 'code' | 'implicit'): string {
    const { verifier, challenge } = pkce();
    const state = `state-${this.#pending.size}`;
    this.#pending.set(state, verifier);
    const query = new URLSearchParams({
      response_type: flow === 'code' ? 'code' : 'token',
      client_id: this.clients[flow],
      redirect_uri: `${this.origin}/callback`,
      state,
      ...(flow === 'code' && { ...challenge, scope: 'openid email' }),
    });
    return `${this.#app.address}/v1/oauth/authorize?${query}`;
  }

  async #redeem(answer: URLSearchParams): Promise<string> {
    const verifier = this.#pending.get(answer.get('state') ?? '');
    if (verifier === undefined) return 'unknown state';
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: this.clients.code,
      redirect_uri: `${this.origin}/callback`,
      code: answer.get('code') ?? '',
      code_verifier: verifier,
    });
    const reply = await fetch(`${this.#app.address}/v1/oauth/token`, { method: 'POST', body });
    const tokens = (await reply.json()) as { id_token?: string; error?: string };
    if (!tokens.id_token) return `${tokens.error}`;
    this.idToken = tokens.id_token;
    return String(decodeJwt(tokens.id_token)['email']);
  }
}
