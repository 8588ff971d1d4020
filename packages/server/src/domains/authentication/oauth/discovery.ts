import { Type } from 'typebox';
import { Answer, type Route, route } from '../../../api/route.ts';
import { scopes } from '../clients/index.ts';
import { assertionAlgorithms } from './client-assertion.ts';
import type { TokenKeys } from './tokens/token-keys.ts';
import { deviceGrant } from './tokens/token-route.ts';

const tag = 'Sign-in';
/** Keys are published long before use, so caching for an hour is safe. */
const cached = { 'cache-control': 'public, max-age=3600', 'access-control-allow-origin': '*' };

/** Returns the metadata for clients (OpenID Connect Discovery §3, RFC 8414 §2, RFC 9207 §3). */
export function serverMetadata(issuer: string, registers = false) {
  const at = (name: string) => `${issuer}/oauth/${name}`;
  const authentication = ['client_secret_basic', 'client_secret_post', 'none'];
  return {
    issuer,
    authorization_endpoint: at('authorize'),
    token_endpoint: at('token'),
    userinfo_endpoint: at('userinfo'),
    jwks_uri: at('jwks'),
    revocation_endpoint: at('revoke'),
    introspection_endpoint: at('introspect'),
    device_authorization_endpoint: at('device_authorization'),
    end_session_endpoint: at('logout'),
    ...(registers && { registration_endpoint: at('register') }),
    scopes_supported: [...scopes, 'launch/patient', 'patient/*.rs', 'user/*.rs', 'system/*.rs'],
    response_types_supported: ['code', 'token'],
    response_modes_supported: ['query'],
    grant_types_supported: [
      'authorization_code',
      'implicit',
      'refresh_token',
      'client_credentials',
      deviceGrant,
    ],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: [...authentication, 'private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    revocation_endpoint_auth_methods_supported: [...authentication, 'private_key_jwt'],
    revocation_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    introspection_endpoint_auth_methods_supported: [...authentication, 'private_key_jwt'],
    introspection_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    code_challenge_methods_supported: ['S256'],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    claims_supported: [
      'sub',
      'iss',
      'aud',
      'exp',
      'iat',
      'auth_time',
      'nonce',
      'amr',
      'sid',
      'name',
      'family_name',
      'given_name',
      'preferred_username',
      'email',
      'email_verified',
      'phone_number',
    ],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    authorization_response_iss_parameter_supported: true,
  };
}

/**
 * Routes of discovery under `{base_url}` and at the root (docs/api/sign-in.md),
 * and of the public keys.
 */
export function discoveryRoutes(keys: TokenKeys, issuer: () => string, registers: boolean): Route[] {
  const described = { schema: Type.Object({}, { additionalProperties: true }), description: 'The document' };
  const document = (name: string): Route =>
    route({
      method: 'GET',
      path: `/v1/.well-known/${name}`,
      // RFC 8414 §3.1 puts the second between the host and the path of the issuer.
      aliases: [`/.well-known/${name}`, `/.well-known/${name}/v1`],
      operation: 'oauth.discovery',
      tag,
      summary: 'Get endpoints and supported features',
      answers: { 200: described },
      handle: async () => new Answer(200, serverMetadata(issuer(), registers), cached),
    });
  return [
    document('openid-configuration'),
    document('oauth-authorization-server'),
    route({
      method: 'GET',
      path: '/v1/oauth/jwks',
      operation: 'oauth.discovery',
      tag,
      summary: 'List the public keys that verify id tokens and access tokens (RFC 7517)',
      answers: { 200: described },
      handle: async () => new Answer(200, { keys: await keys.published() }, cached),
    }),
  ];
}
