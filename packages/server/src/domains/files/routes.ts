import type { Caller } from '../../access/caller.ts';
import { nameKey } from '../../names.ts';
import { type Pages, pageOf, pageQuery } from '../../paging.ts';
import type { FilesTable } from '../../platform/records/schema.ts';
import { Answer, anyType, type Located, type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { idParam } from '../../shapes.ts';
import { locateProject, type Projects } from '../projects/index.ts';
import type { Arrivals } from './arrivals.ts';
import { download, downloadAnswers, downloadHeaders } from './download.ts';
import { viewOf } from './file.ts';
import type { FileParts, Files } from './files.ts';
import { listFolder, viewOfEntry } from './folders.ts';
import type { PartedUploads } from './parted-uploads.ts';
import { entryShape, fileShape, filesTag, nameField } from './shapes.ts';
import { type FileOrder, listFiles } from './store.ts';
import type { Transfers } from './transfers.ts';
import type { FileChange } from './update-file.ts';
import { uploadRoutes } from './upload-routes.ts';
import type { Uploads } from './uploads.ts';

const tag = filesTag;

const orders: Record<string, FileOrder> = {
  name: { by: 'name', descending: false },
  'name desc': { by: 'name', descending: true },
  'name:desc': { by: 'name', descending: true },
  size: { by: 'size', descending: false },
  'size desc': { by: 'size', descending: true },
  'size:desc': { by: 'size', descending: true },
};

export interface FileRouteParts extends FileParts {
  files: Files;
  uploads: Uploads;
  partedUploads: PartedUploads;
  transfers: Transfers;
  arrivals?: Arrivals | undefined;
  projects: Projects;
  pages: Pages;
}

/** /v1/files, /v1/uploads, and the files of a project by folder. */
export function fileRoutes(parts: FileRouteParts): Route[] {
  return [
    listRoute(parts),
    folderRoute(parts),
    ...uploadRoutes(parts),
    readRoute(parts),
    updateRoute(parts),
    deleteRoute(parts),
  ];
}

function listRoute({ records, projects, pages, arrivals }: FileRouteParts): Route {
  return route({
    method: 'GET',
    path: '/v1/files',
    operation: 'files.list',
    tag,
    summary: 'Files that you may read',
    description: 'Of one project (`datasetId`) or of all projects of the account.',
    accountHeader: true,
    query: Type.Object({
      datasetId: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
      name: Type.Optional(
        Type.String({ maxLength: 1024, description: 'Begins with, without regard to case' }),
      ),
      orderBy: Type.Optional(Type.Union(Object.keys(orders).map((order) => Type.Literal(order)))),
      ...pageQuery,
    }),
    answers: {
      200: { schema: pageOf(fileShape), description: 'In the order asked for, by name by default' },
    },
    locate: async ({ query }, account) => {
      if (query.datasetId !== undefined) return locateProject(projects, query.datasetId) as never;
      return { attributes: { account, type: 'account', id: account }, record: undefined };
    },
    handle: async ({ account, query, caller }) => {
      const { datasetId, name = '', orderBy = 'name' } = query;
      const scope = JSON.stringify(['files', account, caller.userId, datasetId, name, orderBy]);
      const list = { path: '/v1/files', query, scope };
      const page = pages.read(query, scope);
      const order = orders[orderBy] ?? { by: 'name', descending: false };
      await arrivals?.noticeForList({ account, project: datasetId });
      const rows = await listFiles(records.read, caller, { account, datasetId, name, order, page });
      const sortValue = (row: (typeof rows)[number]) => (order.by === 'size' ? row.size : nameKey(row.name));
      return pages.answer(rows, page, list, (row) => [sortValue(row), row.id], viewOf);
    },
  });
}

function folderRoute({ records, projects, pages, arrivals }: FileRouteParts): Route {
  return route({
    method: 'GET',
    path: '/v1/projects/:id/files',
    operation: 'files.list',
    tag,
    summary: 'One folder level of a project',
    description:
      'Folders and files whose names begin with `prefix`, up to the next slash behind it. Only those that you may read.',
    params: idParam,
    query: Type.Object({
      prefix: Type.Optional(
        Type.String({
          maxLength: 1024,
          description: 'Exactly so, with regard to case; the `name` of a folder shows what is in it',
        }),
      ),
      ...pageQuery,
    }),
    answers: { 200: { schema: pageOf(entryShape), description: 'By name' } },
    locate: ({ params }) => locateProject(projects, params.id),
    handle: async ({ resource, query, caller }) => {
      const { id: project, account } = resource;
      const { prefix = '' } = query;
      const scope = JSON.stringify(['folder', project, caller.userId, prefix]);
      const page = pages.read(query, scope);
      await arrivals?.noticeForList({ account, project });
      const entries = await listFolder(records, caller, { account, project, prefix, page });
      const list = { path: `/v1/projects/${project}/files`, query, scope };
      return pages.answer(entries, page, list, ({ name }) => [name], viewOfEntry);
    },
  });
}

function readRoute({ files, blobs, transfers }: FileRouteParts): Route {
  return route({
    method: 'GET',
    path: '/v1/files/:id',
    operation: 'files.read',
    tag,
    summary: 'The bytes of a file, or where to get them',
    description: '`include=downloadUrl`: JSON with an address that needs no key.',
    accountHeader: true,
    headers: downloadHeaders,
    params: idParam,
    query: Type.Object({
      include: Type.Optional(
        Type.Union([Type.Literal('downloadUrl'), Type.Literal('metadata'), Type.Literal('')]),
      ),
    }),
    answers: {
      200: {
        schema: Type.Object({
          ...fileShape.properties,
          downloadUrl: Type.Optional(Type.String({ format: 'uri' })),
        }),
        description: 'The bytes in their own content type; JSON with `include`',
        alsoAs: anyType,
        etag: true,
      },
      ...downloadAnswers,
    },
    locate: ({ params }, _account, caller) => files.locateToRead(params.id, caller),
    handle: async ({ resource, query, method, headers, caller }) => {
      if (query.include === 'metadata') return viewOf(resource);
      if (query.include === 'downloadUrl') {
        return { ...viewOf(resource), downloadUrl: transfers.downloadUrl(resource, caller.userId) };
      }
      return download(blobs, resource, { method, headers }, (id) => files.find(id));
    },
  });
}

function updateRoute({ files, projects, arrivals }: FileRouteParts): Route {
  return route({
    method: 'PATCH',
    path: '/v1/files/:id',
    operation: 'files.update',
    tag,
    summary: 'Rename a file, or move it into another project',
    description:
      'A move needs createData in the other project and readData where the file is; what was ingested from the file moves along.',
    accountHeader: true,
    headers: ['If-Match', 'If-Unmodified-Since'],
    params: idParam,
    body: Type.Object({
      name: Type.Optional(nameField),
      datasetId: Type.Optional(
        Type.String({ minLength: 1, maxLength: 255, description: 'Id of the project to move into' }),
      ),
    }),
    answers: { 200: { schema: fileShape, description: 'The file as it is now' } },
    locate: async ({ params, body }, _account, caller) => {
      return locateToUpdate({ files, projects }, params.id, body, caller);
    },
    handle: async ({ resource, body, caller, requestId, headers: conditions }) => {
      const { name = resource.name, datasetId: project = resource.project_id } = body;
      // What has arrived under that name has it.
      await arrivals?.notice({ account: resource.account_id, project, name });
      return viewOf(await files.update(resource, body, { caller, requestId, conditions }));
    },
  });
}

/**
 * A move also asks whether the caller may make files where it goes, and read the file where it is: else who may read the one
 * project and not the other could fetch the file from there.
 */
async function locateToUpdate(
  { files, projects }: Pick<FileRouteParts, 'files' | 'projects'>,
  id: string,
  { datasetId }: FileChange,
  caller: Caller,
): Promise<Located<FilesTable> | undefined> {
  const located = await files.locateToRead(id, caller);
  if (!located) return undefined;
  const { attributes, record, operation: reads = 'files.read' } = located;
  if (datasetId === undefined || datasetId === record.project_id) return { attributes, record };
  const target = await locateProject(projects, datasetId);
  if (target?.attributes.account !== record.account_id) return undefined;
  return {
    attributes,
    record,
    also: [
      { operation: reads, attributes },
      { operation: 'files.create', attributes: target.attributes },
    ],
  };
}

function deleteRoute({ files }: FileRouteParts): Route {
  return route({
    method: 'DELETE',
    path: '/v1/files/:id',
    operation: 'files.delete',
    tag,
    summary: 'Delete a file and the rows that were ingested from it',
    accountHeader: true,
    headers: ['If-Match', 'If-Unmodified-Since'],
    params: idParam,
    query: Type.Object({
      keepRows: Type.Optional(Type.Boolean({ description: 'Leave the ingested rows in the lake' })),
    }),
    answers: { 204: { description: 'Deleted' } },
    locate: ({ params }) => files.locate(params.id),
    handle: async ({ resource, query, caller, requestId, headers: conditions }) => {
      await files.delete(resource, query.keepRows ?? false, { caller, requestId, conditions });
      return new Answer(204);
    },
  });
}
