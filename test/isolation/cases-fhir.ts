import type { RouteCase } from './cases.ts';
import type { Ids } from './world.ts';

const route = '/:account/v1/fhir/:project';
const at = (ids: Ids, path: string) => ({ path: `/${ids.account}/v1/fhir/${ids.project}/${path}` });
const inBackground = { prefer: 'respond-async' };
const ofPatient = (path: string): RouteCase => ({
  ask: (ids) => at(ids, `Patient/mark-of-${ids.account}${path}`),
  maskedStatus: 404,
});

/** Reads and searches of the FHIR interface. Its description is public and equal for every address. */
export const fhirCases: Record<string, RouteCase> = {
  [`GET ${route}/metadata`]: { ask: (ids) => at(ids, 'metadata'), namesNothing: true },
  [`GET ${route}/.well-known/smart-configuration`]: {
    ask: (ids) => at(ids, '.well-known/smart-configuration'),
    namesNothing: true,
  },
  [`GET ${route}/$export`]: { ask: (ids) => ({ ...at(ids, '$export'), headers: inBackground }) },
  [`GET ${route}/Patient/$export`]: {
    ask: (ids) => ({ ...at(ids, 'Patient/$export'), headers: inBackground }),
  },
  [`GET ${route}/Group/:id/$export`]: {
    ask: (ids) => ({ ...at(ids, `Group/${ids.cohort}/$export`), headers: inBackground }),
    maskedStatus: 403,
  },
  [`GET ${route}/$export/:id`]: { ask: (ids) => at(ids, `$export/${ids.export}`), onlyOwn: true },
  [`DELETE ${route}/$export/:id`]: { ask: (ids) => at(ids, `$export/${ids.export}`), onlyOwn: true },
  ...Object.fromEntries(
    [route, `${route}/`].map((path): [string, RouteCase] => [
      `POST ${path}`,
      {
        ask: (ids) => ({
          path: path.replace(':account', ids.account).replace(':project', ids.project),
          headers: { 'content-type': 'application/fhir+json' },
          body: { resourceType: 'Bundle', type: 'collection', entry: [] },
        }),
      },
    ]),
  ),
  [`GET ${route}/$ingestion/:id`]: { ask: (ids) => at(ids, `$ingestion/${ids.ingestion}`), granted: 200 },
  [`DELETE ${route}/$ingestion/:id`]: { ask: (ids) => at(ids, `$ingestion/${ids.ingestion}`), granted: 409 },
  [`GET ${route}/:type`]: {
    ask: (ids) => at(ids, 'Patient?_revinclude=Observation:subject'),
    further: [(ids) => at(ids, `Observation?patient:Patient._id=mark-of-${ids.account}`)],
  },
  [`POST ${route}/:type/_search`]: { ask: (ids) => at(ids, 'Patient/_search'), bodiless: true },
  [`GET ${route}/:type/:id`]: ofPatient(''),
  [`GET ${route}/:type/:id/_history`]: ofPatient('/_history'),
  [`GET ${route}/:type/:id/_history/:version`]: ofPatient('/_history/1'),
  [`GET ${route}/Patient/:id/$everything`]: ofPatient('/$everything'),
};
