import { type Pages, pageOf, pageQuery } from '../../paging.ts';
import { invalidInput, notFound } from '../../problem.ts';
import { Answer, type Located, type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { nameShape, timestampShape } from '../../shapes.ts';
import { attributesOfTables } from '../lake/index.ts';
import type { ProjectRecord, Projects } from '../projects/index.ts';
import {
  attributesOfCohort,
  type CohortQuery,
  type CohortRecord,
  queriesMax,
  viewOfCohort,
} from './cohort.ts';
import type { Cohorts } from './cohorts.ts';

const tag = 'Cohorts';

const querySchema = Type.Object({
  project: Type.String({ minLength: 1, maxLength: 255 }),
  queryType: Type.Unsafe<CohortQuery['queryType']>({ type: 'string', enum: ['dsl', 'sql', 'subjects'] }),
  query: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description:
      'dsl: a query with target `patient`; sql: `{"sql"}` that selects patient_id; subjects: `{"subjectIds"}`',
  }),
});

const fields = {
  description: Type.Optional(Type.String({ maxLength: 4000 })),
  queries: Type.Optional(
    Type.Array(querySchema, { maxItems: queriesMax, description: 'Their patients are united' }),
  ),
  subjectIds: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
      maxItems: 100_000,
      description: 'Patients of the owner project; who is not there yet counts once he is',
    }),
  ),
};

const cohortShape = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    description: Type.String(),
    ownerProject: Type.String(),
    resultCount: Type.Integer({ description: 'Distinct patients in the projects that the caller may read' }),
    creatorUser: Type.String({ description: 'Id of the user' }),
    creationTime: timestampShape,
    countedTime: timestampShape,
    queries: Type.Array(querySchema),
    subjectIds: Type.Array(Type.String()),
    error: Type.Optional(
      Type.String({
        description: 'Why it cannot be counted over the present data; the count is the last one',
      }),
    ),
  },
  { title: 'Cohort' },
);

const cohortParams = Type.Object({ cohortId: Type.String({ minLength: 1, maxLength: 255 }) });

export interface CohortRouteParts {
  cohorts: Cohorts;
  /** Counts a cohort again where the data have changed. */
  freshen: (id: string, signal: AbortSignal) => Promise<void>;
  /** Counts those of a list again whose day has ended; answers whether there were any. */
  freshenDay: (cohorts: CohortRecord[], signal: AbortSignal) => Promise<boolean>;
  projects: Projects;
  pages: Pages;
}

/** /v1/cohorts */
export function cohortRoutes(parts: CohortRouteParts): Route[] {
  return [listRoute(parts), createRoute(parts), readRoute(parts), updateRoute(parts), deleteRoute(parts)];
}

function listRoute({ cohorts, freshenDay, projects, pages }: CohortRouteParts): Route {
  return route({
    method: 'GET',
    path: '/v1/cohorts',
    operation: 'cohorts.list',
    tag,
    summary: 'Cohorts of a project',
    description:
      'With their last counts, of this day where they depend on it; reading one counts it again when the data have changed.',
    accountHeader: true,
    query: Type.Object({
      projectId: Type.String({ minLength: 1, maxLength: 255 }),
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
      if (await freshenDay(rows, signal)) rows = await found();
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

/** The caller must be able to read whatever the cohort asks. Problem 404 for a project of another account. */
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

function createRoute({ cohorts, projects }: CohortRouteParts): Route {
  return route({
    method: 'POST',
    path: '/v1/cohorts',
    operation: 'cohorts.create',
    tag,
    summary: 'Make a cohort; its patients are found and counted at once',
    accountHeader: true,
    body: Type.Object({
      name: nameShape('For people; need not be unique'),
      ownerProject: Type.String({ minLength: 1, maxLength: 255 }),
      ...fields,
    }),
    answers: { 200: { schema: cohortShape, description: 'The cohort' } },
    locate: async ({ body }, account): Promise<Located<ProjectRecord> | undefined> => {
      const record = await projects.find(body.ownerProject);
      if (!record || record.account !== account) return undefined;
      const { subjectIds = [], queries = [] } = body;
      const own = subjectIds.length > 0 ? [{ project: record.id } as CohortQuery] : [];
      const also = await projectsToRead(projects, account, [...queries, ...own]);
      return { attributes: { account, dataset: record.id, type: 'cohort' }, record, also };
    },
    handle: async ({ resource, body, caller, requestId, signal }) =>
      viewOfCohort(await cohorts.create(resource, body, { caller, requestId }, signal), caller),
  });
}

async function locate(cohorts: Cohorts, id: string): Promise<Located<CohortRecord> | undefined> {
  const record = await cohorts.find(id);
  return record && { attributes: attributesOfCohort(record), record };
}

function readRoute({ cohorts, freshen }: CohortRouteParts): Route {
  return route({
    method: 'GET',
    path: '/v1/cohorts/:cohortId',
    operation: 'cohorts.read',
    tag,
    summary: 'One cohort, counted over the present data',
    accountHeader: true,
    params: cohortParams,
    answers: { 200: { schema: cohortShape, description: 'The cohort' } },
    locate: ({ params }) => locate(cohorts, params.cohortId),
    handle: async ({ resource, caller, signal }) => {
      await freshen(resource.id, signal);
      const record = await cohorts.find(resource.id);
      if (!record) throw notFound();
      return viewOfCohort(record, caller);
    },
  });
}

function updateRoute({ cohorts, projects }: CohortRouteParts): Route {
  return route({
    method: 'PATCH',
    path: '/v1/cohorts/:cohortId',
    operation: 'cohorts.update',
    tag,
    summary: 'Change a cohort; what is absent stays as it is',
    description:
      'What it asks of projects whose tables the caller may not read, and so does not see, stays too.',
    accountHeader: true,
    params: cohortParams,
    body: Type.Object({
      name: Type.Optional(nameShape('New name')),
      ownerProject: Type.Optional(Type.String({ description: 'Cannot be changed' })),
      ...fields,
    }),
    answers: { 200: { schema: cohortShape, description: 'The cohort as it is now' } },
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

function deleteRoute({ cohorts }: CohortRouteParts): Route {
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
