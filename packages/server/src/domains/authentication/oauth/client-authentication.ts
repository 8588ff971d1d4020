import { timingSafeEqual } from 'node:crypto';
import { tokenHash } from '../../../platform/secrets/secret-token.ts';
import type { Client, Clients } from '../clients/index.ts';
import { OAuthError } from './oauth-error.ts';

/** Credentials of a client at the token endpoint, from the header or the form. */
interface ClientCredentials {
  authorization: string | undefined;
  clientId: string | undefined;
  clientSecret: string | undefined;
}

/** Extracts the credentials of a client from a request. */
export function credentialsIn(
  headers: Record<string, string | string[] | undefined>,
  fields: Record<string, string | undefined>,
): ClientCredentials {
  return {
    authorization: headers['authorization'] as string | undefined,
    clientId: fields['client_id'],
    clientSecret: fields['client_secret'],
  };
}

/** Refuses a client with one message for every failure, so that it reveals no existing client. */
const unknownClient = () =>
  new OAuthError('invalid_client', 'The client is unknown, or its secret is missing or wrong.');

/**
 * Authenticates a client. A confidential one must prove its secret (RFC 6749 §2.3.1); a public one only names
 * itself.
 */
export async function authenticateClient(clients: Clients, credentials: ClientCredentials): Promise<Client> {
  const { id, secret } = readCredentials(credentials);
  const client = await clients.find(id);
  if (!client) throw unknownClient();
  if (client.secretHash === undefined) {
    // A client with keys has to sign (client-assertion.ts): its name alone proves nothing.
    if (client.jwks !== undefined || client.jwksUrl !== undefined) throw unknownClient();
    if (secret !== undefined && secret !== '') throw unknownClient();
    return client;
  }
  const given = Buffer.from(tokenHash(secret ?? ''), 'hex');
  if (secret === undefined || !timingSafeEqual(given, Buffer.from(client.secretHash, 'hex')))
    throw unknownClient();
  return client;
}

function readCredentials(credentials: ClientCredentials): { id: string; secret: string | undefined } {
  const { authorization, clientId, clientSecret } = credentials;
  const basic = authorization === undefined ? undefined : readBasic(authorization);
  if (!basic) {
    if (clientId === undefined || clientId === '')
      throw new OAuthError('invalid_request', 'client_id is missing.');
    return { id: clientId, secret: clientSecret };
  }
  if (clientSecret !== undefined)
    throw new OAuthError('invalid_request', 'Send the secret in the header or in the body, not in both.');
  if (clientId !== undefined && clientId !== basic.id)
    throw new OAuthError('invalid_request', 'client_id is not the client of the Authorization header.');
  return basic;
}

/**
 * Decodes Basic credentials: both halves are form-urlencoded before they are joined (RFC 6749 §2.3.1), so a
 * secret may contain a colon.
 */
function readBasic(header: string): { id: string; secret: string } | undefined {
  const match = /^basic +([A-Za-z0-9+/_=-]+) *$/i.exec(header);
  // Clients may send other schemes with every request; only Basic counts here.
  if (!/^basic( |$)/i.test(header)) return undefined;
  if (!match?.[1])
    throw new OAuthError(
      'invalid_client',
      'The Authorization header must be Basic, with client id and secret.',
    );
  const text = Buffer.from(match[1], 'base64').toString('utf8');
  const at = text.indexOf(':');
  if (at < 0)
    throw new OAuthError('invalid_client', 'The Authorization header must hold client id and secret.');
  return { id: formDecode(text.slice(0, at)), secret: formDecode(text.slice(at + 1)) };
}

function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replace(/\+/g, ' '));
  } catch {
    // Clients that do not encode send a raw `%`.
    return text;
  }
}
