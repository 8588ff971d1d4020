import { newId } from '../../packages/server/src/base/ids.ts';
import { cohortCases, exportCases, phenopacketCases, savedQueryCases } from './cases-cohorts.ts';
import { ehrCases } from './cases-ehrs.ts';
import { beaconCases, genomicsCases } from './cases-genomics.ts';
import { htsgetCases } from './cases-htsget.ts';
import { openCases, remoteCases } from './cases-remote.ts';
import { samlCases, securityCases, signInCases } from './cases-sign-in.ts';
import { trinoCases } from './cases-trino.ts';
import type { Household, Ids } from './world.ts';

/** A request for one route of the catalogue. */
export interface Request {
  /** Path with the query. */
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Requests to one route, about real resources or about missing ones. */
export interface RouteCase {
  ask: (ids: Ids) => Request;
  /** Requests that name further resources and need further rights. */
  further?: ((ids: Ids) => Request)[];
  /** Status for a caller with exactly the right; by default the route's first 2xx. */
  granted?: number;
  /** The route is about the header's account or the caller, so outsiders receive their own data. */
  namesNothing?: true;
  /** A route for a caller's own things: those of others are 404. */
  onlyOwn?: true;
  /** The request uses up the file, so that each one that may succeed needs a fresh one. */
  consumesFile?: true;
  /** The request uses up the group, or its member: each one that may succeed needs a fresh group with the user in it. */
  consumesGroup?: true;
  /** A route about oneself: others of the account get 403. */
  onlyOneself?: true;
  /** PUT makes what is not there under an id of the client's, so that only ids of others are 404. */
  makesUnknown?: true;
  /** A POST or PUT that needs no body and reads none. */
  bodiless?: true;
  /** The request uses up what it names: makes, as the owner, a fresh one for each that may succeed. */
  fresh?: (owner: Household) => Promise<Partial<Ids>>;
}

const lake = '/analytics/data-lake';
/** A policy that grants nothing of the account. */
const harmless = { rules: { nothing: true } };
const json = (path: string, body: object): Request => ({ path, body });

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
    [`POST ${root}/rows`]: {
      ask: (ids) => json(`${root}/rows`, { datasetId: ids.project, query: 'SELECT 1' }),
    },
    [`GET ${root}/query/:queryId`]: { ask: (ids) => ({ path: `${root}/query/${ids.query}` }) },
    // Another user's resource: needs projectAdmin as well.
    [`DELETE ${root}/query/:queryId`]: {
      ask: (ids) => ({ path: `${root}/query/${ids.query}` }),
      granted: 403,
    },
  };
}

const account = '/v1/account';

/** Groups, who is in them, and people. */
const peopleCases: Record<string, RouteCase> = {
  'GET /v1/account/groups': { ask: () => ({ path: `${account}/groups` }), namesNothing: true },
  'POST /v1/account/groups': { ask: () => json(`${account}/groups`, { name: newId() }), namesNothing: true },
  'GET /v1/account/groups/:id': { ask: (ids) => ({ path: `${account}/groups/${ids.group}` }) },
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
};

/** Every route of the catalogue, by method and path. */
export const cases: Record<string, RouteCase> = {
  ...peopleCases,
  ...lakeCases('/api/v1'),
  ...lakeCases('/v1'),
  ...cohortCases,
  ...savedQueryCases,
  ...exportCases,
  ...phenopacketCases,
  ...signInCases,
  ...securityCases,
  ...samlCases,
  ...ehrCases,
  ...genomicsCases,
  ...beaconCases,
  ...htsgetCases,
  ...trinoCases,
  ...openCases,
  ...remoteCases,
  'GET /healthz': { ask: () => ({ path: '/healthz' }), namesNothing: true },
  'GET /readyz': { ask: () => ({ path: '/readyz' }), namesNothing: true },
  'GET /metrics': { ask: () => ({ path: '/metrics' }), namesNothing: true },
  'GET /v1/version': { ask: () => ({ path: '/v1/version' }), namesNothing: true },
  'GET /v1/accounts': { ask: () => ({ path: '/v1/accounts' }), namesNothing: true },
  'POST /v1/accounts': {
    ask: () => json('/v1/accounts', { name: `Made in a test ${newId()}` }),
    namesNothing: true,
  },
  'GET /v1/accounts/:id': { ask: (ids) => ({ path: `/v1/accounts/${ids.account}?include=groups` }) },
  'PATCH /v1/accounts/:id': { ask: (ids) => json(`/v1/accounts/${ids.account}`, { name: 'Renamed' }) },
  // Without `force` it is pending, and all else works on.
  'DELETE /v1/accounts/:id': { ask: (ids) => ({ path: `/v1/accounts/${ids.account}` }) },
  'GET /v1/projects': { ask: () => ({ path: '/v1/projects' }), namesNothing: true },
  'POST /v1/projects': {
    ask: () => json('/v1/projects', { name: `Made in a test ${newId()}` }),
    namesNothing: true,
  },
  'GET /v1/projects/:id': {
    ask: (ids) => ({ path: `/v1/projects/${ids.project}` }),
    further: [(ids) => ({ path: `/v1/projects/${ids.project}?include=storage` })],
  },
  'PATCH /v1/projects/:id': { ask: (ids) => json(`/v1/projects/${ids.project}`, { description: 'New' }) },
  'DELETE /v1/projects/:id': { ask: (ids) => ({ path: `/v1/projects/${ids.project}` }) },
  'GET /v1/files': { ask: (ids) => ({ path: `/v1/files?datasetId=${ids.project}` }) },
  'POST /v1/files': { ask: (ids) => json('/v1/files', { name: newId(), datasetId: ids.project }) },
  'GET /v1/files/:id': { ask: (ids) => ({ path: `/v1/files/${ids.file}?include=downloadUrl` }) },
  'GET /ga4gh/drs/v1/service-info': {
    ask: () => ({ path: '/ga4gh/drs/v1/service-info' }),
    namesNothing: true,
  },
  'GET /ga4gh/drs/v1/objects/:id': { ask: (ids) => ({ path: `/ga4gh/drs/v1/objects/${ids.file}` }) },
  'GET /ga4gh/drs/v1/objects/:id/access/:accessId': {
    ask: (ids) => ({ path: `/ga4gh/drs/v1/objects/${ids.file}/access/https` }),
  },
  'PATCH /v1/files/:id': {
    ask: (ids) => json(`/v1/files/${ids.file}`, { name: newId() }),
    consumesFile: true,
  },
  'GET /v1/projects/:id/files': { ask: (ids) => ({ path: `/v1/projects/${ids.project}/files?prefix=` }) },
  'POST /v1/uploads': { ask: (ids) => json('/v1/uploads', { name: newId(), datasetId: ids.project }) },
  'GET /v1/uploads/:id/parts/:number': {
    ask: (ids) => ({ path: `/v1/uploads/${ids.partedUpload}/parts/1` }),
  },
  // The upload has no part yet.
  'DELETE /v1/uploads/:id': { ask: (ids) => ({ path: `/v1/uploads/${ids.partedUpload}` }), granted: 409 },
  'PUT /v1/transfers/uploads/:id/parts/:number': {
    ask: (ids) => ({ path: `/v1/transfers/uploads/${ids.partedUpload}/parts/1` }),
  },
  'DELETE /v1/files/:id': { ask: (ids) => ({ path: `/v1/files/${ids.file}` }), consumesFile: true },
  'PUT /v1/transfers/uploads/:id': { ask: (ids) => ({ path: `/v1/transfers/uploads/${ids.upload}` }) },
  'GET /v1/transfers/files/:id': { ask: (ids) => ({ path: `/v1/transfers/files/${ids.file}` }) },
  'POST /v1/ingestions': {
    ask: (ids) => json('/v1/ingestions', { datasetId: ids.project, fileId: ids.file, type: 'fhir' }),
    // Another ingestion of a file requires another right.
    consumesFile: true,
  },
  'GET /v1/ingestions': { ask: (ids) => ({ path: `/v1/ingestions?datasetId=${ids.project}` }) },
  'GET /v1/ingestions/:id': { ask: (ids) => ({ path: `/v1/ingestions/${ids.ingestion}` }) },
  // The job has ended.
  'DELETE /v1/ingestions/:id': { ask: (ids) => ({ path: `/v1/ingestions/${ids.ingestion}` }), granted: 409 },
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
