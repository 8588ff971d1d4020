import { Type } from 'typebox';
import { pageOf, pageQuery } from '../../../api/paging.ts';
import { Answer, type Route, route } from '../../../api/route.ts';
import { countOf, idParam, textOf, timestampShape } from '../../../api/shapes.ts';
import { timestamp } from '../../../base/ids.ts';
import { attributesOfUpload } from '../file.ts';
import { locateProject } from '../projects/index.ts';
import { filesTag } from '../shapes.ts';
import { abortUpload, type UnfinishedUpload, unfinishedUploads } from './unfinished.ts';
import type { FileRouteDeps } from './upload-routes.ts';

const unfinishedShape = Type.Object(
  {
    uploadId: textOf('Id of the upload'),
    id: textOf('Id that the file will have'),
    name: textOf('Name that the file will have'),
    size: Type.Optional(Type.Integer({ description: 'Announced bytes; absent without an announcement' })),
    parts: countOf('Number of the parts that have arrived'),
    bytes: countOf('Bytes of these parts; 0 where clients write to the store'),
    created: timestampShape,
    expires: timestampShape,
  },
  { title: 'UnfinishedUpload' },
);

/** Routes that list uploads in parts that are not complete, and end them. */
export function unfinishedRoutes(deps: FileRouteDeps): Route[] {
  return [listRoute(deps), abortRoute(deps)];
}

function listRoute({ records, projects, pages }: FileRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/v1/projects/:id/uploads',
    operation: 'uploads.listOwn',
    tag: filesTag,
    summary: 'List your uploads in parts that are not complete',
    params: idParam,
    query: Type.Object({ ...pageQuery }),
    answers: { 200: { schema: pageOf(unfinishedShape), description: 'Oldest first' } },
    locate: ({ params }) => locateProject(projects, params.id),
    handle: async ({ resource, query, caller }) => {
      const path = `/v1/projects/${resource.id}/uploads`;
      const list = { path, query, scope: `uploads:${resource.id}:${caller.userId}` };
      const page = pages.read(query, list.scope);
      const rows = await unfinishedUploads(records.read, resource.id, caller.userId, page);
      return pages.answer(rows, page, list, ({ id }) => [id], viewOf);
    },
  });
}

function viewOf(upload: UnfinishedUpload) {
  return {
    ...{ uploadId: upload.id, id: upload.file_id, name: upload.name },
    ...(upload.size !== null && { size: upload.size }),
    ...{ parts: upload.parts, bytes: upload.parts_size ?? 0 },
    ...{ created: timestamp(upload.created_at), expires: timestamp(upload.expires_at) },
  };
}

function abortRoute(deps: FileRouteDeps): Route {
  return route({
    method: 'DELETE',
    path: '/v1/uploads/:id/parts',
    operation: 'uploads.abort',
    tag: filesTag,
    summary: 'Remove the parts of an upload that is not complete, and end it',
    description:
      'Works for the user of the upload in any case. Other callers need deleteData or projectAdmin.',
    params: idParam,
    answers: { 204: { description: 'Removed' } },
    locate: async ({ params }, _account, caller) => {
      const record = await deps.partedUploads.find(params.id);
      if (!record || record.completed_at !== null) return undefined;
      const isOwn = record.owner_id === caller.userId;
      return {
        attributes: attributesOfUpload(record),
        record,
        ...(isOwn && { operation: 'uploads.abortOwn' as const }),
      };
    },
    handle: async ({ resource, caller, requestId }) => {
      await abortUpload(deps, resource, { caller, requestId });
      return new Answer(204);
    },
  });
}
