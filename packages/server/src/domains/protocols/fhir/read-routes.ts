import { Type } from 'typebox';
import { Answer, type Route, route } from '../../../api/route.ts';
import { invalidInput, Problem } from '../../../base/problem.ts';
import {
  answerOf,
  described,
  type FhirRouteDeps,
  fhirRoot,
  found,
  idParam,
  inProject,
  locate,
  pairsIn,
  requireJson,
  typeParam,
} from './addresses.ts';
import type { ReadResource } from './fhir-api.ts';
import { fhirHeaders } from './outcome.ts';

/** Routes of one resource, of its version, and of all resources of a patient. */
export function readRoutes(deps: FhirRouteDeps): Route[] {
  return [everythingRoute(deps), readRoute(deps), versionRoute(deps), historyRoute(deps)];
}

function readRoute({ api, projects }: FhirRouteDeps): Route {
  return route({
    ...described,
    method: 'GET',
    path: `${fhirRoot}/:type/:id`,
    operation: 'fhir.read',
    summary: 'Read a resource',
    headers: ['If-None-Match'],
    params: Type.Object({ ...inProject, ...typeParam, ...idParam }),
    answers: {
      ...answerOf('The resource, as it was sent', true),
      304: { description: 'The version is known' },
    },
    locate: ({ params }) => locate(projects, params),
    handle: async ({ resource: project, params, url, headers, caller, signal }) => {
      requireJson(headers, pairsIn(url));
      const read = await api.read(project, params.type, params.id, { caller, signal });
      // Some clients send the version as it is.
      const known = String(headers['if-none-match'] ?? '').replace(/^(?:W\/)?"?|"$/g, '');
      const isKnown = read.versionId !== undefined && known === read.versionId;
      return isKnown ? new Answer(304, undefined, versionHeaders(read)) : shown(read);
    },
  });
}

function versionHeaders({ versionId, lastUpdated }: ReadResource): Record<string, string> {
  const updated = new Date(lastUpdated ?? Number.NaN);
  return {
    ...(versionId !== undefined && { etag: `W/"${versionId}"` }),
    ...(!Number.isNaN(updated.getTime()) && { 'last-modified': updated.toUTCString() }),
  };
}

const shown = (read: ReadResource): Answer =>
  new Answer(200, read.text, { ...fhirHeaders, ...versionHeaders(read) });

function versionRoute({ api, projects }: FhirRouteDeps): Route {
  return route({
    ...described,
    method: 'GET',
    path: `${fhirRoot}/:type/:id/_history/:version`,
    operation: 'fhir.read',
    summary: 'Read a version of a resource',
    description: 'Only the current version is kept: that of `meta.versionId`.',
    params: Type.Object({
      ...inProject,
      ...typeParam,
      ...idParam,
      version: Type.String({ maxLength: 255, description: 'Id of the version' }),
    }),
    answers: answerOf('The resource, as it was sent', true),
    locate: ({ params }) => locate(projects, params),
    handle: async ({ resource: project, params, url, headers, caller, signal }) => {
      requireJson(headers, pairsIn(url));
      const read = await api.read(project, params.type, params.id, { caller, signal });
      if (read.versionId === params.version) return shown(read);
      const message = 'Only the current version is kept, and it has another id. Read the resource itself.';
      throw new Problem(404, 'NOT_FOUND', message);
    },
  });
}

function historyRoute({ api, projects }: FhirRouteDeps): Route {
  return route({
    ...described,
    method: 'GET',
    path: `${fhirRoot}/:type/:id/_history`,
    operation: 'fhir.read',
    summary: 'Get the history of a resource',
    description: 'Only the current version is kept.',
    params: Type.Object({ ...inProject, ...typeParam, ...idParam }),
    answers: answerOf('Bundle of the current version'),
    locate: ({ params }) => locate(projects, params),
    handle: async ({ resource: project, params, url, headers, caller, signal }) => {
      requireJson(headers, pairsIn(url));
      refuseNarrowing(url, ['_since', '_at', '_list', '_count']);
      return found(await api.history(project, params.type, params.id, { caller, signal }));
    },
  });
}
function everythingRoute({ api, projects }: FhirRouteDeps): Route {
  return route({
    ...described,
    method: 'GET',
    path: `${fhirRoot}/Patient/:id/$everything`,
    operation: 'fhir.read',
    summary: 'Get all resources of a patient',
    params: Type.Object({ ...inProject, ...idParam }),
    query: Type.Object({
      _type: Type.Optional(Type.String({ maxLength: 4096, description: 'Types with commas between them' })),
      _count: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Resources of a page' })),
      _page: Type.Optional(Type.String({ maxLength: 16_384, description: 'From the link `next`' })),
    }),
    answers: answerOf('Bundle of a page'),
    locate: ({ params }) => locate(projects, params),
    handle: async ({ resource: project, params, query, url, headers, caller, signal }) => {
      requireJson(headers, pairsIn(url));
      refuseNarrowing(url, ['start', 'end', '_since']);
      const asked = { types: query._type, count: query._count, page: query._page };
      return found(await api.everything(project, params.id, asked, { caller, signal }));
    },
  });
}

/** Refuses parameters that would leave resources out, and are not offered. */
function refuseNarrowing(url: string, narrowing: readonly string[]): void {
  const names = narrowing.filter((name) => pairsIn(url).some(([one]) => one === name));
  if (names.length === 0) return;
  throw invalidInput(
    names.map((name) => ({ path: `query/${name}`, message: 'is not offered: leave it out' })),
  );
}
