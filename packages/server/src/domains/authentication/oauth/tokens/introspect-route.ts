import { Type } from 'typebox';
import { asksPatient } from '../../../../access/smart-scopes.ts';
import { type Route, route } from '../../../../api/route.ts';
import { optionalText } from '../../../../api/shapes.ts';
import type { ClientAssertions } from '../client-assertion.ts';
import { OAuthError } from '../oauth-error.ts';
import { parameterShapes } from '../parameters.ts';
import type { AccessTokens } from './access-tokens.ts';
import type { Grants } from './grants.ts';
import { readRefreshToken } from './refresh-token.ts';
import { inFormat, tokenErrors, tokenProblem } from './token-answers.ts';
import { readForm } from './token-route.ts';

interface IntrospectDeps {
  assertions: ClientAssertions;
  accessTokens: AccessTokens;
  grants: Grants;
  refreshKey: Uint8Array;
  /** `{base_url}`. */
  issuer: () => string;
}

const { accepted, described } = parameterShapes({
  required: ['token'],
  optional: ['token_type_hint', 'client_id', 'client_secret', 'client_assertion', 'client_assertion_type'],
});

const shape = Type.Object(
  {
    active: Type.Boolean({ description: '`false`: expired, revoked, unknown, or of another client' }),
    iss: optionalText('Issuer'),
    sub: optionalText('Id of the user'),
    client_id: optionalText('Client of the token'),
    aud: optionalText('Resource that an access token is for'),
    exp: Type.Optional(Type.Integer({ description: 'End of the token, in seconds since 1970' })),
    scope: optionalText('Scopes with spaces between them'),
    token_type: optionalText('`Bearer`, of access tokens'),
    patient: optionalText('Id of the patient of the launch'),
  },
  { title: 'TokenState', xml: { name: 'tokenResponse' } },
);

/** Fields of an active token; `undefined` for any other. */
type TokenFields = { client_id: string; [name: string]: string | number } | undefined;

/** Route POST /v1/oauth/introspect (RFC 7662). A client learns the state of its own tokens only. */
export function introspectRoute(deps: IntrospectDeps): Route {
  return route({
    method: 'POST',
    path: '/v1/oauth/introspect',
    operation: 'oauth.introspect',
    tag: 'Sign-in',
    credentials: ['client'],
    summary: 'Get the state of a token',
    description: 'RFC 7662. A client sees its own tokens; others are inactive.',
    formBody: true,
    problemPage: tokenProblem,
    body: accepted,
    described: { body: described },
    answers: {
      200: { schema: shape, description: 'State of the token', alsoAs: 'application/xml' },
      ...tokenErrors,
    },
    handle: ({ body, headers }) =>
      inFormat(headers, async () => {
        const fields = readForm(body);
        const client = await deps.assertions.authenticate(headers, fields);
        const { token } = fields;
        if (token === undefined) throw new OAuthError('invalid_request', 'token is missing.');
        const found = (await accessTokenFields(deps, token)) ?? (await refreshTokenFields(deps, token));
        // Inactive tokens have no other field (§2.2).
        if (found?.client_id !== client.id) return { active: false };
        return { active: true, iss: deps.issuer(), ...found };
      }),
  });
}

async function accessTokenFields(
  { accessTokens, issuer }: IntrospectDeps,
  token: string,
): Promise<TokenFields> {
  const verified = await accessTokens.verify(token);
  if (!verified) return undefined;
  const { userId, client = '', scope = '', resource = issuer(), patient } = verified.principal;
  return {
    ...{ sub: userId, client_id: client, aud: resource, exp: secondsOf(verified.expiresAt) },
    ...{ token_type: 'Bearer', ...(scope !== '' && { scope }) },
    ...(patient !== undefined && asksPatient(scope) && { patient }),
  };
}

async function refreshTokenFields(
  { grants, refreshKey }: IntrospectDeps,
  text: string,
): Promise<TokenFields> {
  const token = readRefreshToken(refreshKey, text);
  const grant = token && (await grants.find(token.grantId));
  if (!grant || grant.revoked_at !== null || grant.expires_at <= Date.now()) return undefined;
  if (token.number !== grant.refresh_number) return undefined;
  return {
    ...{ sub: grant.user_id, client_id: grant.client_id, exp: secondsOf(grant.expires_at) },
    ...(grant.scope !== '' && { scope: grant.scope }),
  };
}

const secondsOf = (timeMs: number): number => Math.floor(timeMs / 1000);
