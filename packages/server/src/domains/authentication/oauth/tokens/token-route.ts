import { Type } from 'typebox';
import { type Route, route } from '../../../../api/route.ts';
import { optionalText, textOf } from '../../../../api/shapes.ts';
import type { Client } from '../../clients/index.ts';
import type { ClientAssertions } from '../client-assertion.ts';
import { OAuthError } from '../oauth-error.ts';
import { parameterShapes } from '../parameters.ts';
import type { Exchange, TokenResponse } from './redeem.ts';
import { inFormat, tokenErrors, tokenProblem } from './token-answers.ts';

/** Grant type of RFC 8628 §3.4. */
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

const { accepted, described } = parameterShapes({
  required: ['grant_type'],
  optional: [
    'client_id',
    'client_secret',
    'client_assertion',
    'client_assertion_type',
    'code',
    'redirect_uri',
    'refresh_token',
    'code_verifier',
    'device_code',
    'resource',
    'scope',
  ],
});

const responseShape = Type.Object(
  {
    access_token: textOf('Token for `Authorization: Bearer`'),
    refresh_token: optionalText('Token for further access tokens; absent for client credentials'),
    id_token: Type.Optional(Type.String({ description: 'Only with the scope openid' })),
    token_type: textOf('`Bearer`'),
    expires_in: Type.Integer({ description: 'Seconds' }),
    scope: Type.Optional(Type.String({ description: 'Absent where there is none (RFC 6749 §3.3)' })),
    patient: optionalText('Id of the patient of the launch, for the scopes `patient/` and `launch/patient`'),
  },
  { title: 'TokenResponse', xml: { name: 'tokenResponse' } },
);

interface TokenRouteDeps {
  assertions: ClientAssertions;
  exchange: Exchange;
}

/** Route POST /v1/oauth/token. */
export function tokenRoute(deps: TokenRouteDeps): Route {
  return route({
    method: 'POST',
    path: '/v1/oauth/token',
    operation: 'oauth.token',
    tag: 'Sign-in',
    credentials: ['client'],
    crossOrigin: true,
    summary: 'Exchange a code, a refresh token or client credentials for tokens',
    description:
      'RFC 6749 §3.2. JSON, or XML with `Accept: application/xml`. A client with a secret sends it in `Authorization: Basic` or as `client_secret`, one with keys a `client_assertion`.',
    formBody: true,
    problemPage: tokenProblem,
    body: accepted,
    described: { body: described },
    answers: {
      200: { schema: responseShape, description: 'Tokens', alsoAs: 'application/xml' },
      ...tokenErrors,
    },
    handle: ({ body, headers, requestId }) =>
      inFormat(headers, async () => {
        const fields = readForm(body);
        const client = await clientOf(deps, fields, headers);
        return exchanged(deps.exchange, client, fields, requestId);
      }),
  });
}

type Fields = Record<string, string | undefined>;

/** Authenticates the client. A refresh of a public client may leave out its name, which its token has (RFC 6749 §6). */
async function clientOf(
  { assertions, exchange }: TokenRouteDeps,
  fields: Fields,
  headers: Record<string, string | string[] | undefined>,
): Promise<Client> {
  const { grant_type: grantType, client_id: id, refresh_token: token = '' } = fields;
  const proofs = [id, headers['authorization'], fields['client_assertion']];
  const isNameless = proofs.every((proof) => proof === undefined);
  const named =
    isNameless && grantType === 'refresh_token' ? await exchange.clientOfRefresh(token) : undefined;
  return assertions.authenticate(headers, { ...fields, client_id: id ?? named });
}

/** Reads parameters: repeated ones are refused, empty ones count as absent (RFC 6749 §3.2). */
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

async function exchanged(
  exchange: Exchange,
  client: Client,
  fields: Fields,
  requestId: string,
): Promise<TokenResponse> {
  const required = (name: string): string => {
    const value = fields[name];
    if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`);
    return value;
  };
  switch (required('grant_type')) {
    case 'authorization_code':
      return exchange.code(
        client,
        {
          code: required('code'),
          redirectUri: required('redirect_uri'),
          verifier: fields['code_verifier'],
          resource: fields['resource'],
        },
        requestId,
      );
    case 'refresh_token':
      return exchange.refresh(
        client,
        { token: required('refresh_token'), scope: fields['scope'], resource: fields['resource'] },
        requestId,
      );
    case 'client_credentials':
      return exchange.clientCredentials(client, fields['scope'], requestId);
    case deviceGrant:
      return exchange.device(client, required('device_code'), requestId);
    default:
      throw new OAuthError(
        'unsupported_grant_type',
        'grant_type must be authorization_code, refresh_token, client_credentials or device_code.',
      );
  }
}
