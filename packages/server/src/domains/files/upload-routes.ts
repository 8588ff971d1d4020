import type { FilesTable, UploadsTable } from '../../platform/records/schema.ts';
import { Answer, type Located, type Route, route } from '../../route.ts';
import { type Static, Type } from '../../schema.ts';
import { idParam } from '../../shapes.ts';
import { locateProject, type ProjectRecord } from '../projects/index.ts';
import { attributesOf } from './file.ts';
import { requireOpen } from './parted-uploads.ts';
import type { FileRouteParts } from './routes.ts';
import { baseFields, filesTag, newFileShape, partParams } from './shapes.ts';

/** POST /v1/files and /v1/uploads: how bytes come in. */
export function uploadRoutes(parts: FileRouteParts): Route[] {
  return [wholeRoute(parts), partedRoute(parts), partRoute(parts), completeRoute(parts)];
}

type NewFileBody = Static<typeof newFileShape>;

/** Where a file is to be, and which one it replaces. */
interface Target {
  project: ProjectRecord;
  replaced: FilesTable | undefined;
}

/** The project, and what has to be allowed: to make a file in it, or to replace one. */
async function locateTarget(
  { uploads, projects, arrivals }: FileRouteParts,
  body: NewFileBody,
): Promise<Located<Target> | undefined> {
  const project = await locateProject(projects, body.datasetId);
  const { account, id } = project?.record ?? {};
  if (account && id) await arrivals?.notice({ account, project: id, name: body.name });
  if (!project) return undefined;
  const replaced = await uploads.replaced(body.datasetId, lowerId(body));
  const record = { project: project.record, replaced };
  if (!replaced) return { ...project, record };
  if (replaced.project_id !== project.record.id) return undefined;
  return { record, attributes: attributesOf(replaced), operation: 'files.overwrite' };
}

/** An upload in parts. To go on with it takes the right that it took to begin it. */
async function locateUpload(
  { uploads, partedUploads }: FileRouteParts,
  id: string,
): Promise<Located<UploadsTable> | undefined> {
  const record = await partedUploads.find(id);
  if (!record) return undefined;
  const { account_id, project_id, owner_id, file_id, name } = record;
  const completed = record.completed_at !== null;
  const overwrites = !completed && (await uploads.replaced(project_id, { id: file_id, name })) !== undefined;
  const attributes = {
    account: account_id,
    dataset: project_id,
    type: 'upload',
    id,
    ownerId: owner_id,
  } as const;
  return { attributes, record, ...(overwrites && { operation: 'uploads.overwrite' }) };
}

function wholeRoute(parts: FileRouteParts): Route {
  const { uploads, transfers } = parts;
  return route({
    method: 'POST',
    path: '/v1/files',
    operation: 'files.create',
    tag: filesTag,
    summary: 'Begin the upload of a file',
    description:
      'Then PUT the bytes to `uploadUrl`, without any credentials. The file appears when they are complete.',
    accountHeader: true,
    body: newFileShape,
    answers: {
      200: {
        schema: Type.Object({ ...baseFields, uploadUrl: Type.String({ format: 'uri' }) }),
        description: 'Where to PUT the bytes',
      },
    },
    locate: ({ body }) => locateTarget(parts, body),
    handle: async ({ resource, body, caller, requestId }) => {
      const upload = await uploads.begin(resource.project, lowerId(body), {
        caller,
        requestId,
        replaced: resource.replaced,
      });
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

function partedRoute(parts: FileRouteParts): Route {
  return route({
    method: 'POST',
    path: '/v1/uploads',
    operation: 'files.create',
    tag: filesTag,
    summary: 'Begin the upload of a big file in parts',
    description:
      'Then ask for the address of each part, PUT its bytes there, and DELETE the upload, which joins the parts. The file appears then.',
    accountHeader: true,
    body: newFileShape,
    answers: {
      200: {
        schema: Type.Object({
          id: Type.String({ description: 'Id that the file will have' }),
          uploadId: Type.String(),
        }),
        description: 'The upload',
      },
    },
    locate: ({ body }) => locateTarget(parts, body),
    handle: async ({ resource, body, caller, requestId }) => {
      const upload = await parts.uploads.begin(
        resource.project,
        lowerId(body),
        { caller, requestId, replaced: resource.replaced },
        'parts',
      );
      return { id: upload.file_id, uploadId: upload.id };
    },
  });
}

function partRoute(parts: FileRouteParts): Route {
  return route({
    method: 'GET',
    path: '/v1/uploads/:id/parts/:number',
    operation: 'uploads.continue',
    tag: filesTag,
    summary: 'Where to PUT a part of an upload',
    description:
      'Parts are numbered from 1 to 10,000 and joined in that order; numbers may be left out. They may be sent in any order, at the same time and again: the last one sent counts.',
    accountHeader: true,
    params: partParams,
    answers: {
      200: {
        schema: Type.Object({ uploadUrl: Type.String({ format: 'uri' }) }),
        description: 'Where to PUT the bytes',
      },
    },
    locate: ({ params }) => locateUpload(parts, params.id),
    handle: async ({ resource, params }) => {
      requireOpen(resource);
      return { uploadUrl: parts.transfers.partUrl(resource, params.number) };
    },
  });
}

function completeRoute(parts: FileRouteParts): Route {
  return route({
    method: 'DELETE',
    path: '/v1/uploads/:id',
    operation: 'uploads.continue',
    tag: filesTag,
    summary: 'Complete an upload: join its parts into the file',
    description:
      'Answers when the file is there and durable. May be repeated. An upload that is never completed is removed when its time is over.',
    accountHeader: true,
    params: idParam,
    answers: { 204: { description: 'The file is complete' } },
    locate: ({ params }) => locateUpload(parts, params.id),
    handle: async ({ resource, caller, requestId }) => {
      const { account_id: account, project_id: project, name } = resource;
      // What has arrived under that name came first.
      await parts.arrivals?.notice({ account, project, name });
      await parts.partedUploads.complete(resource, { caller, requestId });
      return new Answer(204);
    },
  });
}

function lowerId<T extends { id?: string }>(body: T): T {
  return body.id === undefined ? body : { ...body, id: body.id.toLowerCase() };
}
