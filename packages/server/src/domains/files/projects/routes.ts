import { Type } from 'typebox';
import { privileges } from '../../../access/operations.ts';
import { type Pages, pageOf, pageQuery } from '../../../api/paging.ts';
import { Answer, type Located, type Route, route } from '../../../api/route.ts';
import {
  countOf,
  deletionDateShape,
  descriptionShape,
  forceShape,
  idParam,
  nameShape,
  optionalText,
  pendingDeletionShape,
  textOf,
} from '../../../api/shapes.ts';
import { nameKey } from '../../../base/names.ts';
import type { ProjectDeletion } from './deletion.ts';
import type { ProjectRecord, Projects } from './projects.ts';

const tag = 'Projects';

const projectShape = Type.Object(
  {
    id: textOf('Id of the project: `datasetId` elsewhere'),
    name: textOf('Name, unique in the account regardless of case'),
    description: optionalText('Free text for people'),
    deletionDate: pendingDeletionShape,
    rights: Type.Optional(
      Type.Array(
        Type.Object({
          privilege: Type.String({ enum: [...privileges], description: 'Privilege of the caller' }),
          isWhole: Type.Boolean({ description: 'False if only for some resources or rows of the project' }),
        }),
        { description: 'Rights of the caller in the project; with `include=rights`' },
      ),
    ),
    counts: Type.Optional(
      Type.Object(
        {
          files: countOf('Number of the files'),
          bytes: countOf('Bytes of the files'),
          changedAt: Type.Optional(
            Type.Integer({ description: 'Last change of a file, epoch milliseconds; absent without files' }),
          ),
        },
        {
          description:
            'Files of the project; with `include=counts`, for callers who may read all of them or administer it',
        },
      ),
    ),
    storage: Type.Optional(
      Type.Object(
        { files: countOf('Number of the files'), bytes: countOf('Bytes of the files') },
        { description: 'Files of the project; with `include=storage`' },
      ),
    ),
  },
  { title: 'Project' },
);

/** Parts of projects that a list adds when they are asked for. */
const includeShape = Type.Optional(
  Type.Unsafe<string>({
    type: 'string',
    enum: ['', 'rights', 'counts', 'rights,counts'],
    description: 'Parts to add to each project',
  }),
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
      summary: 'List the projects of the account in which you have a privilege',
      accountHeader: true,
      query: Type.Object({
        name: Type.Optional(
          Type.String({ maxLength: 255, description: 'Begins with, without regard to case' }),
        ),
        include: includeShape,
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
        const rows = await projects.list(caller, account, query.name ?? '', page);
        const asked = new Set(query.include?.split(','));
        const counts = asked.has('counts') ? await projects.countsOf(caller, rows) : undefined;
        const view = caller.projectsOf(account);
        return pages.answer(
          rows,
          page,
          list,
          (row) => [nameKey(row.name)],
          (row) => ({
            ...row,
            ...(asked.has('rights') && { rights: view.rightsIn(row.id) }),
            ...(counts?.has(row.id) && { counts: counts.get(row.id) }),
          }),
        );
      },
    }),
    route({
      method: 'POST',
      path: '/v1/projects',
      operation: 'projects.create',
      conflicts: ['PROJECT_EXISTS'],
      tag,
      summary: 'Create a project',
      accountHeader: true,
      body: Type.Object({
        name: nameShape('Unique in the account, without regard to case'),
        description: descriptionShape,
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
      summary: 'Get a project',
      description: '`include=storage` needs projectAdmin.',
      params: idParam,
      query: Type.Object({
        include: Type.Optional(Type.Union([Type.Literal('storage'), Type.Literal('')])),
      }),
      answers: { 200: { schema: projectShape, description: 'The project' } },
      locate: async ({ params, query }) => {
        const located = await locateProject(projects, params.id);
        if (!located || query.include !== 'storage') return located;
        return { ...located, also: [{ operation: 'projects.update', attributes: located.attributes }] };
      },
      handle: async ({ resource, query }) =>
        query.include === 'storage'
          ? { ...resource, storage: await projects.storageOf(resource.id) }
          : resource,
    }),
    route({
      method: 'PATCH',
      path: '/v1/projects/:id',
      operation: 'projects.update',
      conflicts: ['PROJECT_EXISTS'],
      tag,
      summary: 'Rename a project, or cancel its pending deletion',
      params: idParam,
      body: Type.Object({
        name: Type.Optional(nameShape('New name')),
        description: descriptionShape,
        deletionDate: deletionDateShape,
      }),
      answers: { 200: { schema: projectShape, description: 'The changed project' } },
      locate: ({ params }) => locateProject(projects, params.id),
      handle: async ({ resource, body, caller, requestId }) =>
        projects.update(resource, body, { caller, requestId }),
    }),
    route({
      method: 'DELETE',
      path: '/v1/projects/:id',
      operation: 'projects.delete',
      tag,
      summary: 'Delete a project, after a grace period or at once',
      description:
        'The project keeps working until its `deletionDate`; clearing that date cancels the deletion. With `force=true` the project and its contents are deleted with this answer.',
      params: idParam,
      query: Type.Object({ force: forceShape }),
      answers: { 204: { description: 'Deleted, or marked for deletion' } },
      locate: ({ params }) => locateProject(projects, params.id),
      handle: async ({ resource, query, caller, requestId }) => {
        await deletion.delete(resource, query.force ?? false, { caller, requestId });
        return new Answer(204);
      },
    }),
  ];
}
