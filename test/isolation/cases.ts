import { newId } from '../../packages/server/src/ids.ts';
import type { Household, Ids } from './world.ts';

/** A request for one route of the catalogue. */
export interface Request {
  /** With the query. */
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** How one route is asked, about real things or about ghosts. */
export interface RouteCase {
  ask: (ids: Ids) => Request;
  /** The status for a caller who has exactly the right; the first 2xx of the route unless told otherwise. */
  granted?: number;
  /** It is about the account of the header or the caller himself, so that outsiders get what is their own. */
  namesNothing?: true;
  /** A route for things of one's own: those of anybody else are 404. */
  onlyOwn?: true;
  /** A POST that needs no body and reads none. */
  bodiless?: true;
  /** The request uses up what it names: makes, as the owner, a fresh one for each that may succeed. */
  fresh?: (owner: Household) => Promise<Partial<Ids>>;
}

const lake = '/analytics/data-lake';
const json = (path: string, body: object): Request => ({ path, body });

/** A file of the household that nobody will miss. */
async function freshFile({ call, ids }: Household): Promise<Partial<Ids>> {
  const begun = await call('POST', '/v1/files', { body: { name: newId(), datasetId: ids.project } });
  await fetch(begun.body.uploadUrl, { method: 'PUT', body: 'x' });
  return { file: begun.body.id };
}

async function freshClient({ call }: Household): Promise<Partial<Ids>> {
  const body = { name: newId(), callbackUrls: ['https://fresh.example/callback'] };
  return { client: (await call('POST', '/v1/clients', { body })).body.id };
}

/** Routes under both prefixes of the data lake. */
function lakeCases(prefix: string): Record<string, RouteCase> {
  const root = `${prefix}${lake}`;
  return {
    [`GET ${root}/schema`]: { ask: (ids) => ({ path: `${root}/schema?datasetId=${ids.project}` }) },
    [`GET ${root}/schema/:table`]: {
      ask: (ids) => ({ path: `${root}/schema/${ids.table}?datasetId=${ids.project}` }),
    },
    [`GET ${root}/query`]: { ask: (ids) => ({ path: `${root}/query?datasetId=${ids.project}` }) },
    [`POST ${root}/query`]: {
      ask: (ids) =>
        json(`${root}/query`, { datasetId: ids.project, query: 'SELECT 1', outputFileName: 'one.csv' }),
    },
    [`GET ${root}/query/:queryId`]: { ask: (ids) => ({ path: `${root}/query/${ids.query}` }) },
    // Of somebody else: it needs projectAdmin as well.
    [`DELETE ${root}/query/:queryId`]: {
      ask: (ids) => ({ path: `${root}/query/${ids.query}` }),
      granted: 403,
    },
  };
}

const form = (path: string, fields: Record<string, string>): Request => ({
  path,
  body: new URLSearchParams(fields).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
});

const forged = { request: '', proof: 'guessed' };

/** Signing in: open to anybody, and good for nothing without a client, a code or a token. */
const signInCases: Record<string, RouteCase> = {
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
  'GET /v1/oauth/forgotten-password': { ask: () => ({ path: '/v1/oauth/forgotten-password' }) },
  'POST /v1/oauth/forgotten-password': {
    ask: () => form('/v1/oauth/forgotten-password', { proof: 'guessed', email: 'a@example.test' }),
    granted: 400,
  },
  'GET /v1/oauth/logout': { ask: (ids) => ({ path: `/v1/oauth/logout?client_id=${ids.client}` }) },
  // With a proof it is the answer to a question that was never asked here.
  'POST /v1/oauth/logout': { ask: () => form('/v1/oauth/logout', { proof: 'guessed' }) },
  'POST /v1/oauth/token': {
    ask: (ids) =>
      form('/v1/oauth/token', {
        grant_type: 'refresh_token',
        client_id: ids.client,
        refresh_token: 'guessed',
      }),
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
      .flatMap((name) => [`/v1/.well-known/${name}`, `/.well-known/${name}`])
      .concat('/v1/oauth/jwks')
      .map((path) => [`GET ${path}`, { ask: () => ({ path }), namesNothing: true as const }]),
  ),
};

/**
 * How the caller signs in. Keys, with which these tests ask, are good for one account: they open nothing of it, and so cannot even
 * tell which sessions there are.
 */
const wholeOnly = { namesNothing: true, granted: 403 } as const;
const securityCases: Record<string, RouteCase> = {
  'GET /v1/sessions': { ask: () => ({ path: '/v1/sessions' }), ...wholeOnly },
  'DELETE /v1/sessions/:id': { ask: (ids) => ({ path: `/v1/sessions/${ids.key}` }), ...wholeOnly },
  'PUT /v1/user/password': {
    ask: () => json('/v1/user/password', { presentPassword: 'guessed', password: '0123456789' }),
    ...wholeOnly,
  },
  'GET /v1/security': { ask: () => ({ path: '/v1/security' }), ...wholeOnly },
  'POST /v1/security/password': {
    ask: () =>
      form('/v1/security/password', { proof: 'x', present: 'x', password: 'guessed', repeated: 'guessed' }),
    ...wholeOnly,
  },
  'GET /v1/security/second-factor': { ask: () => ({ path: '/v1/security/second-factor' }), ...wholeOnly },
  'POST /v1/security/second-factor': {
    ask: () =>
      form('/v1/security/second-factor', { proof: 'x', secret: 'x', code: '123456', present: 'guessed' }),
    ...wholeOnly,
  },
  'POST /v1/security/second-factor/remove': {
    ask: () => form('/v1/security/second-factor/remove', { proof: 'x', present: 'guessed' }),
    ...wholeOnly,
  },
  'POST /v1/security/recovery-codes': {
    ask: () => form('/v1/security/recovery-codes', { proof: 'x', present: 'guessed' }),
    ...wholeOnly,
  },
  'POST /v1/security/sessions': {
    ask: (ids) => form('/v1/security/sessions', { proof: 'x', id: ids.key }),
    ...wholeOnly,
  },
};

/** Every route of the catalogue, by method and path. */
export const cases: Record<string, RouteCase> = {
  ...lakeCases('/api/v1'),
  ...lakeCases('/v1'),
  ...signInCases,
  ...securityCases,
  'GET /healthz': { ask: () => ({ path: '/healthz' }), namesNothing: true },
  'GET /readyz': { ask: () => ({ path: '/readyz' }), namesNothing: true },
  'GET /metrics': { ask: () => ({ path: '/metrics' }), namesNothing: true },
  'GET /v1/accounts': { ask: () => ({ path: '/v1/accounts' }), namesNothing: true },
  'POST /v1/accounts': {
    ask: () => json('/v1/accounts', { name: `Made in a test ${newId()}` }),
    namesNothing: true,
  },
  'GET /v1/accounts/:id': { ask: (ids) => ({ path: `/v1/accounts/${ids.account}?include=groups` }) },
  'PATCH /v1/accounts/:id': { ask: (ids) => json(`/v1/accounts/${ids.account}`, { name: 'Renamed' }) },
  'GET /v1/projects': { ask: () => ({ path: '/v1/projects' }), namesNothing: true },
  'POST /v1/projects': {
    ask: () => json('/v1/projects', { name: `Made in a test ${newId()}` }),
    namesNothing: true,
  },
  'GET /v1/projects/:id': { ask: (ids) => ({ path: `/v1/projects/${ids.project}` }) },
  'PATCH /v1/projects/:id': { ask: (ids) => json(`/v1/projects/${ids.project}`, { description: 'New' }) },
  'GET /v1/files': { ask: (ids) => ({ path: `/v1/files?datasetId=${ids.project}` }) },
  'POST /v1/files': { ask: (ids) => json('/v1/files', { name: newId(), datasetId: ids.project }) },
  'GET /v1/files/:id': { ask: (ids) => ({ path: `/v1/files/${ids.file}?include=downloadUrl` }) },
  'DELETE /v1/files/:id': { ask: (ids) => ({ path: `/v1/files/${ids.file}` }), fresh: freshFile },
  'PUT /v1/transfers/uploads/:id': { ask: (ids) => ({ path: `/v1/transfers/uploads/${ids.upload}` }) },
  'GET /v1/transfers/files/:id': { ask: (ids) => ({ path: `/v1/transfers/files/${ids.file}` }) },
  'POST /v1/ingestions': {
    ask: (ids) => json('/v1/ingestions', { datasetId: ids.project, fileId: ids.file, type: 'fhir' }),
  },
  'GET /v1/ingestions': { ask: (ids) => ({ path: `/v1/ingestions?datasetId=${ids.project}` }) },
  'GET /v1/ingestions/:id': { ask: (ids) => ({ path: `/v1/ingestions/${ids.ingestion}` }) },
  // It has ended.
  'DELETE /v1/ingestions/:id': { ask: (ids) => ({ path: `/v1/ingestions/${ids.ingestion}` }), granted: 409 },
  'GET /v1/api-keys': { ask: () => ({ path: '/v1/api-keys' }), namesNothing: true },
  'POST /v1/api-keys': {
    ask: () => json('/v1/api-keys', { name: 'Made in a test', expireInDays: 1 }),
    namesNothing: true,
  },
  'DELETE /v1/api-keys/:id': { ask: (ids) => ({ path: `/v1/api-keys/${ids.key}` }), onlyOwn: true },
  'GET /v1/invitations': { ask: () => ({ path: '/v1/invitations' }), namesNothing: true },
  // Somebody is invited twice.
  'POST /v1/invitations': {
    ask: (ids) => json('/v1/invitations', { group: ids.group, email: 'twice@example.test' }),
    granted: 409,
  },
  'GET /v1/invitations/:id': { ask: (ids) => ({ path: `/v1/invitations/${ids.invitation}` }) },
  // It has ended.
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
  'GET /v1/set-up/password': { ask: () => ({ path: '/v1/set-up/password?token=guessed' }) },
  'POST /v1/set-up/password': {
    ask: () => ({
      path: '/v1/set-up/password',
      body: 'token=guessed&password=0123456789&repeated=0123456789',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  },
};
