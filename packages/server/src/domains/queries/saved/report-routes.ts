import { Type } from 'typebox';
import type { Pages } from '../../../api/paging.ts';
import { Answer, type Route, route } from '../../../api/route.ts';
import { idOf, projectIdShape, textOf, timestampShape } from '../../../api/shapes.ts';
import { timestamp } from '../../../base/ids.ts';
import { invalidInput } from '../../../base/problem.ts';
import type { SavedQueriesTable } from '../../../platform/records/schema-lake.ts';
import type { Projects } from '../../files/projects/index.ts';
import { keptParts, type Part, type PartInput, reportInput } from './report-shapes.ts';
import { listRoute, locateAll, locateOne } from './routes.ts';
import type { SavedQueries } from './saved-queries.ts';
import { etagOf, itemOf } from './saved-query.ts';

const path = '/v1/projects/:projectId/reports';
const onePath = `${path}/:reportId` as const;
const tag = 'Analytics';

const itemShape = Type.Object(
  {
    id: textOf('Id of the report'),
    name: textOf('Name of the report'),
    description: textOf('Free text for people; may be empty'),
    shared: Type.Boolean({ description: 'True if readers of the data of the project may read it' }),
    ownerId: textOf('Id of the user who made it'),
    creationTime: timestampShape,
    modificationTime: timestampShape,
  },
  { title: 'ReportItem' },
);
const reportShape = Type.Object({ ...itemShape.properties, parts: keptParts }, { title: 'Report' });

const listParams = Type.Object({ projectId: projectIdShape });
const oneParams = Type.Object({ projectId: projectIdShape, reportId: idOf('Id of the report') });

interface ReportRouteDeps {
  reports: SavedQueries;
  projects: Projects;
  pages: Pages;
}

/** /v1/projects/{projectId}/reports: texts and figures on a page. A figure is a request that each reader asks anew. */
export function reportRoutes({ reports, projects, pages }: ReportRouteDeps): Route[] {
  return [
    listRoute(
      reports,
      { projects, pages },
      {
        ...{ name: 'reports', item: itemShape, operation: 'reports.list', tag },
        summary: 'List the reports of a project: own and shared ones',
        description: 'Without their parts.',
      },
    ),
    route({
      method: 'POST',
      path,
      operation: 'reports.create',
      conflicts: ['TOO_MANY_SAVED_QUERIES'],
      tag,
      summary: 'Make a report',
      params: listParams,
      body: Type.Object(reportInput),
      answers: { 200: { schema: reportShape, description: 'The report, with its `ETag`' } },
      locate: ({ params }) => locateAll(projects, params.projectId),
      handle: async ({ resource, body, caller, requestId }) => {
        const input = { ...body, statement: written(body.parts, [], caller.userId) };
        return answerOf(await reports.create(resource, input, { caller, requestId }));
      },
    }),
    route({
      method: 'GET',
      path: onePath,
      operation: 'reports.read',
      tag,
      summary: 'Get a report with its parts',
      params: oneParams,
      answers: { 200: { schema: reportShape, description: 'The report, with its `ETag`' } },
      locate: locateOne(reports, 'reports.readOwn'),
      handle: async ({ resource }) => answerOf(resource),
    }),
    route({
      method: 'PUT',
      path: onePath,
      operation: 'reports.update',
      tag,
      summary: 'Replace a report; its owner stays',
      description:
        'An own one, or a shared one with projectAdmin. `If-Match` refuses a change of another state. Absent fields get their defaults.',
      params: oneParams,
      headers: ['If-Match'],
      body: Type.Object(reportInput),
      answers: { 200: { schema: reportShape, description: 'The changed report, with its `ETag`' } },
      locate: locateOne(reports, 'reports.updateOwn'),
      handle: async ({ resource, body, caller, requestId, headers }) =>
        answerOf(
          await reports.replace(
            resource,
            (stored) => ({ ...body, statement: written(body.parts, partsOf(stored), caller.userId) }),
            { caller, requestId, headers },
          ),
        ),
    }),
    route({
      method: 'DELETE',
      path: onePath,
      operation: 'reports.delete',
      tag,
      summary: 'Delete a report',
      description: 'An own one, or a shared one with projectAdmin.',
      params: oneParams,
      answers: { 204: { description: 'Deleted' } },
      locate: locateOne(reports, 'reports.deleteOwn'),
      handle: async ({ resource, caller, requestId }) => {
        await reports.delete(resource, { caller, requestId });
        return new Answer(204);
      },
    }),
  ];
}

const partsOf = (row: SavedQueriesTable): Part[] => JSON.parse(row.statement) as Part[];

const answerOf = (row: SavedQueriesTable): Answer =>
  new Answer(200, { ...itemOf(row), parts: partsOf(row) }, { etag: etagOf(row) });

/** Returns the parts as they are stored. The keeper of a figure and the time are noted once: a client cannot change them. */
function written(parts: readonly PartInput[], stored: readonly Part[], userId: string): string {
  const seen = new Set<string>();
  const time = timestamp(Date.now());
  const list = parts.map((part, at): Part => {
    if (seen.has(part.id))
      throw invalidInput([{ path: `body/parts/${at}/id`, message: 'is in the report twice' }]);
    seen.add(part.id);
    if (part.kind === 'text') return part;
    const before = stored.find((one) => one.kind === 'figure' && one.id === part.id);
    return { ...part, kept: before?.kind === 'figure' ? before.kept : { by: userId, time } };
  });
  return JSON.stringify(list);
}
