import type { IncomingMessage, ServerResponse } from 'node:http';
import { type FhirServerOptions, send } from './server.ts';

/** The token endpoint of the FHIR server: client credentials, with the secret in the header. */
export class Tokens {
  readonly given: string[] = [];
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

  /** No token that was given up to now works any more. */
  revokeAll(): void {
    this.#revoked = new Set(this.given);
  }

  statement(base: string): object {
    if (this.#client?.stated !== 'metadata') return {};
    const uris = 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris';
    return { extension: [{ url: uris, extension: [{ url: 'token', valueUri: `${base}/token` }] }] };
  }

  answer(request: IncomingMessage, response: ServerResponse, body: string, base: string): ServerResponse {
    if (request.url?.endsWith('smart-configuration')) {
      if (this.#client?.stated === 'metadata') return send(response, 404, '');
      const document = { token_endpoint: `${base}/token`, scopes_supported: ['system/*.read'] };
      return send(response, 200, JSON.stringify(document));
    }
    const { id, secret, lifeS = 300 } = this.#client ?? { id: '', secret: '' };
    const wanted = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
    const form = new URLSearchParams(body);
    if (request.headers.authorization !== wanted || form.get('grant_type') !== 'client_credentials')
      return send(response, 401, JSON.stringify({ error: 'invalid_client' }));
    const token = `token-${this.given.length + 1}-of-${id}`;
    this.given.push(token);
    return send(
      response,
      200,
      JSON.stringify({ access_token: token, token_type: 'bearer', expires_in: lifeS }),
    );
  }
}
