import { Type } from 'typebox';
import { Answer, type Located, type Route, route } from '../../../api/route.ts';
import { invalidInput, Problem } from '../../../base/problem.ts';
import { serverMetadata } from '../../authentication/oauth/index.ts';
import type { ProjectRecord, Projects } from '../../files/projects/index.ts';
import { locateTables } from '../../lake/index.ts';
import { capabilityStatement, smartConfiguration } from './capabilities.ts';
import type { FhirApi } from './fhir-api.ts';
import { fhirErrors, fhirHeaders, fhirProblem, fhirType } from './outcome.ts';
import type { Pairs } from './search.ts';

interface FhirRouteDeps {
  api: FhirApi;
  projects: Projects;
  publicUrl: () => string;
  /** Time of the start, as text: the capabilities are those of the program. */
  startedAt: string;
}

const tag = 'FHIR';
/** Path of the FHIR interface of a project. */
export const fhirRoot = '/:account/v1/fhir/:project';

/** Parameters of `fhirRoot`. */
export const inProject = {
  account: Type.String({ minLength: 1, maxLength: 255 }),
  project: Type.String({ minLength: 1, maxLength: 255, description: 'Id of the project' }),
};
const typeParam = {
  type: Type.String({ maxLength: 64, pattern: '^[A-Z][A-Za-z]+$', description: 'FHIR type' }),
};
const idParam = {
  id: Type.String({ maxLength: 255, pattern: '^[A-Za-z0-9_.:-]+$', description: 'Id of the resource' }),
};

const resource = Type.Object({}, { additionalProperties: true, title: 'FhirResource' });
const answerOf = (description: string, etag = false) => ({
  200: { schema: resource, description, contentType: fhirType, etag },
  ...fhirErrors,
});
const described = {
  tag,
  problemPage: fhirProblem,
  problemsBelow: fhirRoot,
  crossOrigin: true,
  smart: true,
} as const;

const searchWords = Type.Object(
  {
    _page: Type.Optional(Type.String({ description: 'From the link `next` of the page before' })),
    _count: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Matches of a page' })),
  },
  { additionalProperties: Type.String({ description: 'Search parameters of `metadata`' }) },
);

/** Routes of the FHIR R4 interface of a project. */
export function fhirRoutes(deps: FhirRouteDeps): Route[] {
  return [
    metadataRoute(deps),
    smartRoute(deps),
    everythingRoute(deps),
    searchRoute(deps),
    formRoute(deps),
    readRoute(deps),
  ];
}

function metadataRoute({ publicUrl, startedAt }: FhirRouteDeps): Route {
  return route({
    ...described,
    method: 'GET',
    path: `${fhirRoot}/metadata`,
    operation: 'fhir.describe',
    summary: 'Capabilities of the FHIR interface',
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
    summary: 'Sign-in for SMART clients',
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
      const { text, versionId, lastUpdated } = read;
      const updated = new Date(lastUpdated ?? Number.NaN);
      const more = {
        ...(versionId !== undefined && { etag: `W/"${versionId}"` }),
        ...(!Number.isNaN(updated.getTime()) && { 'last-modified': updated.toUTCString() }),
      };
      // Some clients send the version as it is.
      const known = String(headers['if-none-match'] ?? '').replace(/^(?:W\/)?"?|"$/g, '');
      if (versionId !== undefined && known === versionId) return new Answer(304, undefined, more);
      return new Answer(200, text, { ...fhirHeaders, ...more });
    },
  });
}

function everythingRoute({ api, projects }: FhirRouteDeps): Route {
  return route({
    ...described,
    method: 'GET',
    path: `${fhirRoot}/Patient/:id/$everything`,
    operation: 'fhir.read',
    summary: 'All resources of a patient',
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
      refuseNarrowing(url);
      const asked = { types: query._type, count: query._count, page: query._page };
      return found(await api.everything(project, params.id, asked, { caller, signal }));
    },
  });
}

/** Parameters of `$everything` that would leave resources out, and are not offered. */
const narrowing = ['start', 'end', '_since'];

function refuseNarrowing(url: string): void {
  const names = narrowing.filter((name) => pairsIn(url).some(([one]) => one === name));
  if (names.length === 0) return;
  throw invalidInput(
    names.map((name) => ({ path: `query/${name}`, message: 'is not offered: leave it out' })),
  );
}

const found = (text: string): Answer => new Answer(200, text, fhirHeaders);

/** Locates the resources of a project of the account. */
async function locate(
  projects: Projects,
  { account, project }: { account: string; project: string },
): Promise<Located<ProjectRecord> | undefined> {
  const located = await locateTables(projects, project);
  return located?.record.account === account ? located : undefined;
}

const pairsIn = (url: string): Pairs => {
  const start = url.indexOf('?');
  return start < 0 ? [] : [...new URLSearchParams(url.slice(start + 1))];
};

function askedBy(pairs: Pairs, headers: Record<string, string | string[] | undefined>) {
  return {
    page: pairs.find(([name]) => name === '_page')?.[1],
    pairs: pairs.filter(([name]) => name !== '_page'),
    isLenient: /\bhandling=lenient\b/.test(String(headers['prefer'])),
  };
}

/** Refuses requests for other formats than JSON. `_format` counts before `Accept`. */
function requireJson(headers: Record<string, string | string[] | undefined>, pairs: Pairs): void {
  const asked = pairs.find(([name]) => name === '_format')?.[1] ?? String(headers['accept'] ?? '*/*');
  const isOther = !/json|\*/.test(asked.toLowerCase()) && asked !== '';
  const version = /fhirVersion=([\d.]+)/.exec(asked)?.[1];
  if (isOther || (version !== undefined && version !== '4.0'))
    throw new Problem(
      406,
      'NOT_ACCEPTABLE',
      'Ask for application/fhir+json, FHIR 4.0: there is no other format.',
    );
}
