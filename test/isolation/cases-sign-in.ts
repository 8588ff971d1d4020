import type { Request, RouteCase } from './cases.ts';

const json = (path: string, body: object): Request => ({ path, body });

const form = (path: string, fields: Record<string, string>): Request => ({
  path,
  body: new URLSearchParams(fields).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
});

const forged = { request: '', proof: 'guessed' };

/** Signing in: open to any caller, and useless without a client, a code or a token. */
export const signInCases: Record<string, RouteCase> = {
  'GET /v1/oauth/authorize': {
    ask: (ids) => ({ path: `/v1/oauth/authorize?response_type=code&client_id=${ids.client}` }),
    granted: 400,
  },
  'POST /v1/oauth/authorize': {
    ask: () => form('/v1/oauth/authorize', { client_id: 'nobody' }),
    granted: 400,
  },
  'GET /v1/oauth/sign-in': { ask: () => ({ path: '/v1/oauth/sign-in' }) },
  'POST /v1/oauth/sign-in': {
    ask: () => form('/v1/oauth/sign-in', { ...forged, email: 'a@example.test', password: 'guessed' }),
    granted: 400,
  },
  'POST /v1/oauth/second-step': {
    ask: () => form('/v1/oauth/second-step', { ...forged, step: 'guessed', code: '123456' }),
    granted: 400,
  },
  'POST /v1/oauth/command-line': { ask: () => form('/v1/oauth/command-line', forged), granted: 400 },
  'POST /v1/oauth/patient': {
    ask: () => form('/v1/oauth/patient', { ...forged, patient: 'p-0' }),
    granted: 400,
  },
  'GET /v1/oauth/forgotten-password': { ask: () => ({ path: '/v1/oauth/forgotten-password' }) },
  'POST /v1/oauth/forgotten-password': {
    ask: () => form('/v1/oauth/forgotten-password', { proof: 'guessed', email: 'a@example.test' }),
    granted: 400,
  },
  'GET /v1/oauth/logout': { ask: (ids) => ({ path: `/v1/oauth/logout?client_id=${ids.client}` }) },
  // With a proof it is the answer to a question that was never asked here.
  'POST /v1/oauth/logout': { ask: () => form('/v1/oauth/logout', { proof: 'guessed' }) },
  'POST /v1/oauth/device_authorization': {
    ask: (ids) => form('/v1/oauth/device_authorization', { client_id: ids.client }),
    granted: 400,
  },
  // A ticket is an unguessable secret; one of another form is refused before it is waited for.
  'GET /v1/oauth/external/:ticket': { ask: () => ({ path: '/v1/oauth/external/guessed' }), granted: 400 },
  'GET /v1/oauth/external/:ticket/token': {
    ask: () => ({ path: '/v1/oauth/external/guessed/token' }),
    granted: 400,
  },
  'GET /v1/set-up/console': {
    ask: () => ({ path: '/v1/set-up/console?token=guessed' }),
    granted: 403,
  },
  'POST /v1/set-up/console': {
    ask: () => form('/v1/set-up/console', { token: 'guessed', proof: 'guessed' }),
    granted: 403,
  },
  'GET /v1/device': { ask: () => ({ path: '/v1/device?user_code=BCDF-GHJK' }) },
  'POST /v1/device': {
    ask: () => form('/v1/device', { user_code: 'BCDF-GHJK', proof: 'guessed', decision: 'allow' }),
  },
  'POST /v1/oauth/token': {
    ask: (ids) =>
      form('/v1/oauth/token', {
        grant_type: 'refresh_token',
        client_id: ids.client,
        refresh_token: 'guessed',
      }),
    granted: 400,
  },
  'POST /v1/oauth/register': {
    ask: () => json('/v1/oauth/register', { client_name: 'x' }),
    granted: 400,
  },
  'POST /v1/oauth/introspect': {
    ask: () => form('/v1/oauth/introspect', { token: 'guessed' }),
    granted: 400,
  },
  'POST /v1/oauth/revoke': { ask: () => form('/v1/oauth/revoke', { token: 'guessed' }), granted: 400 },
  'GET /v1/oauth/userinfo': { ask: () => ({ path: '/v1/oauth/userinfo' }), namesNothing: true, granted: 403 },
  'POST /v1/oauth/userinfo': {
    ask: () => ({ path: '/v1/oauth/userinfo' }),
    namesNothing: true,
    granted: 403,
  },
  ...Object.fromEntries(
    ['openid-configuration', 'oauth-authorization-server']
      .flatMap((name) => [`/v1/.well-known/${name}`, `/.well-known/${name}`, `/.well-known/${name}/v1`])
      .concat('/v1/oauth/jwks')
      .map((path) => [`GET ${path}`, { ask: () => ({ path }), namesNothing: true as const }]),
  ),
};

/**
 * Sign-in of the caller. API keys, which these tests use, are limited to one account: they cannot even
 * list sessions.
 */
const wholeOnly = { namesNothing: true, granted: 403 } as const;
export const securityCases: Record<string, RouteCase> = {
  'GET /v1/audit-events': { ask: () => ({ path: '/v1/audit-events' }), namesNothing: true },
  'GET /v1/audit-events/verification': {
    ask: () => ({ path: '/v1/audit-events/verification' }),
    namesNothing: true,
  },
  'GET /v1/sessions': { ask: () => ({ path: '/v1/sessions' }), ...wholeOnly },
  'DELETE /v1/sessions/:id': { ask: (ids) => ({ path: `/v1/sessions/${ids.key}` }), ...wholeOnly },
  'PUT /v1/user/password': {
    ask: () => json('/v1/user/password', { currentPassword: 'guessed', password: 'wnpfkqzmxu' }),
    ...wholeOnly,
  },
  'GET /v1/security': { ask: () => ({ path: '/v1/security' }), ...wholeOnly },
  'POST /v1/security/password': {
    ask: () =>
      form('/v1/security/password', { proof: 'x', current: 'x', password: 'guessed', repeated: 'guessed' }),
    ...wholeOnly,
  },
  'GET /v1/security/second-factor': { ask: () => ({ path: '/v1/security/second-factor' }), ...wholeOnly },
  'POST /v1/security/second-factor': {
    ask: () =>
      form('/v1/security/second-factor', { proof: 'x', secret: 'x', code: '123456', current: 'guessed' }),
    ...wholeOnly,
  },
  'POST /v1/security/second-factor/remove': {
    ask: () => form('/v1/security/second-factor/remove', { proof: 'x', current: 'guessed' }),
    ...wholeOnly,
  },
  'POST /v1/security/recovery-codes': {
    ask: () => form('/v1/security/recovery-codes', { proof: 'x', current: 'guessed' }),
    ...wholeOnly,
  },
  'POST /v1/security/sessions': {
    ask: (ids) => form('/v1/security/sessions', { proof: 'x', id: ids.key }),
    ...wholeOnly,
  },
};

/** Signing in through SAML: open to any caller, and useless without the credentials of the provider or this browser. */
export const samlCases: Record<string, RouteCase> = {
  'GET /v1/saml/metadata': { ask: () => ({ path: '/v1/saml/metadata' }), namesNothing: true },
  'GET /v1/saml/sign-in': {
    ask: (ids) => ({
      path: `/v1/saml/sign-in?request=${encodeURIComponent(`response_type=code&client_id=${ids.client}`)}`,
    }),
    granted: 400,
  },
  'POST /v1/saml/acs': {
    ask: () => form('/v1/saml/acs', { SAMLResponse: 'Z3Vlc3NlZA==', RelayState: 'guessed' }),
    granted: 403,
  },
  'GET /v1/saml/finish': { ask: () => ({ path: '/v1/saml/finish?handle=guessed' }), granted: 403 },
  'POST /v1/saml/finish': {
    ask: () => form('/v1/saml/finish', { handle: 'guessed', proof: 'guessed' }),
    granted: 403,
  },
};
