import type { Static } from 'typebox';
import { Answer, type Route, route } from '../../../api/route.ts';
import { invalidInput, notFound, type Problem } from '../../../base/problem.ts';
import { pageRowsMax } from '../../queries/index.ts';
import type { Beacon } from './beacon.ts';
import { answerOf, apiVersion, beaconRoot, documents } from './documents.ts';
import { beaconErrors, documentShape, filtersMax, searchAnswer, searchBody, searchQuery } from './shapes.ts';

interface BeaconRouteDeps {
  beacon: Beacon;
  /** False: every address is 404. */
  isOn: boolean;
  publicUrl: () => string;
}

const tag = 'Genomics: Beacon';

/** Routes of the GA4GH Beacon 2.0 over `variant`: boolean and count. */
export function beaconRoutes(deps: BeaconRouteDeps): Route[] {
  return [
    ...Object.keys(documents).map((name) => documentRoute(deps, name)),
    getRoute(deps),
    postRoute(deps),
  ];
}

/** Converts a problem to the error format of Beacon. */
function beaconProblem({ status, code, message }: Problem, requestId: string): Answer {
  const body = {
    meta: { beaconId: 'ploidy.beacon', apiVersion },
    error: { errorCode: status, errorMessage: message },
    ...{ code, requestId },
  };
  return new Answer(status, JSON.stringify(body), { 'content-type': 'application/json; charset=utf-8' });
}

const described = { tag, problemPage: beaconProblem } as const;

function documentRoute({ isOn, publicUrl }: BeaconRouteDeps, name: string): Route {
  return route({
    ...described,
    method: 'GET',
    path: `${beaconRoot}/${name}`,
    // The standard has it at the root as well.
    ...(name === 'info' && { aliases: [beaconRoot] }),
    operation: 'beacon.describe',
    summary: `Get the document \`${name}\` of the beacon`,
    answers: { 200: { schema: documentShape, description: 'As Beacon 2.0 describes it' }, ...beaconErrors },
    handle: async () => {
      if (!isOn) throw notFound();
      return documents[name]?.(publicUrl());
    },
  });
}

const found = { 200: { schema: searchAnswer, description: 'Presence and number of such variants' } };
const description =
  'An allele (`start`, `alternateBases`), a range (`start`, `end`), a bracket (two numbers each) or a gene, over the projects whose rows the caller may read.';

function getRoute(deps: BeaconRouteDeps): Route {
  return route({
    ...{ ...described, description },
    method: 'GET',
    path: `${beaconRoot}/g_variants`,
    operation: 'beacon.count',
    summary: 'Get the presence or number of variants',
    query: searchQuery,
    answers: { ...found, ...beaconErrors },
    handle: ({ query, caller, requestId, signal }) => {
      const {
        requestedGranularity,
        includeResultsetResponses: _,
        skip,
        limit,
        start,
        end,
        filters,
        ...rest
      } = query;
      const parameters = { ...rest, ...numbersIn('start', start), ...numbersIn('end', end) };
      const asked = {
        granularity: requestedGranularity,
        parameters,
        filters: filters?.split(','),
        skip,
        limit,
      };
      return search(deps, asked, { caller, requestId, signal });
    },
  });
}

function postRoute(deps: BeaconRouteDeps): Route {
  return route({
    ...{ ...described, description },
    method: 'POST',
    path: `${beaconRoot}/g_variants`,
    operation: 'beacon.count',
    onlyReads: true,
    summary: 'Get the presence or number of variants, by a body',
    body: searchBody,
    answers: { ...found, ...beaconErrors },
    handle: ({ body, caller, requestId, signal }) => {
      const { requestParameters: parameters = {}, requestedGranularity, pagination } = body.query;
      if (body.query.filters?.some(({ includeDescendantTerms }) => includeDescendantTerms))
        throw invalidInput([{ path: 'body/query/filters', message: 'may not include descendant terms' }]);
      const filters = body.query.filters?.map(({ id }) => id);
      const asked = { granularity: requestedGranularity, parameters, filters, ...pagination };
      return search(deps, asked, { caller, requestId, signal });
    },
  });
}

interface Asked {
  granularity: string | undefined;
  parameters: NonNullable<Static<typeof searchBody>['query']['requestParameters']>;
  filters: readonly string[] | undefined;
  skip?: number | undefined;
  limit?: number | undefined;
}

async function search(
  { beacon, isOn, publicUrl }: BeaconRouteDeps,
  { granularity = 'boolean', parameters, filters = [], skip = 0, limit = 0 }: Asked,
  by: Parameters<Beacon['count']>[2],
): Promise<object> {
  if (!isOn) throw notFound();
  if (filters.length > filtersMax)
    throw invalidInput([{ path: 'query/filters', message: `may be ${filtersMax}` }]);
  const count = await beacon.count(
    { ...parameters, filters },
    granularity === 'boolean' ? 1 : pageRowsMax,
    by,
  );
  return answerOf(
    publicUrl(),
    { granularity, parameters, filters, skip, limit },
    { count, countMax: pageRowsMax },
  );
}

const numbersIn = (name: 'start' | 'end', text: string | undefined) =>
  text === undefined ? {} : { [name]: text.split(',').map(Number) };
