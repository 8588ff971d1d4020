import type { Caller } from '../../access/caller.ts';
import type { ResourceAttributes } from '../../access/resource.ts';
import { invalidInput, notFound, Problem } from '../../problem.ts';
import { type Located, type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { type Audit, actor } from '../audit/index.ts';
import { attributesOfTables } from '../lake/index.ts';
import type { Projects } from '../projects/index.ts';
import type { Analytics } from './analytics.ts';
import { describeFields } from './describe-fields.ts';
import type { PatientTest, Query } from './query.ts';
import { readQuery, readStringQuery } from './read-query.ts';

const tag = 'Analytics';

/** What this domain asks of cohorts. */
export interface CohortDoor {
  /** A cohort, the projects that its members are of, and the ids of its parts there, which a change of it makes anew. */
  find(
    id: string,
  ): Promise<{ attributes: ResourceAttributes; projects: string[]; parts: string[] } | undefined>;
  /** Counts it again where the data have changed. */
  freshen(id: string, signal: AbortSignal): Promise<void>;
}

export interface AnalyticsRouteParts {
  /** Smallest number of patients that masked answers tell of; 0: any. */
  countsMin: number;
  analytics: Analytics;
  projects: Projects;
  cohorts: CohortDoor;
  audit: Audit;
}

const idShape = Type.Optional(Type.String({ minLength: 1, maxLength: 255 }));
const anyObject = (description: string) =>
  Type.Optional(Type.Unsafe<object>({ type: 'object', additionalProperties: true, description }));

const bodyShape = Type.Object({
  dataset_id: idShape,
  datasetId: idShape,
  cohort_id: idShape,
  cohortId: idShape,
  query: anyObject('`target`, `domain`, `where`, `options`: docs/analytics.md'),
  string_query: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 65_536,
      description: "`SELECT patients FROM patient WHERE variant.gene = 'TTN'`, in place of `query`",
    }),
  ),
  options: anyObject('Options of a `string_query`'),
});

interface Asked {
  datasetId: string | undefined;
  cohortId: string | undefined;
  query: Query;
}

/** What was found of what a query is about. */
interface About {
  asked: Asked;
  account: string;
  /** Ids of the projects whose data it may ask. */
  projectIds: string[];
  /** Of the cohort. */
  cohortParts: string[];
}

/** /v1/analytics/dsl and /v1/analytics/fields */
export function analyticsRoutes(parts: AnalyticsRouteParts): Route[] {
  const { analytics, cohorts, audit } = parts;
  return [
    route({
      method: 'POST',
      path: '/v1/analytics/dsl',
      onlyReads: true,
      operation: 'analytics.ask',
      tag,
      summary: 'Ask a question over the tables of a project or the patients of a cohort',
      description:
        'Answered at once. `query` or `string_query`; about `datasetId`, `cohortId` or the part of a cohort in a project.',
      body: bodyShape,
      // Of two spellings of a name one is needed: the handler tells which.
      described: { body: Type.Object(bodyShape.properties, { minProperties: 1 }) },
      answers: {
        200: {
          schema: Type.Object({ data: Type.Unsafe<object>({ type: 'object', additionalProperties: true }) }),
          description: 'What was asked for; `nextPageToken` where there is more',
        },
      },
      locate: async ({ body }, _account, caller) => locate(askedBy(body), parts, caller),
      handle: async ({ resource, body, caller, requestId, signal }) => {
        const { asked, account, projectIds } = resource;
        if (asked.cohortId !== undefined) await cohorts.freshen(asked.cohortId, signal);
        const how = (id: string) => (caller.may('lake.read', tablesOf(account, id)) ? 'real' : 'masked');
        const masked = projectIds.some((id) => how(id) === 'masked');
        if (masked && parts.countsMin > 0) throw smallCountsOnly();
        const pinned = await Promise.all(projectIds.map((id) => analytics.pin(id, how(id))));
        const query = inCohort(asked);
        const same = { ...body, query: withoutPage(body.query), options: withoutPage(body.options) };
        // A cohort that was changed is another question.
        const scope = JSON.stringify([caller.userId, same, resource.cohortParts]);
        const data = await analytics.answer(query, pinned, scope, signal);
        await audit.record({
          account,
          ...actor(caller, requestId),
          action: 'analytics.ask',
          resource: { type: 'table', dataset: projectIds[0] ?? '' },
          outcome: 'done',
          details: {
            target: query.target.name,
            domain: query.domain,
            masked,
          },
        });
        return { data };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/analytics/fields',
      operation: 'analytics.fields',
      tag,
      summary: 'Fields that queries may name, with their types and comparisons',
      answers: {
        200: {
          schema: Type.Object({
            collections: Type.Array(
              Type.Object({
                target: Type.String(),
                names: Type.Array(Type.String()),
                table: Type.String(),
                fields: Type.Array(
                  Type.Object({
                    name: Type.String(),
                    type: Type.String(),
                    operators: Type.Array(Type.String()),
                  }),
                ),
              }),
            ),
          }),
          description: 'By collection',
        },
      },
      handle: async () => ({ collections: describeFields() }),
    }),
  ];
}

const tablesOf = (account: string, project: string): ResourceAttributes =>
  attributesOfTables({ account_id: account, project_id: project });

/** The page is no part of what is asked. */
function withoutPage(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { pageToken: _, options, ...rest } = value as Record<string, unknown>;
  return { ...rest, ...(options !== undefined && { options: withoutPage(options) }) };
}

type Body = { [key in keyof typeof bodyShape.properties]?: unknown };

/** Reads the body. Problem 400 with every mistake. */
function askedBy(body: Body): Asked {
  refuseContradictions(body);
  const datasetId = (body.datasetId ?? body.dataset_id) as string | undefined;
  const cohortId = (body.cohortId ?? body.cohort_id) as string | undefined;
  if (datasetId === undefined && cohortId === undefined) {
    throw invalidInput([
      { path: 'body/datasetId', message: 'is missing; name a project or a cohort (cohortId)' },
    ]);
  }
  const { query, string_query: text, options } = body;
  if ((query === undefined) === (text === undefined)) {
    const message =
      query === undefined ? 'is missing; so is string_query' : 'and string_query are both given; send one';
    throw invalidInput([{ path: 'body/query', message }]);
  }
  if (query !== undefined && Object.values(Object(options)).some((value) => value !== null)) {
    throw invalidInput([{ path: 'body/options', message: 'is for string_query; send query/options' }]);
  }
  const read =
    text === undefined
      ? readQuery(query, 'body/query')
      : readStringQuery(String(text), options, { text: 'body/string_query', options: 'body/options' });
  return { datasetId, cohortId, query: read };
}

/** Two spellings of one field may both be sent, as long as they say the same. */
function refuseContradictions(body: Body): void {
  const spellings = [
    ['datasetId', 'dataset_id'],
    ['cohortId', 'cohort_id'],
  ] as const;
  const differ = spellings.filter(
    ([one, other]) => body[one] !== undefined && body[other] !== undefined && body[one] !== body[other],
  );
  if (differ.length === 0) return;
  throw invalidInput(
    differ.map(([one, other]) => ({ path: `body/${other}`, message: `is not the same as ${one}` })),
  );
}

/** The cohort is one more condition on the patients. */
function inCohort({ cohortId, query }: Asked): Query {
  if (cohortId === undefined) return query;
  const member: PatientTest = { kind: 'cohort', id: cohortId };
  return { ...query, where: { kind: 'and', of: [member, query.where] } };
}

/** Its answers name patients and count without looking at how many they are. */
function smallCountsOnly(): Problem {
  const message =
    'Masked data are given as counts over many patients only. Ask with SQL: POST /v1/analytics/data-lake/query.';
  return new Problem(403, 'SMALL_COUNTS_ONLY', message);
}

/** Who asks about a cohort must be able to read it; its projects count as far as he may read them. */
async function locate(
  asked: Asked,
  { projects, cohorts }: AnalyticsRouteParts,
  caller: Caller,
): Promise<Located<About> | undefined> {
  const cohort = asked.cohortId === undefined ? undefined : await cohorts.find(asked.cohortId);
  if (asked.cohortId !== undefined && !cohort) return undefined;
  if (asked.datasetId === undefined) {
    const { attributes, projects: ids, parts } = cohort as NonNullable<typeof cohort>;
    const { account } = attributes;
    const projectIds = ids.filter((id) => caller.may('lake.read', tablesOf(account, id)));
    return {
      attributes,
      operation: 'cohorts.read',
      record: { asked, account, projectIds, cohortParts: parts },
    };
  }
  const project = await projects.find(asked.datasetId);
  if (!project) return undefined;
  const { account } = project;
  if (cohort && cohort.attributes.account !== account) throw notFound();
  return {
    attributes: tablesOf(account, project.id),
    record: { asked, account, projectIds: [project.id], cohortParts: cohort?.parts ?? [] },
    ...(cohort && { also: [{ operation: 'cohorts.read', attributes: cohort.attributes }] }),
  };
}
