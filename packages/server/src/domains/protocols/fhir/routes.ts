import { Type } from 'typebox';
import { Answer, type Route, route } from '../../../api/route.ts';
import { serverMetadata } from '../../authentication/oauth/index.ts';
import {
  answerOf,
  described,
  type FhirRouteDeps,
  fhirRoot,
  found,
  inProject,
  locate,
  pairsIn,
  requireJson,
  typeParam,
} from './addresses.ts';
import { capabilityStatement, smartConfiguration } from './capabilities.ts';
import { fhirErrors, fhirHeaders } from './outcome.ts';
import { readRoutes } from './read-routes.ts';
import type { Pairs } from './search.ts';

const searchWords = Type.Object(
  {
    _page: Type.Optional(Type.String({ description: 'From the link `next` of the page before' })),
    _count: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Matches of a page' })),
  },
  { additionalProperties: Type.String({ description: 'Search parameters of `metadata`' }) },
);

/** Routes of the FHIR R4 interface of a project. */
export function fhirRoutes(deps: FhirRouteDeps): Route[] {
  return [metadataRoute(deps), smartRoute(deps), searchRoute(deps), formRoute(deps), ...readRoutes(deps)];
}

function metadataRoute({ publicUrl, startedAt }: FhirRouteDeps): Route {
  return route({
    ...described,
    method: 'GET',
    path: `${fhirRoot}/metadata`,
    operation: 'fhir.describe',
    summary: 'Get the capabilities of the FHIR interface',
    description: 'Equal for all projects.',
    params: Type.Object(inProject),
    answers: answerOf('CapabilityStatement'),
    handle: async () => {
      const statement = capabilityStatement(serverMetadata(`${publicUrl()}/v1`), startedAt);
      return new Answer(200, JSON.stringify(statement), fhirHeaders);
    },
  });
}

function smartRoute({ publicUrl }: FhirRouteDeps): Route {
  return route({
    ...described,
    method: 'GET',
    path: `${fhirRoot}/.well-known/smart-configuration`,
    operation: 'fhir.describe',
    summary: 'Get the configuration of SMART clients',
    params: Type.Object(inProject),
    answers: {
      200: {
        schema: Type.Object({}, { additionalProperties: true }),
        description: 'As SMART App Launch has it',
      },
      ...fhirErrors,
    },
    handle: async () => smartConfiguration(serverMetadata(`${publicUrl()}/v1`)),
  });
}

function searchRoute({ api, projects }: FhirRouteDeps): Route {
  return route({
    ...described,
    method: 'GET',
    path: `${fhirRoot}/:type`,
    operation: 'fhir.read',
    summary: 'Search resources of a type',
    description:
      'Callers who see all resources masked get those of the masked tables; others only those that they see in full.',
    headers: ['Prefer'],
    params: Type.Object({ ...inProject, ...typeParam }),
    described: { query: searchWords },
    answers: answerOf('Bundle of a page'),
    locate: ({ params }) => locate(projects, params),
    handle: async ({ resource: project, params, url, headers, caller, signal }) => {
      requireJson(headers, pairsIn(url));
      const asked = askedBy(pairsIn(url), headers);
      return found(await api.search(project, params.type, asked, { caller, signal }));
    },
  });
}

function formRoute({ api, projects }: FhirRouteDeps): Route {
  return route({
    ...described,
    method: 'POST',
    path: `${fhirRoot}/:type/_search`,
    operation: 'fhir.read',
    onlyReads: true,
    formBody: true,
    summary: 'Search resources of a type by a form',
    headers: ['Prefer'],
    params: Type.Object({ ...inProject, ...typeParam }),
    body: Type.Object(
      {},
      {
        additionalProperties: Type.Union([Type.String(), Type.Array(Type.String())], {
          description: 'Search parameters of `metadata`',
        }),
      },
    ),
    answers: answerOf('Bundle of a page'),
    locate: ({ params }) => locate(projects, params),
    handle: async ({ resource: project, params, url, body, headers, caller, signal }) => {
      const form = Object.entries(body as Record<string, string | string[]>);
      const pairs = [
        ...pairsIn(url),
        ...form.flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const)),
      ];
      requireJson(headers, pairs);
      return found(await api.search(project, params.type, askedBy(pairs, headers), { caller, signal }));
    },
  });
}

function askedBy(pairs: Pairs, headers: Record<string, string | string[] | undefined>) {
  return {
    page: pairs.find(([name]) => name === '_page')?.[1],
    pairs: pairs.filter(([name]) => name !== '_page'),
    isLenient: /\bhandling=lenient\b/.test(String(headers['prefer'])),
  };
}
