import { Type } from 'typebox';
import { type Located, type Route, route } from '../../../api/route.ts';
import { idOf, projectIdShape, textOf } from '../../../api/shapes.ts';
import { Problem } from '../../../base/problem.ts';
import { type Audit, actor } from '../../audit/index.ts';
import type { ProjectRecord, Projects } from '../../files/projects/index.ts';
import { countsMinOf, type Lake, type RowRights } from '../../lake/index.ts';
import type { Analytics } from './analytics.ts';
import { type Asked, askedBy, type Body, type CohortDoor, locate, tablesOf } from './asked.ts';
import { describeFields } from './describe-fields.ts';
import { alikeOwnTables, KnownCollections } from './fields.ts';
import type { PatientTest, Query } from './query.ts';
import { readQuery, readStringQuery } from './read/read-query.ts';

const tag = 'Analytics';

interface AnalyticsRouteDeps {
  analytics: Analytics;
  lake: Lake;
  rights: RowRights;
  projects: Projects;
  cohorts: CohortDoor;
  audit: Audit;
}

const datasetId = Type.Optional(projectIdShape);
const cohortId = Type.Optional(idOf('Id of the cohort'));
const anyObject = (description: string) =>
  Type.Optional(Type.Unsafe<object>({ type: 'object', additionalProperties: true, description }));

const bodyShape = Type.Object({
  dataset_id: datasetId,
  datasetId,
  cohort_id: cohortId,
  cohortId,
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

/** One spelling of each field: functions of generated clients would have two parameters of one name. */
const describedBody = Type.Omit(bodyShape, ['dataset_id', 'cohort_id'], {
  minProperties: 1,
  description: '`dataset_id` and `cohort_id` are other spellings of `datasetId` and `cohortId`',
});

const fieldsShape = Type.Object({
  collections: Type.Array(
    Type.Object({
      target: textOf('Name as `target` of a query'),
      names: Type.Array(Type.String(), { description: 'Names in conditions' }),
      table: textOf('Table of the lake'),
      own: Type.Boolean({ description: 'True for a table that the project defines itself' }),
      fields: Type.Array(
        Type.Object({
          name: textOf('Name of the field'),
          type: textOf('Type of its values: `string`, `int`, `float`, `boolean` or `date`'),
          operators: Type.Array(Type.String(), { description: 'Comparisons that it allows' }),
        }),
        { description: 'Fields of the collection' },
      ),
    }),
    { description: 'Collections of rows' },
  ),
});

/** Routes of /v1/analytics/dsl and /v1/analytics/fields. */
export function analyticsRoutes(deps: AnalyticsRouteDeps): Route[] {
  const { analytics, cohorts, audit, lake, rights } = deps;
  return [
    route({
      method: 'POST',
      path: '/v1/analytics/dsl',
      onlyReads: true,
      operation: 'analytics.ask',
      tag,
      summary: 'Query the tables of a project or the patients of a cohort',
      description:
        'Answered at once. `query` or `string_query`; about `datasetId`, `cohortId` or the part of a cohort in a project.',
      body: bodyShape,
      // Two spellings exist, of which one is required: the handler checks that.
      described: { body: describedBody },
      answers: {
        200: {
          schema: Type.Object({
            data: Type.Unsafe<object>({
              type: 'object',
              additionalProperties: true,
              description: 'Answer by the names of the target and the domain',
            }),
          }),
          description: 'Requested items; `nextPageToken` when there are more',
        },
      },
      locate: async ({ body }, _account, caller) => locate(askedBy(body), deps, caller),
      handle: async ({ resource, body, caller, requestId, signal }) => {
        const { asked, account, projectIds } = resource;
        for (const id of asked.cohortIds) await cohorts.recount(id, signal);
        const accesses = projectIds.map((id) => rights.accessOf(caller, tablesOf(account, id)));
        if (accesses.some((access) => (countsMinOf(access) ?? 0) > 0)) throw smallCountsOnly();
        const pinned = await Promise.all(
          accesses.map((access, at) => lake.pin(projectIds[at] ?? '', access)),
        );
        const query = inCohort(asked, queryIn(body, new KnownCollections(alikeOwnTables(pinned))));
        const same = { ...body, query: withoutPage(body.query), options: withoutPage(body.options) };
        // A changed cohort makes a different query, and so do other rights.
        const scope = JSON.stringify([caller.userId, same, resource.cohortParts, accesses]);
        const data = await analytics.answer(query, pinned, scope, { caller: caller.userId, signal });
        await audit.record({
          account,
          ...actor(caller, requestId),
          action: 'analytics.ask',
          resource: { type: 'table', dataset: projectIds[0] ?? '' },
          outcome: 'done',
          details: {
            target: query.target.name,
            domain: query.domain,
            masked: accesses.some(({ real }) => real === false),
          },
        });
        return { data };
      },
    }),
    fieldsRoute(deps),
  ];
}

function fieldsRoute({ lake, rights, projects }: AnalyticsRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/v1/analytics/fields',
    operation: 'analytics.fields',
    tag,
    summary: 'List the fields that queries may name, with their types and comparisons',
    description:
      'Lists those of every project; with `datasetId` also those of the tables that this project defines itself, which needs readData or readMaskedData. A reader of masked data gets no column without visible values there.',
    query: Type.Object({ datasetId: Type.Optional(projectIdShape) }),
    answers: { 200: { schema: fieldsShape, description: 'By collection' } },
    locate: async ({ query: { datasetId } }): Promise<Located<ProjectRecord | undefined> | undefined> => {
      if (datasetId === undefined) return { attributes: { account: '', type: 'account' }, record: undefined };
      const record = await projects.find(datasetId);
      return (
        record && { attributes: tablesOf(record.account, record.id), operation: 'analytics.ask', record }
      );
    },
    handle: async ({ resource, caller }) => {
      if (!resource) return { collections: describeFields() };
      const access = rights.accessOf(caller, tablesOf(resource.account, resource.id));
      const { ownTables } = await lake.pin(resource.id, access);
      return { collections: describeFields(new KnownCollections(ownTables), access.real === false) };
    },
  });
}

/** Removes the page from the query's identity. */
function withoutPage(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { pageToken: _, options, ...rest } = value as Record<string, unknown>;
  return { ...rest, ...(options !== undefined && { options: withoutPage(options) }) };
}

/**
 * Parses the query of the body. Problem 400 with every error, which may name tables of the projects: only for
 * callers who may read them.
 */
function queryIn({ query, string_query: text, options }: Body, known: KnownCollections): Query {
  if (text === undefined) return readQuery(query, 'body/query', undefined, known);
  const paths = { text: 'body/string_query', options: 'body/options' };
  return readStringQuery(String(text), options, paths, known);
}

/** Adds the cohort as a condition on patients. */
function inCohort({ cohortId }: Asked, query: Query): Query {
  if (cohortId === undefined) return query;
  const member: PatientTest = { kind: 'cohort', id: cohortId };
  return { ...query, where: { kind: 'and', of: [member, query.where] } };
}

/** Refuses queries on masked data when small counts are on: answers name patients and counts are unfiltered. */
export function smallCountsOnly(): Problem {
  const message =
    'Masked data are available as counts over many patients only. Use SQL: POST /v1/analytics/data-lake/query.';
  return new Problem(403, 'SMALL_COUNTS_ONLY', message);
}
