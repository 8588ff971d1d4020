import { Type } from 'typebox';
import { Answer, type Route, route } from '../../route.ts';
import type { Client, Clients } from '../clients/index.ts';
import { authenticateClient, credentialsIn } from './client-authentication.ts';
import type { Exchange, TokenResponse } from './exchange.ts';
import { OAuthError } from './oauth-error.ts';
import { parameterShapes } from './parameters.ts';
import { tokenXml, wantsXml } from './xml.ts';

const { accepted, described } = parameterShapes({
  required: ['grant_type'],
  optional: ['client_id', 'client_secret', 'code', 'redirect_uri', 'refresh_token', 'code_verifier', 'scope'],
});

const responseShape = Type.Object({
  access_token: Type.String(),
  refresh_token: Type.Optional(Type.String()),
  id_token: Type.Optional(Type.String({ description: 'Only with the scope openid' })),
  token_type: Type.String(),
  expires_in: Type.Integer({ description: 'Seconds' }),
  scope: Type.String(),
});

export const oauthErrorShape = Type.Object({
  error: Type.String({ description: 'A code of RFC 6749 §5.2' }),
  error_description: Type.Optional(Type.String()),
});

/** POST /v1/oauth/token */
export function tokenRoute(parts: { clients: Clients; exchange: Exchange }): Route {
  return route({
    method: 'POST',
    path: '/v1/oauth/token',
    operation: 'oauth.token',
    tag: 'Sign-in',
    credentials: ['client'],
    summary: 'Exchange a code, a refresh token or client credentials for tokens',
    description:
      'RFC 6749 §3.2. JSON, or XML with `Accept: application/xml`. A client with a secret sends it in `Authorization: Basic` or as `client_secret`.',
    formBody: true,
    body: accepted,
    described: { body: described },
    answers: {
      200: { schema: responseShape, description: 'Tokens', alsoAs: 'application/xml' },
      400: {
        schema: oauthErrorShape,
        description: 'What was wrong, in the words of OAuth',
        alsoAs: 'application/xml',
      },
      401: {
        schema: oauthErrorShape,
        description: 'The client is unknown or its secret wrong',
        alsoAs: 'application/xml',
      },
    },
    handle: ({ body, headers }) =>
      inFormat(headers, async () => {
        const fields = readForm(body);
        const client = await authenticateClient(parts.clients, credentialsIn(headers, fields));
        return exchanged(parts.exchange, client, fields);
      }),
  });
}

type Fields = Record<string, string | undefined>;

/** RFC 6749 §3.2: no parameter more than once; one without a value is as if it were not there. */
export function readForm(body: object): Fields {
  const fields: Fields = {};
  for (const [name, value] of Object.entries(body)) {
    if (typeof value !== 'string')
      throw new OAuthError('invalid_request', `${name} is given more than once.`);
    if (value.length > 4096) throw new OAuthError('invalid_request', `${name} is too long.`);
    if (value !== '') fields[name] = value;
  }
  return fields;
}

async function exchanged(exchange: Exchange, client: Client, fields: Fields): Promise<TokenResponse> {
  const required = (name: string): string => {
    const value = fields[name];
    if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`);
    return value;
  };
  switch (required('grant_type')) {
    case 'authorization_code':
      return exchange.code(client, {
        code: required('code'),
        redirectUri: required('redirect_uri'),
        verifier: fields['code_verifier'],
      });
    case 'refresh_token':
      return exchange.refresh(client, { token: required('refresh_token'), scope: fields['scope'] });
    case 'client_credentials':
      return exchange.clientCredentials(client, fields['scope']);
    default:
      throw new OAuthError(
        'unsupported_grant_type',
        'grant_type must be authorization_code, refresh_token or client_credentials.',
      );
  }
}

/** Answers and errors of the token endpoint in the format that was asked for; never to be stored (RFC 6749 §5.1). */
export async function inFormat(
  headers: Record<string, string | string[] | undefined>,
  work: () => Promise<object>,
): Promise<Answer> {
  try {
    return formatted(headers, 200, await work());
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const body = { error: error.code, error_description: error.message };
    if (error.code !== 'invalid_client') return formatted(headers, 400, body);
    return formatted(headers, 401, body, { 'www-authenticate': 'Basic realm="ploidy", charset="UTF-8"' });
  }
}

function formatted(
  headers: Record<string, string | string[] | undefined>,
  status: number,
  body: object,
  more: Record<string, string> = {},
): Answer {
  const common = { 'cache-control': 'no-store', pragma: 'no-cache', vary: 'Accept', ...more };
  return wantsXml(headers['accept'])
    ? new Answer(status, tokenXml(body), { ...common, 'content-type': 'application/xml; charset=utf-8' })
    : new Answer(status, body, { ...common, 'content-type': 'application/json; charset=utf-8' });
}
