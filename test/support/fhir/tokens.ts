import type { IncomingMessage, ServerResponse } from 'node:http';
import { Assertions } from './assertions.ts';
import { type FhirServerOptions, send } from './server.ts';

/** The token endpoint of the FHIR server: client credentials, with the secret in the header, or a signed assertion. */
export class Tokens {
  readonly given: string[] = [];
  /** The scopes that were asked for. */
  readonly asked: string[] = [];
  readonly assertions = new Assertions();
  #revoked = new Set<string>();
  readonly #client: FhirServerOptions['oauth2'];

  constructor(client: FhirServerOptions['oauth2']) {
    this.#client = client;
  }

  takes(url: string): boolean {
    return this.#client !== undefined && (url === 'token' || url === '.well-known/smart-configuration');
  }

  accepts(authorization: string | undefined): boolean {
    const token = authorization?.replace(/^Bearer /, '') ?? '';
    return this.given.includes(token) && !this.#revoked.has(token);
  }

  /** Revokes all tokens that were granted up to now. */
  revokeAll(): void {
    this.#revoked = new Set(this.given);
  }

  statement(base: string): object {
    if (this.#client?.stated !== 'metadata') return {};
    const uris = 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris';
    return { extension: [{ url: uris, extension: [{ url: 'token', valueUri: `${base}/token` }] }] };
  }

  async answer(
    request: IncomingMessage,
    response: ServerResponse,
    body: string,
    base: string,
  ): Promise<ServerResponse> {
    const { stated, lifeS = 300, id = '', scopes, configuration, refusesNone, given } = this.#client ?? {};
    const url = `${base}/token`;
    if (request.url?.endsWith('smart-configuration')) {
      if (stated === 'metadata') return send(response, 404, '');
      const document = { token_endpoint: url, scopes_supported: ['system/*.read'], ...configuration };
      return send(response, 200, JSON.stringify(document));
    }
    const form = new URLSearchParams(body);
    const refuse = (status: number, error: string) => send(response, status, JSON.stringify({ error }));
    if (form.get('grant_type') !== 'client_credentials') return refuse(400, 'unsupported_grant_type');
    if (!(await this.#isClient(request.headers.authorization, form, url)))
      return refuse(401, 'invalid_client');
    const scope = form.get('scope') ?? '';
    this.asked.push(scope);
    if (refusesNone !== undefined && scope === '') return refuse(400, refusesNone);
    if (scopes !== undefined && !scopes.includes(scope)) return refuse(400, 'invalid_scope');
    const token = `token-${this.given.length + 1}-of-${id}`;
    this.given.push(token);
    const answer = { access_token: token, token_type: 'bearer', expires_in: lifeS, scope: given };
    return send(response, 200, JSON.stringify(answer));
  }

  async #isClient(authorization: string | undefined, form: URLSearchParams, url: string): Promise<boolean> {
    const { id = '', secret } = this.#client ?? {};
    if (secret !== undefined)
      return authorization === `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
    return authorization === undefined && this.assertions.accepts(form, id, url);
  }
}
