import { type Static, Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { attributesOfNew } from '../../../access/resource.ts';
import type { Pages } from '../../../api/paging.ts';
import { type AlsoNeeded, Answer, type Located, type Route, route } from '../../../api/route.ts';
import { idParam } from '../../../api/shapes.ts';
import type { FilesTable, UploadsTable } from '../../../platform/records/schema.ts';
import { attributesOf, attributesOfUpload, relativeName } from '../file.ts';
import type { FileDeps } from '../file-deps.ts';
import type { Files } from '../files.ts';
import { locateProject, type ProjectRecord, type Projects } from '../projects/index.ts';
import { baseFields, filesTag, newFileShape, partParams, uploadUrlShape } from '../shapes.ts';
import type { DirectUploads } from './direct-uploads.ts';
import { type PartedUploads, requireOpen } from './parted-uploads.ts';
import type { Transfers } from './transfers.ts';
import type { Uploads } from './uploads.ts';

export interface FileRouteDeps extends FileDeps {
  files: Files;
  uploads: Uploads;
  partedUploads: PartedUploads;
  transfers: Transfers;
  directUploads?: DirectUploads | undefined;
  projects: Projects;
  pages: Pages;
}

/** Returns the routes of POST /v1/files and of /v1/uploads. */
export function uploadRoutes(deps: FileRouteDeps): Route[] {
  return [wholeRoute(deps), partedRoute(deps), partRoute(deps), completeRoute(deps)];
}

type NewFileBody = Static<typeof newFileShape>;

/** Target project of an upload, and the file it replaces. */
interface Target {
  project: ProjectRecord;
  replaced: FilesTable | undefined;
}

/** Locates the project and the permission an upload needs: to create a file or to replace one. */
async function locateTarget(
  { uploads, projects, directUploads }: FileRouteDeps,
  body: NewFileBody,
  caller: Caller,
): Promise<Located<Target> | undefined> {
  const project = await locateProject(projects, body.datasetId);
  const { account, id } = project?.record ?? {};
  if (account && id) await directUploads?.notice({ account, project: id, name: relativeName(body.name) });
  if (!project) return undefined;
  const replaced = await uploads.replaced(body.datasetId, canonical(body));
  const record = { project: project.record, replaced };
  const ingested: AlsoNeeded | undefined = !body.ingest
    ? undefined
    : replaced
      ? { operation: 'ingestions.replace', attributes: { ...attributesOf(replaced), type: 'ingestion' } }
      : {
          operation: 'ingestions.create',
          attributes: attributesOfNew('ingestion', project.record, caller),
        };
  const also = ingested ? [ingested] : [];
  if (!replaced) return { attributes: attributesOfNew('file', project.record, caller), record, also };
  if (replaced.project_id !== project.record.id) return undefined;
  return { record, attributes: attributesOf(replaced), operation: 'files.overwrite', also };
}

/** Locates an upload in parts. Continuing it requires the permission that starting it required. */
async function locateUpload(
  { uploads, partedUploads }: FileRouteDeps,
  id: string,
): Promise<Located<UploadsTable> | undefined> {
  const record = await partedUploads.find(id);
  if (!record) return undefined;
  const { project_id, file_id, name, completed_at } = record;
  const replaced =
    completed_at === null ? await uploads.replaced(project_id, { id: file_id, name }) : undefined;
  if (!replaced) return { attributes: attributesOfUpload(record), record };
  return { attributes: attributesOf(replaced), record, operation: 'uploads.overwrite' };
}

function wholeRoute(deps: FileRouteDeps): Route {
  const { uploads, transfers } = deps;
  return route({
    method: 'POST',
    path: '/v1/files',
    operation: 'files.create',
    conflicts: ['FILE_EXISTS'],
    tag: filesTag,
    summary: 'Begin the upload of a file',
    description:
      'Then PUT the bytes to `uploadUrl`, without any credentials. The file appears when they are complete.',
    accountHeader: true,
    body: newFileShape,
    answers: {
      200: {
        schema: Type.Object({ ...baseFields, uploadUrl: uploadUrlShape }),
        description: 'Address for the PUT of the bytes',
      },
    },
    locate: ({ body }, _account, caller) => locateTarget(deps, body, caller),
    handle: async ({ resource, body, caller, requestId }) => {
      const upload = await uploads.begin(resource.project, canonical(body), {
        caller,
        requestId,
        replaced: resource.replaced,
      });
      return {
        id: upload.file_id,
        name: upload.name,
        datasetId: upload.project_id,
        contentType: upload.content_type,
        uploadUrl: await transfers.uploadUrl(upload, caller),
      };
    },
  });
}

function partedRoute(deps: FileRouteDeps): Route {
  return route({
    method: 'POST',
    path: '/v1/uploads',
    operation: 'files.create',
    conflicts: ['FILE_EXISTS'],
    tag: filesTag,
    summary: 'Begin the upload of a large file in parts',
    description:
      'Then request the address of each part, PUT its bytes there, and DELETE the upload: this joins the parts into the file.',
    accountHeader: true,
    body: newFileShape,
    answers: {
      200: {
        schema: Type.Object({
          id: Type.String({ description: 'Id that the file will have' }),
          uploadId: Type.String({ description: 'Id of the upload, for its parts' }),
        }),
        description: 'The upload',
      },
    },
    locate: ({ body }, _account, caller) => locateTarget(deps, body, caller),
    handle: async ({ resource, body, caller, requestId }) => {
      const upload = await deps.uploads.begin(
        resource.project,
        canonical(body),
        { caller, requestId, replaced: resource.replaced },
        'parts',
      );
      return { id: upload.file_id, uploadId: upload.id };
    },
  });
}

function partRoute(deps: FileRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/v1/uploads/:id/parts/:number',
    operation: 'uploads.continue',
    conflicts: ['UPLOAD_COMPLETE'],
    tag: filesTag,
    summary: 'Get the address for the PUT of a part of an upload',
    description:
      'Parts are numbered from 1 to 10,000 and joined in that order; gaps are allowed. Send parts in any order, concurrently or repeatedly: the last one sent counts.',
    accountHeader: true,
    params: partParams,
    answers: {
      200: {
        schema: Type.Object({ uploadUrl: uploadUrlShape }),
        description: 'Address for the PUT of the bytes',
      },
    },
    locate: ({ params }) => locateUpload(deps, params.id),
    handle: async ({ resource, params, caller }) => {
      requireOpen(resource);
      return { uploadUrl: await deps.transfers.partUrl(resource, params.number, caller) };
    },
  });
}

function completeRoute(deps: FileRouteDeps): Route {
  return route({
    method: 'DELETE',
    path: '/v1/uploads/:id',
    operation: 'uploads.continue',
    conflicts: ['FILE_EXISTS', 'FILE_CHANGED', 'UPLOAD_EMPTY', 'UPLOAD_BUSY', 'PART_ENDED'],
    tag: filesTag,
    summary: 'Complete an upload: join its parts into the file',
    description:
      'Responds when the file is durable. May be repeated. Uploads that are not completed are removed when they expire.',
    accountHeader: true,
    params: idParam,
    answers: { 204: { description: 'The file is complete' } },
    locate: ({ params }) => locateUpload(deps, params.id),
    handle: async ({ resource, caller, requestId }) => {
      const { account_id: account, project_id: project, name } = resource;
      // Bytes already stored under that name take it first.
      await deps.directUploads?.notice({ account, project, name });
      await deps.partedUploads.complete(resource, { caller, requestId });
      return new Answer(204);
    },
  });
}

/** Spells an id and a name as they are stored. */
function canonical<T extends { id?: string; name: string }>(body: T): T {
  const name = relativeName(body.name);
  return body.id === undefined ? { ...body, name } : { ...body, name, id: body.id.toLowerCase() };
}
