import type { Records } from '../../platform/records/records.ts';
import { Problem } from '../../problem.ts';
import { type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { claimsReader } from './claims.ts';
import { hasScope } from './scopes.ts';

const shape = Type.Object({ sub: Type.String() }, { additionalProperties: true });

/** GET and POST /v1/oauth/userinfo (OpenID Connect Core §5.3): what the scope of the access token opens. */
export function userinfoRoutes(records: Records): Route[] {
  const claims = claimsReader(records.read);
  return (['GET', 'POST'] as const).map((method) =>
    route({
      method,
      path: '/v1/oauth/userinfo',
      operation: 'oauth.userinfo',
      tag: 'Sign-in',
      credentials: ['oauth2'],
      summary: 'Claims about the user of an access token',
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
