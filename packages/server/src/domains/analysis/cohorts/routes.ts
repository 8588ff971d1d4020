import { Type } from 'typebox';
import { attributesOfNew } from '../../../access/resource.ts';
import { type Pages, pageOf, pageQuery } from '../../../api/paging.ts';
import { Answer, type Located, type Route, route } from '../../../api/route.ts';
import {
  countOf,
  descriptionShape,
  idOf,
  nameShape,
  projectIdShape,
  textOf,
  timestampShape,
} from '../../../api/shapes.ts';
import { invalidInput, notFound } from '../../../base/problem.ts';
import type { ProjectRecord, Projects } from '../../files/projects/index.ts';
import { attributesOfTables } from '../../lake/index.ts';
import {
  attributesOfCohort,
  type CohortQuery,
  type CohortRecord,
  queriesMax,
  viewOfCohort,
} from './cohort.ts';
import type { Cohorts } from './cohorts.ts';
import { viewOfCount } from './counts.ts';

const tag = 'Cohorts';

const querySchema = Type.Object({
  project: idOf('Id of the project whose patients it finds'),
  queryType: Type.Unsafe<CohortQuery['queryType']>({
    type: 'string',
    enum: ['dsl', 'sql', 'subjects', 'study'],
    description: 'Form of `query`',
  }),
  query: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description:
      'dsl: a query with target `patient`; sql: `{"sql"}` that selects patient_id; subjects: `{"subjectIds"}`; study: `{"filter", "unit"}` as of `POST /v1/analytics/study/query`',
  }),
});

const fields = {
  description: descriptionShape,
  queries: Type.Optional(
    Type.Array(querySchema, { maxItems: queriesMax, description: 'Queries whose patients are combined' }),
  ),
  subjectIds: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
      maxItems: 100_000,
      description: 'Patients of the owner project; ids of later patients count once they exist',
    }),
  ),
};

const cohortShape = Type.Object(
  {
    id: textOf('Id of the cohort'),
    name: textOf('Name of the cohort'),
    description: textOf('Free text for people; may be empty'),
    ownerProject: textOf('Id of the project that owns the cohort'),
    resultCount: Type.Integer({ description: 'Distinct patients in the projects that the caller may read' }),
    creatorUser: Type.String({ description: 'Id of the user' }),
    creationTime: timestampShape,
    countedTime: timestampShape,
    queries: Type.Array(querySchema, { description: 'Queries whose patients are combined' }),
    subjectIds: Type.Array(Type.String(), { description: 'Ids of patients that belong to it in any case' }),
    error: Type.Optional(
      Type.String({
        description:
          'Reason why the cohort cannot be counted over the present data; `resultCount` is the last count',
      }),
    ),
  },
  { title: 'Cohort' },
);

const countShape = Type.Object(
  {
    project: textOf('Id of the project in which the patients are counted'),
    count: countOf('Distinct patients of the cohort in this project'),
    countedTime: timestampShape,
  },
  { title: 'CohortCount' },
);

const cohortParams = Type.Object({ cohortId: idOf('Id of the cohort') });

interface CohortRouteDeps {
  cohorts: Cohorts;
  /** Recomputes a cohort whose data changed. */
  recount: (id: string, signal: AbortSignal) => Promise<void>;
  /** Recomputes the cohorts of a list whose day has ended; returns whether there were any. */
  recountDay: (cohorts: CohortRecord[], signal: AbortSignal) => Promise<boolean>;
  projects: Projects;
  pages: Pages;
}

/** /v1/cohorts */
export function cohortRoutes(deps: CohortRouteDeps): Route[] {
  const makers = [listRoute, createRoute, readRoute, countsRoute, updateRoute, deleteRoute];
  return makers.map((make) => make(deps));
}

function listRoute({ cohorts, recountDay, projects, pages }: CohortRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/v1/cohorts',
    operation: 'cohorts.list',
    tag,
    summary: 'List the cohorts of a project',
    description:
      'Shows the last counts, of the present day where they depend on it. Reading one cohort recounts it if the data changed.',
    accountHeader: true,
    query: Type.Object({
      projectId: projectIdShape,
      name: Type.Optional(
        Type.String({ maxLength: 255, description: 'Begins with, without regard to case' }),
      ),
      ...pageQuery,
    }),
    answers: { 200: { schema: pageOf(cohortShape), description: 'By name' } },
    locate: async ({ query }): Promise<Located<ProjectRecord> | undefined> => {
      const record = await projects.find(query.projectId);
      return (
        record && {
          attributes: { account: record.account, dataset: record.id, type: 'project', id: record.id },
          record,
        }
      );
    },
    handle: async ({ resource, query, caller, signal }) => {
      const { name = '' } = query;
      const scope = JSON.stringify(['cohorts', resource.id, caller.userId, name]);
      const page = pages.read(query, scope);
      const found = () => cohorts.list(caller, resource, name, page);
      let rows = await found();
      if (await recountDay(rows, signal)) rows = await found();
      const list = { path: '/v1/cohorts', query, scope };
      return pages.answer(
        rows,
        page,
        list,
        (row) => [row.name_key, row.id],
        (row) => viewOfCohort(row, caller),
      );
    },
  });
}

/** Requires that the caller may read all projects of the cohort's queries. Problem 404 for a project of another account. */
async function projectsToRead(
  projects: Projects,
  account: string,
  queries: readonly CohortQuery[],
): Promise<NonNullable<Located<unknown>['also']>> {
  const ids = [...new Set(queries.map(({ project }) => project))];
  const found = await Promise.all(ids.map((id) => projects.find(id)));
  return found.map((project) => {
    if (project?.account !== account) throw notFound();
    const attributes = attributesOfTables({ account_id: project.account, project_id: project.id });
    return { operation: 'lake.read', attributes };
  });
}

function createRoute({ cohorts, projects }: CohortRouteDeps): Route {
  return route({
    method: 'POST',
    path: '/v1/cohorts',
    operation: 'cohorts.create',
    tag,
    summary: 'Create a cohort; its patients are found and counted at once',
    accountHeader: true,
    body: Type.Object({
      name: nameShape('Display name; need not be unique'),
      ownerProject: idOf('Id of the project that owns the cohort'),
      ...fields,
    }),
    answers: { 200: { schema: cohortShape, description: 'The cohort' } },
    locate: async ({ body }, account, caller): Promise<Located<ProjectRecord> | undefined> => {
      const record = await projects.find(body.ownerProject);
      if (!record || record.account !== account) return undefined;
      const { subjectIds = [], queries = [] } = body;
      const own = subjectIds.length > 0 ? [{ project: record.id } as CohortQuery] : [];
      const also = await projectsToRead(projects, account, [...queries, ...own]);
      return { attributes: attributesOfNew('cohort', record, caller), record, also };
    },
    handle: async ({ resource, body, caller, requestId, signal }) =>
      viewOfCohort(await cohorts.create(resource, body, { caller, requestId }, signal), caller),
  });
}

async function locate(cohorts: Cohorts, id: string): Promise<Located<CohortRecord> | undefined> {
  const record = await cohorts.find(id);
  return record && { attributes: attributesOfCohort(record), record };
}

function readRoute({ cohorts, recount }: CohortRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/v1/cohorts/:cohortId',
    operation: 'cohorts.read',
    tag,
    summary: 'Get a cohort, counted over the present data',
    accountHeader: true,
    params: cohortParams,
    answers: { 200: { schema: cohortShape, description: 'The cohort' } },
    locate: ({ params }) => locate(cohorts, params.cohortId),
    handle: async ({ resource, caller, signal }) => {
      await recount(resource.id, signal);
      const record = await cohorts.find(resource.id);
      if (!record) throw notFound();
      return viewOfCohort(record, caller);
    },
  });
}

function countsRoute({ cohorts, pages }: CohortRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/v1/cohorts/:cohortId/counts',
    operation: 'cohorts.read',
    tag,
    summary: 'List the earlier counts of a cohort, newest first',
    description:
      'One item for each count that differs from the one before, in each project that the caller may read. The newest 1000 of a project are kept.',
    accountHeader: true,
    params: cohortParams,
    query: Type.Object(pageQuery),
    answers: { 200: { schema: pageOf(countShape), description: 'Newest first' } },
    locate: ({ params }) => locate(cohorts, params.cohortId),
    handle: async ({ resource, query, caller }) => {
      const path = `/v1/cohorts/${resource.id}/counts`;
      const list = { path, query, scope: `cohort-counts:${resource.id}:${caller.userId}` };
      const page = pages.read(query, list.scope);
      const rows = await cohorts.counts(caller, resource, page);
      return pages.answer(rows, page, list, (row) => [row.id], viewOfCount);
    },
  });
}

function updateRoute({ cohorts, projects }: CohortRouteDeps): Route {
  return route({
    method: 'PATCH',
    path: '/v1/cohorts/:cohortId',
    operation: 'cohorts.update',
    conflicts: ['COHORT_CHANGED'],
    tag,
    summary: 'Change a cohort; absent fields stay unchanged',
    description: 'Queries over projects that you may not read are hidden and stay unchanged.',
    accountHeader: true,
    params: cohortParams,
    body: Type.Object({
      name: Type.Optional(nameShape('New name')),
      ownerProject: Type.Optional(Type.String({ description: 'Cannot be changed' })),
      ...fields,
    }),
    answers: { 200: { schema: cohortShape, description: 'The changed cohort' } },
    locate: async ({ params, body }): Promise<Located<CohortRecord> | undefined> => {
      const located = await locate(cohorts, params.cohortId);
      if (!located) return undefined;
      const { account_id, project_id } = located.record;
      if (body.ownerProject !== undefined && body.ownerProject !== project_id) {
        throw invalidInput([{ path: 'body/ownerProject', message: 'cannot be changed' }]);
      }
      const own = body.subjectIds?.length ? [{ project: project_id } as CohortQuery] : [];
      const also = await projectsToRead(projects, account_id, [...(body.queries ?? []), ...own]);
      return { ...located, also };
    },
    handle: async ({ resource, body, caller, requestId, signal }) => {
      const by = { caller, requestId };
      return viewOfCohort(await cohorts.update(resource, body, by, signal), caller);
    },
  });
}

function deleteRoute({ cohorts }: CohortRouteDeps): Route {
  return route({
    method: 'DELETE',
    path: '/v1/cohorts/:cohortId',
    operation: 'cohorts.delete',
    tag,
    summary: 'Delete a cohort',
    accountHeader: true,
    params: cohortParams,
    answers: { 204: { description: 'Deleted' } },
    locate: ({ params }: { params: { cohortId: string } }) => locate(cohorts, params.cohortId),
    handle: async ({ resource, caller, requestId }) => {
      await cohorts.delete(resource, { caller, requestId });
      return new Answer(204);
    },
  });
}
