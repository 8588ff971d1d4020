import { Type } from 'typebox';
import { type Route, route } from '../../../../api/route.ts';
import type { Records } from '../../../../platform/records/records.ts';
import type { Audit } from '../../../audit/index.ts';
import type { ClientAssertions } from '../client-assertion.ts';
import { recordGrantEvent } from '../events.ts';
import { OAuthError } from '../oauth-error.ts';
import { parameterShapes } from '../parameters.ts';
import type { Grants } from './grants.ts';
import { readRefreshToken } from './refresh-token.ts';
import { inFormat, tokenErrors, tokenProblem } from './token-answers.ts';
import { readForm } from './token-route.ts';
import type { Tokens } from './tokens.ts';

interface RevokeDeps {
  records: Records;
  audit: Audit;
  assertions: ClientAssertions;
  grants: Grants;
  tokens: Tokens;
  refreshKey: Uint8Array;
}

const { accepted, described } = parameterShapes({
  required: ['token'],
  optional: ['token_type_hint', 'client_id', 'client_secret', 'client_assertion', 'client_assertion_type'],
});

/**
 * Route POST /v1/oauth/revoke (RFC 7009). Either kind of token revokes its grant, with all tokens of the
 * sign-in.
 */
export function revokeRoute(deps: RevokeDeps): Route {
  return route({
    method: 'POST',
    path: '/v1/oauth/revoke',
    operation: 'oauth.revoke',
    tag: 'Sign-in',
    credentials: ['client'],
    summary: 'Revoke a refresh token or an access token',
    description: 'RFC 7009. Both revoke all tokens of the sign-in. An unknown token is no error.',
    formBody: true,
    problemPage: tokenProblem,
    body: accepted,
    described: { body: described },
    answers: {
      200: {
        schema: Type.Object({}),
        description: 'The token is invalid now',
        alsoAs: 'application/xml',
      },
      ...tokenErrors,
    },
    handle: ({ body, headers, requestId }) =>
      inFormat(headers, async () => {
        const fields = readForm(body);
        const client = await deps.assertions.authenticate(headers, fields);
        const { token } = fields;
        if (token === undefined) throw new OAuthError('invalid_request', 'token is missing.');
        const grantId =
          readRefreshToken(deps.refreshKey, token)?.grantId ??
          (await deps.tokens.readAccessToken(token))?.grantId;
        const grant = grantId === undefined ? undefined : await deps.grants.find(grantId);
        // A token of another client is treated as unknown (§2.1).
        if (grant && grant.client_id === client.id && grant.revoked_at === null)
          await deps.records.transact(async (tx) => {
            if ((await deps.grants.revoke(tx, { id: grant.id })) === 0) return;
            await recordGrantEvent(deps.audit, tx, grant, client, {
              action: 'oauth.revoke',
              outcome: 'done',
              requestId,
            });
          });
        return {};
      }),
  });
}
