import { newId } from '../../packages/server/src/base/ids.ts';
import type { Request, RouteCase } from './cases.ts';
import type { Household, Ids } from './world.ts';

/** A policy that grants no privilege. */
const harmless = { rules: { nothing: true } };
const json = (path: string, body: object): Request => ({ path, body });

async function freshClient({ call }: Household): Promise<Partial<Ids>> {
  const body = { name: newId(), callbackUrls: ['https://fresh.example/callback'] };
  return { client: (await call('POST', '/v1/clients', { body })).body.id };
}

const account = '/v1/account';

/** Accounts, groups, people, invitations, keys, clients and policies. */
export const peopleCases: Record<string, RouteCase> = {
  'GET /v1/account/groups': { ask: () => ({ path: `${account}/groups` }), namesNothing: true },
  'POST /v1/account/groups': { ask: () => json(`${account}/groups`, { name: newId() }), namesNothing: true },
  'GET /v1/account/groups/:id': { ask: (ids) => ({ path: `${account}/groups/${ids.group}` }) },
  'POST /v1/account/views': {
    ask: (ids) => json('/v1/account/views', { user: ids.user }),
    // Asks for accessAdmin as well.
    granted: 403,
  },
  'PUT /v1/account/groups/:id': {
    ask: (ids) => json(`${account}/groups/${ids.group}`, { type: 'open', description: 'Replaced' }),
    makesUnknown: true,
  },
  'DELETE /v1/account/groups/:id': {
    ask: (ids) => ({ path: `${account}/groups/${ids.group}` }),
    consumesGroup: true,
  },
  'GET /v1/account/groups/:id/members': {
    ask: (ids) => ({ path: `${account}/groups/${ids.group}/members` }),
  },
  'DELETE /v1/account/groups/:id/members': {
    ask: (ids) => ({ path: `${account}/groups/${ids.group}/members?username=${ids.user}` }),
    consumesGroup: true,
  },
  'DELETE /v1/account/groups/:id/members/:username': {
    ask: (ids) => ({ path: `${account}/groups/${ids.group}/members/${ids.user}` }),
    consumesGroup: true,
  },
  'PUT /v1/account/groups/:id/members/:username': {
    ask: (ids) => ({ path: `${account}/groups/${ids.group}/members/${ids.user}` }),
    bodiless: true,
  },
  'GET /v1/account/users': { ask: () => ({ path: `${account}/users` }), namesNothing: true },
  'GET /v1/account/users/:username/attributes': {
    ask: (ids) => ({ path: `${account}/users/${ids.user}/attributes` }),
  },
  'PUT /v1/account/users/:username/attributes': {
    ask: (ids) =>
      json(`${account}/users/${ids.user}/attributes`, { customAttributes: { mark: ids.account } }),
  },
  'GET /v1/user': { ask: () => ({ path: '/v1/user' }), namesNothing: true },
  'PATCH /v1/user': { ask: () => json('/v1/user', { profile: { givenName: 'Given' } }), namesNothing: true },
  'GET /v1/users/:username': { ask: (ids) => ({ path: `/v1/users/${ids.user}` }) },
  'GET /v1/users/:username/groups': {
    ask: (ids) => ({ path: `/v1/users/${ids.user}/groups` }),
    onlyOneself: true,
  },
  'GET /v1/users/:username/picture': { ask: (ids) => ({ path: `/v1/users/${ids.user}/picture` }) },
  'PUT /v1/users/:username/picture': {
    ask: (ids) => ({
      path: `/v1/users/${ids.user}/picture`,
      body: 'GIF89a',
      headers: { 'content-type': 'image/gif' },
    }),
    onlyOneself: true,
  },
  'DELETE /v1/users/:username/picture': {
    ask: (ids) => ({ path: `/v1/users/${ids.user}/picture` }),
    onlyOneself: true,
  },
  'GET /v1/transfers/pictures/:id': { ask: (ids) => ({ path: `/v1/transfers/pictures/${ids.picture}` }) },
  'GET /v1/accounts': { ask: () => ({ path: '/v1/accounts' }), namesNothing: true },
  'POST /v1/accounts': {
    ask: () => json('/v1/accounts', { name: `Made in a test ${newId()}` }),
    namesNothing: true,
  },
  'GET /v1/accounts/:id': { ask: (ids) => ({ path: `/v1/accounts/${ids.account}?include=groups` }) },
  'PATCH /v1/accounts/:id': { ask: (ids) => json(`/v1/accounts/${ids.account}`, { name: 'Renamed' }) },
  // Without `force` it is pending, and all else works on.
  'DELETE /v1/accounts/:id': { ask: (ids) => ({ path: `/v1/accounts/${ids.account}` }) },
  'GET /v1/api-keys': { ask: () => ({ path: '/v1/api-keys' }), namesNothing: true },
  'POST /v1/api-keys': {
    ask: () => json('/v1/api-keys', { name: 'Made in a test', expireInDays: 1 }),
    namesNothing: true,
  },
  'DELETE /v1/api-keys/:id': { ask: (ids) => ({ path: `/v1/api-keys/${ids.key}` }), onlyOwn: true },
  'GET /v1/invitations': { ask: () => ({ path: '/v1/invitations' }), namesNothing: true },
  // A user is invited twice.
  'POST /v1/invitations': {
    ask: (ids) => json('/v1/invitations', { group: ids.group, email: 'twice@example.test' }),
    granted: 409,
  },
  'GET /v1/invitations/:id': { ask: (ids) => ({ path: `/v1/invitations/${ids.invitation}` }) },
  // The job has ended.
  'PATCH /v1/invitations/:id': {
    ask: (ids) => json(`/v1/invitations/${ids.invitation}`, { status: 'REVOKED' }),
    granted: 409,
  },
  'POST /v1/invitations/:id/resend': {
    ask: (ids) => ({ path: `/v1/invitations/${ids.invitation}/resend` }),
    granted: 409,
    bodiless: true,
  },
  'GET /v1/set-up/invitation': { ask: () => ({ path: '/v1/set-up/invitation?token=guessed' }) },
  'POST /v1/set-up/invitation': {
    ask: () => ({
      path: '/v1/set-up/invitation',
      body: 'token=guessed&answer=accept&password=0123456789&repeated=0123456789',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  },
  'GET /v1/clients': { ask: () => ({ path: '/v1/clients' }), namesNothing: true },
  'POST /v1/clients': {
    ask: () => json('/v1/clients', { name: newId(), callbackUrls: ['https://made.example/callback'] }),
    namesNothing: true,
  },
  'GET /v1/clients/:clientId': { ask: (ids) => ({ path: `/v1/clients/${ids.client}` }) },
  'PUT /v1/clients/:clientId': { ask: (ids) => json(`/v1/clients/${ids.client}`, { name: 'Renamed' }) },
  'DELETE /v1/clients/:clientId': {
    ask: (ids) => ({ path: `/v1/clients/${ids.client}` }),
    fresh: freshClient,
  },
  'GET /v1/policies': { ask: () => ({ path: '/v1/policies' }), namesNothing: true },
  'POST /v1/policies': {
    ask: () => json('/v1/policies', { name: `Made in a test ${newId()}`, policy: harmless }),
    namesNothing: true,
  },
  'GET /v1/policies/:policyId': { ask: (ids) => ({ path: `/v1/policies/${ids.policy}` }) },
  'PUT /v1/policies/:policyId': {
    ask: (ids) => json(`/v1/policies/${ids.policy}`, { policy: harmless }),
  },
  // Not the one that it is now.
  'DELETE /v1/policies/:policyId': {
    ask: (ids) => ({ path: `/v1/policies/${ids.policy}`, headers: { 'if-match': '"another"' } }),
    granted: 412,
  },
  'POST /v1/policies/explain': {
    ask: () => json('/v1/policies/explain', { privilege: 'readData', resource: {} }),
    namesNothing: true,
  },
  'POST /v1/policies/preview': {
    ask: () =>
      json('/v1/policies/preview', {
        changes: [{ create: { name: `Not made ${newId()}`, policy: harmless } }],
      }),
    namesNothing: true,
  },
  'GET /v1/evaluated-policy': { ask: () => ({ path: '/v1/evaluated-policy' }), namesNothing: true },
  'GET /v1/set-up/password': { ask: () => ({ path: '/v1/set-up/password?token=guessed' }) },
  'POST /v1/set-up/password': {
    ask: () => ({
      path: '/v1/set-up/password',
      body: 'token=guessed&password=0123456789&repeated=0123456789',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  },
};
