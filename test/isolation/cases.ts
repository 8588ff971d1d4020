import {
  assistantCases,
  cohortCases,
  exportCases,
  phenopacketCases,
  reportCases,
  sampleCases,
  savedQueryCases,
} from './cases-cohorts.ts';
import { ehrCases } from './cases-ehrs.ts';
import { eventCases } from './cases-events.ts';
import { fhirCases } from './cases-fhir.ts';
import { fileCases } from './cases-files.ts';
import { beaconCases, genomicsCases } from './cases-genomics.ts';
import { htsgetCases } from './cases-htsget.ts';
import { lakeCases } from './cases-lake.ts';
import { peopleCases } from './cases-people.ts';
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
  /** Status for a reader of masked values: 404 under a real id, 403 where another right is needed as well. */
  maskedStatus?: 403 | 404;
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

/** Every route of the catalogue, by method and path. */
export const cases: Record<string, RouteCase> = {
  ...peopleCases,
  ...fileCases,
  ...lakeCases('/api/v1'),
  ...lakeCases('/v1'),
  ...assistantCases,
  ...cohortCases,
  ...savedQueryCases,
  ...reportCases,
  ...sampleCases,
  ...exportCases,
  ...phenopacketCases,
  ...fhirCases,
  ...signInCases,
  ...securityCases,
  ...samlCases,
  ...ehrCases,
  ...eventCases,
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
};
