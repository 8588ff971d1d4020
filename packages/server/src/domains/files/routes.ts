import { Type } from 'typebox';
import type { Caller } from '../../access/caller.ts';
import { pageOf, pageQuery } from '../../api/paging.ts';
import { Answer, anyType, type Located, type Route, route } from '../../api/route.ts';
import { idParam } from '../../api/shapes.ts';
import { nameKey } from '../../base/names.ts';
import type { FilesTable } from '../../platform/records/schema.ts';
import { download, downloadAnswers, downloadHeaders } from './download.ts';
import { attributesOf, relativeName, viewOf } from './file.ts';
import { listPrefix, viewOfEntry } from './folders.ts';
import { locateProject } from './projects/index.ts';
import { entryShape, fileShape, filesTag, nameField } from './shapes.ts';
import { type FileOrder, listFiles } from './store.ts';
import type { FileChange } from './update-file.ts';
import { unfinishedRoutes } from './uploads/unfinished-routes.ts';
import { type FileRouteDeps, uploadRoutes } from './uploads/upload-routes.ts';

const tag = filesTag;

const orders: Record<string, FileOrder> = {
  name: { by: 'name', descending: false },
  'name desc': { by: 'name', descending: true },
  'name:desc': { by: 'name', descending: true },
  size: { by: 'size', descending: false },
  'size desc': { by: 'size', descending: true },
  'size:desc': { by: 'size', descending: true },
};

/** /v1/files, /v1/uploads, and the files of a project by folder. */
export function fileRoutes(deps: FileRouteDeps): Route[] {
  return [
    listRoute(deps),
    folderRoute(deps),
    ...uploadRoutes(deps),
    ...unfinishedRoutes(deps),
    readRoute(deps),
    updateRoute(deps),
    deleteRoute(deps),
  ];
}

function listRoute({ records, projects, pages, directUploads, listeners }: FileRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/v1/files',
    operation: 'files.list',
    tag,
    summary: 'List the files that you may read',
    description: 'Lists one project (`datasetId`) or all projects of the account.',
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
      const { datasetId, orderBy = 'name' } = query;
      const name = relativeName(query.name ?? '');
      const scope = JSON.stringify(['files', account, caller.userId, datasetId, name, orderBy]);
      const list = { path: '/v1/files', query, scope };
      const page = pages.read(query, scope);
      const order = orders[orderBy] ?? { by: 'name', descending: false };
      await directUploads?.noticeForList({ account, project: datasetId });
      const uncovered = await listeners.uncoveredResults(account, caller);
      const request = { account, uncovered, datasetId, name, order, page };
      const rows = await listFiles(records.read, caller, request);
      const sortValue = (row: (typeof rows)[number]) => (order.by === 'size' ? row.size : nameKey(row.name));
      return pages.answer(rows, page, list, (row) => [sortValue(row), row.id], viewOf);
    },
  });
}

function folderRoute({ records, projects, pages, directUploads, listeners }: FileRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/v1/projects/:id/files',
    operation: 'files.list',
    tag,
    summary: 'List one folder level of a project',
    description:
      'Folders and files whose names begin with `prefix`, up to the next slash behind it. Only those that you may read.',
    params: idParam,
    query: Type.Object({
      prefix: Type.Optional(
        Type.String({
          maxLength: 1024,
          description: 'Case-sensitive; the name of a folder lists it, also without its last slash',
        }),
      ),
      ...pageQuery,
    }),
    answers: { 200: { schema: pageOf(entryShape), description: 'By name' } },
    locate: ({ params }) => locateProject(projects, params.id),
    handle: async ({ resource, query, caller }) => {
      const { id: project, account } = resource;
      const prefix = relativeName(query.prefix ?? '');
      const scope = JSON.stringify(['folder', project, caller.userId, prefix]);
      const page = pages.read(query, scope);
      await directUploads?.noticeForList({ account, project });
      const uncovered = await listeners.uncoveredResults(account, caller);
      const request = { account, uncovered, project, prefix, page };
      const entries = await listPrefix(records, caller, request);
      const list = { path: `/v1/projects/${project}/files`, query, scope };
      return pages.answer(entries, page, list, ({ name }) => [name], viewOfEntry);
    },
  });
}

function readRoute({ files, blobs, transfers }: FileRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/v1/files/:id',
    operation: 'files.read',
    tag,
    summary: 'Get the bytes of a file, or an address of them',
    description:
      '`include=downloadUrl`: JSON with an address that needs no key. Clients that send the account under a name of `PLOIDY_ACCOUNT_HEADERS` get `include=metadata` by default.',
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
          downloadUrl: Type.Optional(
            Type.String({
              format: 'uri',
              description:
                'Only with `include=downloadUrl`: address of the bytes; needs no credentials, valid for a limited time',
            }),
          ),
        }),
        description: 'The bytes in their own content type; JSON with `include`',
        alsoAs: anyType,
        etag: true,
      },
      ...downloadAnswers,
    },
    locate: ({ params }, _account, caller) => files.locateToRead(params.id, caller),
    handle: async ({ resource, query, method, headers, caller, isAccountAlias }) => {
      if (query.include === 'metadata' || (query.include === undefined && isAccountAlias))
        return viewOf(resource);
      if (query.include === 'downloadUrl') {
        return { ...viewOf(resource), downloadUrl: transfers.downloadUrl(resource, caller) };
      }
      return download(blobs, resource, { method, headers }, (id) => files.find(id));
    },
  });
}

function updateRoute({ files, projects, directUploads }: FileRouteDeps): Route {
  return route({
    method: 'PATCH',
    path: '/v1/files/:id',
    operation: 'files.update',
    conflicts: ['FILE_EXISTS', 'FILE_CHANGING', 'INGESTION_RUNNING', 'TABLE_EXISTS', 'SOURCE_CONFLICT'],
    tag,
    summary: 'Rename a file, or move it into another project',
    description:
      'A move needs createData in the other project and readData in the present one; ingested rows move with the file.',
    accountHeader: true,
    headers: ['If-Match', 'If-Unmodified-Since'],
    params: idParam,
    body: Type.Object({
      name: Type.Optional(nameField),
      datasetId: Type.Optional(
        Type.String({ minLength: 1, maxLength: 255, description: 'Id of the project to move into' }),
      ),
    }),
    answers: { 200: { schema: fileShape, description: 'The changed file' } },
    locate: async ({ params, body }, _account, caller) => {
      return locateToUpdate({ files, projects }, params.id, body, caller);
    },
    handle: async ({ resource, body, caller, requestId, headers: conditions }) => {
      const name = relativeName(body.name ?? resource.name);
      const { datasetId: project = resource.project_id } = body;
      // Bytes already stored under the new name take it first.
      await directUploads?.notice({ account: resource.account_id, project, name });
      return viewOf(await files.update(resource, { ...body, name }, { caller, requestId, conditions }));
    },
  });
}

/**
 * Locates a file to update. A move also requires createData in the target project and readData here: else a caller could read a
 * file by moving it into a readable project. The answer to a new name shows name and size: that of a result needs its rows.
 */
async function locateToUpdate(
  { files, projects }: Pick<FileRouteDeps, 'files' | 'projects'>,
  id: string,
  { datasetId }: FileChange,
  caller: Caller,
): Promise<Located<FilesTable> | undefined> {
  const located = await files.locateToRead(id, caller);
  if (!located) return undefined;
  const { attributes, record, operation: reads = 'files.read' } = located;
  if (datasetId === undefined || datasetId === record.project_id)
    return {
      attributes,
      record,
      ...(record.origin === 'query' && { also: [{ operation: reads, attributes }] }),
    };
  const target = await locateProject(projects, datasetId);
  if (target?.attributes.account !== record.account_id) return undefined;
  return {
    attributes,
    record,
    also: [
      { operation: reads, attributes },
      { operation: 'files.create', attributes: { ...attributesOf(record), dataset: datasetId } },
    ],
  };
}

function deleteRoute({ files }: FileRouteDeps): Route {
  return route({
    method: 'DELETE',
    path: '/v1/files/:id',
    operation: 'files.delete',
    conflicts: ['FILE_CHANGING', 'TABLE_OF_FILE'],
    tag,
    summary: 'Delete a file and the rows that were ingested from it',
    accountHeader: true,
    headers: ['If-Match', 'If-Unmodified-Since'],
    params: idParam,
    query: Type.Object({
      keepRows: Type.Optional(Type.Boolean({ description: 'Leave the ingested rows in the lake' })),
    }),
    answers: { 204: { description: 'Deleted' } },
    locate: ({ params }, _account, caller) => files.locateToDelete(params.id, caller),
    handle: async ({ resource, query, caller, requestId, headers: conditions }) => {
      await files.delete(resource, query.keepRows ?? false, { caller, requestId, conditions });
      return new Answer(204);
    },
  });
}
