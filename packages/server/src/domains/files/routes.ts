import { Type } from 'typebox';
import { nameKey } from '../../names.ts';
import { type Pages, pageOf, pageQuery } from '../../paging.ts';
import { invalidInput } from '../../problem.ts';
import { Answer, type Route, route } from '../../route.ts';
import { idParam, timestampShape } from '../../shapes.ts';
import { locateProject, type Projects } from '../projects/index.ts';
import { download } from './download.ts';
import { attributesOf, nameMistake, viewOf } from './file.ts';
import type { FileParts, Files } from './files.ts';
import { type FileOrder, listFiles } from './store.ts';
import type { Transfers } from './transfers.ts';
import type { Uploads } from './uploads.ts';

const tag = 'Files';

const baseFields = {
  id: Type.String(),
  name: Type.String({ description: 'Path inside the project' }),
  datasetId: Type.String({ description: 'Id of the project' }),
  contentType: Type.String(),
};

export const fileShape = Type.Object({ ...baseFields, size: Type.Integer(), lastModified: timestampShape });

/**
 * A media type as RFC 9110, section 8.3.1 writes it. Each character has one place in it, so that no text makes the matching
 * try many ways, and all are ASCII, so that it can be sent back as a header.
 */
const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]";
const contentTypePattern = `^${token}{1,127}/${token}{1,127}( *; *${token}+=(${token}*|"[ !#-\\[\\]-~]*"))*$`;

const newFile = Type.Object({
  id: Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
      description: 'A UUID of your own; of a file that exists in the project: overwrite that file',
    }),
  ),
  name: Type.String({
    minLength: 1,
    maxLength: 1024,
    description: 'Path inside the project, such as a/b/c.txt',
  }),
  datasetId: Type.String({ minLength: 1, maxLength: 255 }),
  contentType: Type.Optional(Type.String({ maxLength: 255, pattern: contentTypePattern })),
  overwrite: Type.Optional(Type.Boolean({ description: 'Replace a file of the same name' })),
  contentMD5: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9+/]{22}==$', description: 'Base64 MD5 that the bytes must have' }),
  ),
  size: Type.Optional(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Bytes that will come' }),
  ),
  ingest: Type.Optional(Type.Boolean({ description: 'Start an ingestion when the bytes are complete' })),
});

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
  transfers: Transfers;
  projects: Projects;
  pages: Pages;
}

/** /v1/files */
export function fileRoutes(parts: FileRouteParts): Route[] {
  return [listRoute(parts), createRoute(parts), readRoute(parts), deleteRoute(parts)];
}

function listRoute({ records, projects, pages }: FileRouteParts): Route {
  return route({
    method: 'GET',
    path: '/v1/files',
    operation: 'files.list',
    tag,
    summary: 'Files that you may read',
    description: 'Of one project (`datasetId`) or of all projects of the account.',
    accountHeader: true,
    query: Type.Object({
      datasetId: Type.Optional(Type.String({ maxLength: 255 })),
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
      const rows = await listFiles(records.read, caller, { account, datasetId, name, order, page });
      const sortValue = (row: (typeof rows)[number]) => (order.by === 'size' ? row.size : nameKey(row.name));
      return pages.answer(rows, page, list, (row) => [sortValue(row), row.id], viewOf);
    },
  });
}

function createRoute({ uploads, projects, transfers }: FileRouteParts): Route {
  return route({
    method: 'POST',
    path: '/v1/files',
    operation: 'files.create',
    tag,
    summary: 'Begin the upload of a file',
    description:
      'Then PUT the bytes to `uploadUrl`, without any credentials. The file appears when they are complete.',
    accountHeader: true,
    body: newFile,
    answers: {
      200: {
        schema: Type.Object({ ...baseFields, uploadUrl: Type.String() }),
        description: 'Where to PUT the bytes',
      },
    },
    locate: async ({ body }) => {
      const mistake = nameMistake(body.name);
      if (mistake) throw invalidInput([{ path: 'body/name', message: mistake }]);
      const project = await locateProject(projects, body.datasetId);
      const replaced = project && (await uploads.replaced(body.datasetId, lowerId(body)));
      if (!replaced) return project;
      if (replaced.project_id !== project.record.id) return undefined;
      return { ...project, attributes: attributesOf(replaced), operation: 'files.overwrite' };
    },
    handle: async ({ resource, body, caller, requestId }) => {
      const upload = await uploads.begin(resource, lowerId(body), { caller, requestId });
      return {
        id: upload.file_id,
        name: upload.name,
        datasetId: upload.project_id,
        contentType: upload.content_type,
        uploadUrl: transfers.uploadUrl(upload),
      };
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
    description:
      'Takes `Range` and `If-None-Match`. `include=downloadUrl`: JSON with an address that needs no key.',
    accountHeader: true,
    params: idParam,
    query: Type.Object({
      include: Type.Optional(
        Type.Union([Type.Literal('downloadUrl'), Type.Literal('metadata'), Type.Literal('')]),
      ),
    }),
    answers: {
      200: {
        schema: Type.Object({ ...fileShape.properties, downloadUrl: Type.Optional(Type.String()) }),
        description: 'The bytes in their own content type; JSON with `include`',
      },
      206: { description: 'A range of the bytes' },
      304: { description: 'The reader has these bytes' },
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

function deleteRoute({ files }: FileRouteParts): Route {
  return route({
    method: 'DELETE',
    path: '/v1/files/:id',
    operation: 'files.delete',
    tag,
    summary: 'Delete a file and the rows that were ingested from it',
    accountHeader: true,
    params: idParam,
    query: Type.Object({
      keepRows: Type.Optional(Type.Boolean({ description: 'Leave the ingested rows in the lake' })),
    }),
    answers: { 204: { description: 'Deleted' } },
    locate: ({ params }) => files.locate(params.id),
    handle: async ({ resource, query, caller, requestId }) => {
      await files.delete(resource, query.keepRows ?? false, { caller, requestId });
      return new Answer(204);
    },
  });
}

function lowerId<T extends { id?: string }>(body: T): T {
  return body.id === undefined ? body : { ...body, id: body.id.toLowerCase() };
}
