import { nameKey } from '../../names.ts';
import { type Pages, pageOf, pageQuery } from '../../paging.ts';
import { Answer, type Located, type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { deletionDateShape, forceShape, idParam, nameShape, timestampShape } from '../../shapes.ts';
import type { ProjectDeletion } from './deletion.ts';
import type { ProjectRecord, Projects } from './projects.ts';

const tag = 'Projects';

const projectShape = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    description: Type.Optional(Type.String()),
    deletionDate: Type.Optional(timestampShape),
  },
  { title: 'Project' },
);

/** Locates a project by its id, for every route that names one. */
export async function locateProject(
  projects: Projects,
  id: string,
): Promise<Located<ProjectRecord> | undefined> {
  const record = await projects.find(id);
  return record && { attributes: { account: record.account, dataset: id, type: 'project', id }, record };
}

/** /v1/projects */
export function projectRoutes(projects: Projects, deletion: ProjectDeletion, pages: Pages): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/projects',
      operation: 'projects.list',
      tag,
      summary: 'Projects of the account',
      accountHeader: true,
      query: Type.Object({
        name: Type.Optional(
          Type.String({ maxLength: 255, description: 'Begins with, without regard to case' }),
        ),
        ...pageQuery,
      }),
      answers: { 200: { schema: pageOf(projectShape), description: 'By name' } },
      handle: async ({ account, query, caller }) => {
        const list = {
          path: '/v1/projects',
          query,
          scope: `projects:${account}:${caller.userId}:${query.name ?? ''}`,
        };
        const page = pages.read(query, list.scope);
        const rows = await projects.list(account, query.name ?? '', page);
        return pages.answer(
          rows,
          page,
          list,
          (row) => [nameKey(row.name)],
          (row) => row,
        );
      },
    }),
    route({
      method: 'POST',
      path: '/v1/projects',
      operation: 'projects.create',
      tag,
      summary: 'Make a project',
      accountHeader: true,
      body: Type.Object({
        name: nameShape('Unique in the account, without regard to case'),
        description: Type.Optional(Type.String({ maxLength: 4000 })),
      }),
      answers: { 200: { schema: projectShape, description: 'The project' } },
      handle: async ({ account, body, caller, requestId }) =>
        projects.create(account, body, { caller, requestId }),
    }),
    route({
      method: 'GET',
      path: '/v1/projects/:id',
      operation: 'projects.read',
      tag,
      summary: 'One project',
      params: idParam,
      answers: { 200: { schema: projectShape, description: 'The project' } },
      locate: ({ params }) => locateProject(projects, params.id),
      handle: async ({ resource }) => resource,
    }),
    route({
      method: 'PATCH',
      path: '/v1/projects/:id',
      operation: 'projects.update',
      tag,
      summary: 'Rename a project, or cancel its pending deletion',
      params: idParam,
      body: Type.Object({
        name: Type.Optional(nameShape('New name')),
        description: Type.Optional(Type.String({ maxLength: 4000 })),
        deletionDate: deletionDateShape,
      }),
      answers: { 200: { schema: projectShape, description: 'The project as it is now' } },
      locate: ({ params }) => locateProject(projects, params.id),
      handle: async ({ resource, body, caller, requestId }) =>
        projects.update(resource, body, { caller, requestId }),
    }),
    route({
      method: 'DELETE',
      path: '/v1/projects/:id',
      operation: 'projects.delete',
      tag,
      summary: 'Delete a project: after a grace period, or at once',
      description:
        'It keeps working until its `deletionDate`, and clearing that cancels the deletion. With `force=true` it and all that it holds is gone with this answer.',
      params: idParam,
      query: Type.Object({ force: forceShape }),
      answers: { 204: { description: 'Deleted, or marked for it' } },
      locate: ({ params }) => locateProject(projects, params.id),
      handle: async ({ resource, query, caller, requestId }) => {
        await deletion.delete(resource, query.force ?? false, { caller, requestId });
        return new Answer(204);
      },
    }),
  ];
}
