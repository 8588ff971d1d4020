import type { Records } from '../../platform/records/records.ts';
import { type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import type { Audit } from '../audit/index.ts';
import type { Clients } from '../clients/index.ts';
import { authenticateClient, credentialsIn } from './client-authentication.ts';
import { tellOfGrant } from './events.ts';
import type { Grants } from './grants.ts';
import { OAuthError } from './oauth-error.ts';
import { parameterShapes } from './parameters.ts';
import { readRefreshToken } from './refresh-token.ts';
import { inFormat, tokenErrors, tokenProblem } from './token-answers.ts';
import { readForm } from './token-route.ts';
import type { Tokens } from './tokens.ts';

export interface RevokeParts {
  records: Records;
  audit: Audit;
  clients: Clients;
  grants: Grants;
  tokens: Tokens;
  refreshKey: Uint8Array;
}

const { accepted, described } = parameterShapes({
  required: ['token'],
  optional: ['token_type_hint', 'client_id', 'client_secret'],
});

/** POST /v1/oauth/revoke (RFC 7009). Either kind of token revokes its grant: what came of one sign-in ends together. */
export function revokeRoute(parts: RevokeParts): Route {
  return route({
    method: 'POST',
    path: '/v1/oauth/revoke',
    operation: 'oauth.revoke',
    tag: 'Sign-in',
    credentials: ['client'],
    summary: 'Revoke a refresh token or an access token',
    description: 'RFC 7009. Both revoke everything that the sign-in gave. An unknown token is no error.',
    formBody: true,
    problemPage: tokenProblem,
    body: accepted,
    described: { body: described },
    answers: {
      200: {
        schema: Type.Object({}),
        description: 'The token does not work, whether it did before or not',
        alsoAs: 'application/xml',
      },
      ...tokenErrors,
    },
    handle: ({ body, headers }) =>
      inFormat(headers, async () => {
        const fields = readForm(body);
        const client = await authenticateClient(parts.clients, credentialsIn(headers, fields));
        const { token } = fields;
        if (token === undefined) throw new OAuthError('invalid_request', 'token is missing.');
        const grantId =
          readRefreshToken(parts.refreshKey, token)?.grantId ??
          (await parts.tokens.readAccessToken(token))?.grantId;
        const grant = grantId === undefined ? undefined : await parts.grants.find(grantId);
        // Of another client: as unknown as one that does not exist (§2.1).
        if (grant && grant.client_id === client.id && grant.revoked_at === null)
          await parts.records.transact(async (tx) => {
            if ((await parts.grants.revoke(tx, { id: grant.id })) === 0) return;
            await tellOfGrant(parts.audit, tx, grant, client, { action: 'oauth.revoke', outcome: 'done' });
          });
        return {};
      }),
  });
}
