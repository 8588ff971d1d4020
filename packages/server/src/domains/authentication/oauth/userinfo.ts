import { Type } from 'typebox';
import { type Route, route } from '../../../api/route.ts';
import { textOf } from '../../../api/shapes.ts';
import { Problem } from '../../../base/problem.ts';
import type { Records } from '../../../platform/records/records.ts';
import { hasScope } from './scopes.ts';
import { claimsReader } from './tokens/claims.ts';

const shape = Type.Object(
  { sub: textOf('Id of the user; the other claims follow from the scope') },
  { additionalProperties: true },
);

/**
 * Routes of GET and POST /v1/oauth/userinfo (OpenID Connect Core §5.3): claims by the scope of the access
 * token.
 */
export function userinfoRoutes(records: Records): Route[] {
  const claims = claimsReader(records.read);
  return (['GET', 'POST'] as const).map((method) =>
    route({
      method,
      path: '/v1/oauth/userinfo',
      operation: 'oauth.userinfo',
      tag: 'Sign-in',
      credentials: ['oauth2'],
      summary: 'Get the claims about the user of an access token',
      description: 'OpenID Connect Core §5.3. The token must have been granted the scope openid.',
      formBody: true,
      ...(method === 'POST' && { body: Type.Unknown({ description: 'Nothing' }) }),
      answers: { 200: { schema: shape, description: 'The claims' } },
      handle: async ({ caller }) => {
        if (caller.scope === undefined || !hasScope(caller.scope, 'openid'))
          throw new Problem(
            403,
            'INSUFFICIENT_SCOPE',
            'Send an access token that was granted the scope openid.',
            {
              headers: {
                'www-authenticate': 'Bearer realm="ploidy", error="insufficient_scope", scope="openid"',
              },
            },
          );
        return { sub: caller.userId, ...(await claims(caller.userId, caller.scope)) };
      },
    }),
  );
}
