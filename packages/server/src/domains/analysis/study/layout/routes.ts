import { Type } from 'typebox';
import type { Caller } from '../../../../access/caller.ts';
import type { OperationName } from '../../../../access/operations.ts';
import { Answer, type Route, route } from '../../../../api/route.ts';
import { projectIdShape, timestampShape } from '../../../../api/shapes.ts';
import { invalidInput } from '../../../../base/problem.ts';
import type { Records } from '../../../../platform/records/records.ts';
import type { Audit } from '../../../audit/index.ts';
import type { Projects } from '../../../files/projects/index.ts';
import { type CohortDoor, locate } from '../../analytics/index.ts';
import { type Chart, chartsShape, Layouts, type Scope } from './layouts.ts';

const path = '/v1/analytics/study/layout';
const tag = 'Analytics';

interface LayoutRouteDeps {
  records: Records;
  audit: Audit;
  projects: Projects;
  cohorts: CohortDoor;
}

const scopeShape = (description: string) =>
  Type.Unsafe<Scope>({ type: 'string', enum: ['person', 'project'], description });
const writing = Type.Object({
  datasetId: projectIdShape,
  scope: Type.Optional(
    scopeShape('Layout of the caller, or the shared one of the project; default `person`'),
  ),
});
const layoutShape = Type.Object(
  {
    scope: Type.Optional(scopeShape('Owner of the layout; absent: no layout was saved')),
    charts: Type.Optional(chartsShape),
    modificationTime: Type.Optional(timestampShape),
  },
  { title: 'StudyLayout', description: 'Layout of charts; an empty object before one is saved' },
);

/** Routes of /v1/analytics/study/layout. */
export function layoutRoutes(deps: LayoutRouteDeps): Route[] {
  const layouts = new Layouts(deps);
  const written = async (query: { datasetId: string; scope?: Scope | undefined }, caller: Caller) =>
    located(query, query.scope === 'project' ? 'study.shareLayout' : 'study.saveLayout', deps, caller);
  return [
    route({
      method: 'GET',
      path,
      operation: 'study.readLayout',
      tag,
      summary: 'Get the layout of the charts of a project',
      query: Type.Object({
        datasetId: projectIdShape,
        scope: Type.Optional(scopeShape('Absent: that of the caller, else that of the project')),
      }),
      answers: { 200: { schema: layoutShape, description: 'The layout' } },
      locate: ({ query }, _account, caller) => located(query, 'study.readLayout', deps, caller),
      handle: async ({ resource: { project }, query, caller }) =>
        (await layouts.find(project, caller.userId, query.scope)) ?? {},
    }),
    route({
      method: 'PUT',
      path,
      operation: 'study.saveLayout',
      tag,
      summary: 'Save the layout of the charts of a project',
      description: 'Saving the shared one of the project needs updateData or projectAdmin.',
      query: writing,
      body: Type.Object({ charts: chartsShape }),
      answers: { 200: { schema: layoutShape, description: 'The layout' } },
      locate: ({ query }, _account, caller) => written(query, caller),
      handle: async ({ resource, body, caller, requestId }) => {
        requireDistinct(body.charts);
        return layouts.save(resource, body.charts, { caller, requestId });
      },
    }),
    route({
      method: 'DELETE',
      path,
      operation: 'study.saveLayout',
      tag,
      summary: 'Delete the layout of the charts of a project',
      description: 'Deletes that of the caller, or the shared one with the rights of `PUT`.',
      query: writing,
      answers: { 204: { description: 'Deleted' } },
      locate: ({ query }, _account, caller) => written(query, caller),
      handle: async ({ resource, caller, requestId }) => {
        await layouts.delete(resource, { caller, requestId });
        return new Answer(204);
      },
    }),
  ];
}

async function located(
  { datasetId, scope = 'person' }: { datasetId: string; scope?: Scope | undefined },
  operation: OperationName,
  deps: LayoutRouteDeps,
  caller: Caller,
) {
  const found = await locate({ datasetId, cohortId: undefined, cohortIds: [] }, deps, caller);
  if (!found) return undefined;
  const { attributes, record } = found;
  return { attributes, operation, record: { account: record.account, project: datasetId, scope } };
}

function requireDistinct(charts: readonly Chart[]): void {
  const ids = charts.map(({ id }) => id);
  const at = ids.findIndex((id, place) => ids.indexOf(id) !== place);
  if (at >= 0) throw invalidInput([{ path: `body/charts/${at}/id`, message: 'is the id of another chart' }]);
}
