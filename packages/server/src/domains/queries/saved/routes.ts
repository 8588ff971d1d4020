import { Type } from 'typebox';
import type { OperationName } from '../../../access/operations.ts';
import { type Pages, pageOf, pageQuery } from '../../../api/paging.ts';
import { Answer, type Located, type Route, route } from '../../../api/route.ts';
import {
  descriptionShape,
  idOf,
  nameShape,
  projectIdShape,
  textOf,
  timestampShape,
} from '../../../api/shapes.ts';
import type { SavedQueriesTable } from '../../../platform/records/schema-lake.ts';
import { locateProject, type ProjectRecord, type Projects } from '../../files/projects/index.ts';
import { lakeTag } from '../../lake/index.ts';
import type { SavedQueries } from './saved-queries.ts';
import { attributesOfSaved, itemOf, viewOf } from './saved-query.ts';

const path = '/v1/projects/:projectId/saved-queries';
const onePath = `${path}/:savedQueryId` as const;

/** Maximum length of a statement in the engine (docs/api/queries.md). */
const statementLengthMax = 65_536;

const fields = {
  name: nameShape('Display name; need not be unique'),
  description: descriptionShape,
  statement: Type.String({
    minLength: 1,
    maxLength: statementLengthMax,
    description: 'Text of the statement; checked when it runs',
  }),
  shared: Type.Optional(
    Type.Boolean({
      description:
        'True: readers of the data of the project, also of masked data, may read it. Default: only its owner may',
    }),
  ),
};

const scheduleShape = Type.Optional(
  Type.Object(
    {
      cron: Type.Optional(textOf('Five cron fields, in UTC; absent once it has ended')),
      format: Type.Optional(textOf('Form of the results')),
      next: Type.Optional(timestampShape),
      lastQueryId: Type.Optional(textOf('Id of the last query that it began, and of its result')),
      error: Type.Optional(
        textOf('Code of the error of the last run that did not begin; `FORBIDDEN`: it has ended'),
      ),
    },
    { description: 'Schedule of the query; absent without one' },
  ),
);

const itemShape = Type.Object(
  {
    id: textOf('Id of the saved query'),
    name: textOf('Name of the saved query'),
    description: textOf('Free text for people; may be empty'),
    shared: Type.Boolean({ description: 'True if readers of the data of the project may read it' }),
    ownerId: textOf('Id of the user who saved it'),
    creationTime: timestampShape,
    modificationTime: timestampShape,
    schedule: scheduleShape,
  },
  { title: 'SavedQueryItem' },
);

export const savedShape = Type.Object(
  { ...itemShape.properties, statement: textOf('Text of the statement') },
  { title: 'SavedQuery' },
);

const listParams = Type.Object({ projectId: projectIdShape });
const oneParams = Type.Object({ projectId: projectIdShape, savedQueryId: idOf('Id of the saved query') });

interface SavedQueryRouteDeps {
  savedQueries: SavedQueries;
  projects: Projects;
  pages: Pages;
}

/** /v1/projects/{projectId}/saved-queries */
export function savedQueryRoutes(deps: SavedQueryRouteDeps): Route[] {
  const about: ListAbout = {
    ...{ name: 'saved-queries', item: itemShape, operation: 'savedQueries.list', tag: lakeTag },
    summary: 'List the saved queries of a project: own and shared ones',
    description: 'Without their statements.',
  };
  return [
    listRoute(deps.savedQueries, deps, about),
    createRoute(deps),
    readRoute(deps),
    replaceRoute(deps),
    deleteRoute(deps),
  ];
}

/** Locates the saved queries or reports of a project. */
export async function locateAll(projects: Projects, id: string): Promise<Located<ProjectRecord> | undefined> {
  const located = await locateProject(projects, id);
  if (!located) return undefined;
  const { account } = located.record;
  return { ...located, attributes: { account, dataset: id, type: 'query' } };
}

/** Facts that differ between the lists of saved queries and of reports. */
interface ListAbout extends Pick<Route, 'operation' | 'tag' | 'summary' | 'description'> {
  /** Last part of the path, below a project. */
  name: 'saved-queries' | 'reports';
  item: Parameters<typeof pageOf>[0];
}

/** Lists saved queries or reports: own and shared ones. */
export function listRoute(
  saved: SavedQueries,
  { projects, pages }: Pick<SavedQueryRouteDeps, 'projects' | 'pages'>,
  { name: what, item, ...about }: ListAbout,
): Route {
  return route({
    ...about,
    method: 'GET',
    path: `/v1/projects/:projectId/${what}`,
    params: listParams,
    query: Type.Object({
      name: Type.Optional(
        Type.String({ maxLength: 255, description: 'Begins with, without regard to case' }),
      ),
      ...pageQuery,
    }),
    answers: { 200: { schema: pageOf(item), description: 'By name' } },
    locate: ({ params }) => locateAll(projects, params.projectId),
    handle: async ({ resource, query, caller }) => {
      const { name = '' } = query;
      const scope = JSON.stringify([what, resource.id, caller.userId, name]);
      const page = pages.read(query, scope);
      const rows = await saved.list(caller, resource, name, page);
      const list = { path: `/v1/projects/${resource.id}/${what}`, query, scope };
      return pages.answer(rows, page, list, (row) => [row.name_key, row.id], itemOf);
    },
  });
}

function createRoute({ savedQueries, projects }: SavedQueryRouteDeps): Route {
  return route({
    method: 'POST',
    path,
    operation: 'savedQueries.create',
    conflicts: ['TOO_MANY_SAVED_QUERIES'],
    tag: lakeTag,
    summary: 'Save a query',
    description: 'The statement is kept as it is; running it checks it.',
    params: listParams,
    body: Type.Object(fields),
    answers: { 200: { schema: savedShape, description: 'The saved query' } },
    // Without an owner: a right to read own data alone opens nothing that a query could read.
    locate: ({ params }) => locateAll(projects, params.projectId),
    handle: async ({ resource, body, caller, requestId }) =>
      viewOf(await savedQueries.create(resource, body, { caller, requestId })),
  });
}

/** Locates a saved query or report that the caller may know of: `own` is the operation on own ones. */
export function locateOne(saved: SavedQueries, own: OperationName) {
  return async (
    {
      params,
    }: { params: { projectId: string; savedQueryId: string } | { projectId: string; reportId: string } },
    _account: string,
    { userId }: { userId: string },
  ): Promise<Located<SavedQueriesTable> | undefined> => {
    const id = 'reportId' in params ? params.reportId : params.savedQueryId;
    const record = await saved.find(params.projectId, id, userId);
    if (!record) return undefined;
    const attributes = attributesOfSaved(record);
    return { attributes, record, ...(record.owner_id === userId && { operation: own }) };
  };
}

function readRoute({ savedQueries }: SavedQueryRouteDeps): Route {
  return route({
    method: 'GET',
    path: onePath,
    operation: 'savedQueries.read',
    tag: lakeTag,
    summary: 'Get a saved query with its statement',
    params: oneParams,
    answers: { 200: { schema: savedShape, description: 'The saved query' } },
    locate: locateOne(savedQueries, 'savedQueries.readOwn'),
    handle: async ({ resource }) => viewOf(resource),
  });
}

function replaceRoute({ savedQueries }: SavedQueryRouteDeps): Route {
  return route({
    method: 'PUT',
    path: onePath,
    operation: 'savedQueries.update',
    tag: lakeTag,
    summary: 'Replace a saved query; its owner stays',
    description: 'An own one, or a shared one with projectAdmin. Absent fields get their defaults.',
    params: oneParams,
    body: Type.Object(fields),
    answers: { 200: { schema: savedShape, description: 'The changed query' } },
    locate: locateOne(savedQueries, 'savedQueries.updateOwn'),
    handle: async ({ resource, body, caller, requestId, headers }) =>
      viewOf(await savedQueries.replace(resource, () => body, { caller, requestId, headers })),
  });
}

function deleteRoute({ savedQueries }: SavedQueryRouteDeps): Route {
  return route({
    method: 'DELETE',
    path: onePath,
    operation: 'savedQueries.delete',
    tag: lakeTag,
    summary: 'Delete a saved query',
    description: 'An own one, or a shared one with projectAdmin.',
    params: oneParams,
    answers: { 204: { description: 'Deleted' } },
    locate: locateOne(savedQueries, 'savedQueries.deleteOwn'),
    handle: async ({ resource, caller, requestId }) => {
      await savedQueries.delete(resource, { caller, requestId });
      return new Answer(204);
    },
  });
}
