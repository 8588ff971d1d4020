import { newId } from '../../packages/server/src/base/ids.ts';
import type { Request, RouteCase } from './cases.ts';
import { type Household, type Ids, nobody } from './world.ts';

const json = (path: string, body: object): Request => ({ path, body });

const buckets = (ids: Pick<Ids, 'project'>): string => `/v1/projects/${ids.project}/buckets`;
const absent = `s3://nothing-here?endpoint=${nobody}`;

async function freshUpload({ call, ids }: Household): Promise<Partial<Ids>> {
  const body = { name: newId(), datasetId: ids.project };
  return { partedUpload: (await call('POST', '/v1/uploads', { body })).body.uploadId };
}

/** Projects, files, uploads and ingestions. */
export const fileCases: Record<string, RouteCase> = {
  'GET /v1/projects': { ask: () => ({ path: '/v1/projects' }), namesNothing: true },
  'GET /v1/activity': { ask: () => ({ path: '/v1/activity' }), namesNothing: true },
  'GET /v1/health': { ask: () => ({ path: '/v1/health' }), namesNothing: true },
  'POST /v1/projects': {
    ask: () => json('/v1/projects', { name: `Made in a test ${newId()}` }),
    namesNothing: true,
  },
  'GET /v1/projects/:id': {
    ask: (ids) => ({ path: `/v1/projects/${ids.project}` }),
    further: [(ids) => ({ path: `/v1/projects/${ids.project}?include=storage` })],
  },
  'PATCH /v1/projects/:id': { ask: (ids) => json(`/v1/projects/${ids.project}`, { description: 'New' }) },
  'DELETE /v1/projects/:id': { ask: (ids) => ({ path: `/v1/projects/${ids.project}` }) },
  'GET /v1/projects/:id/buckets': { ask: (ids) => ({ path: buckets(ids) }) },
  'POST /v1/projects/:id/buckets': {
    ask: (ids) => json(buckets(ids), { address: absent }),
    // Its files need createData as well.
    granted: 403,
  },
  'GET /v1/projects/:id/buckets/:bucketId': { ask: (ids) => ({ path: `${buckets(ids)}/${ids.bucket}` }) },
  'POST /v1/projects/:id/buckets/:bucketId/look': {
    ask: (ids) => ({ path: `${buckets(ids)}/${ids.bucket}/look` }),
    bodiless: true,
  },
  'DELETE /v1/projects/:id/buckets/:bucketId': {
    ask: (ids) => ({ path: `${buckets(ids)}/${ids.bucket}` }),
    fresh: async ({ call, ids }) => ({
      bucket: (await call('POST', buckets(ids), { body: { address: absent } })).body.id,
    }),
  },
  'GET /v1/files': { ask: (ids) => ({ path: `/v1/files?datasetId=${ids.project}` }) },
  'POST /v1/files': { ask: (ids) => json('/v1/files', { name: newId(), datasetId: ids.project }) },
  'GET /v1/files/:id': { ask: (ids) => ({ path: `/v1/files/${ids.file}?include=downloadUrl` }) },
  'GET /ga4gh/drs/v1/service-info': {
    ask: () => ({ path: '/ga4gh/drs/v1/service-info' }),
    namesNothing: true,
  },
  // Answers for each object alone: those of others are counted as absent.
  'POST /ga4gh/drs/v1/objects': {
    ask: (ids) => json('/ga4gh/drs/v1/objects', { bulk_object_ids: [ids.file] }),
    namesNothing: true,
  },
  'POST /ga4gh/drs/v1/objects/access': {
    ask: (ids) =>
      json('/ga4gh/drs/v1/objects/access', {
        bulk_object_access_ids: [{ bulk_object_id: ids.file, bulk_access_ids: ['https'] }],
      }),
    namesNothing: true,
  },
  'GET /ga4gh/drs/v1/objects/:id': { ask: (ids) => ({ path: `/ga4gh/drs/v1/objects/${ids.file}` }) },
  'GET /ga4gh/drs/v1/objects/:id/access/:accessId': {
    ask: (ids) => ({ path: `/ga4gh/drs/v1/objects/${ids.file}/access/https` }),
  },
  // An upload is no result.
  'POST /v1/files/:id/rows': { ask: (ids) => json(`/v1/files/${ids.file}/rows`, {}), granted: 422 },
  'POST /v1/files/:id/summary': { ask: (ids) => json(`/v1/files/${ids.file}/summary`, {}), granted: 422 },
  'PATCH /v1/files/:id': {
    ask: (ids) => json(`/v1/files/${ids.file}`, { name: newId() }),
    consumesFile: true,
  },
  'GET /v1/projects/:id/files': { ask: (ids) => ({ path: `/v1/projects/${ids.project}/files?prefix=` }) },
  'POST /v1/uploads': { ask: (ids) => json('/v1/uploads', { name: newId(), datasetId: ids.project }) },
  'GET /v1/uploads/:id/parts/:number': {
    ask: (ids) => ({ path: `/v1/uploads/${ids.partedUpload}/parts/1` }),
  },
  // The upload has no part yet.
  'DELETE /v1/uploads/:id': { ask: (ids) => ({ path: `/v1/uploads/${ids.partedUpload}` }), granted: 409 },
  'GET /v1/projects/:id/uploads': {
    ask: (ids) => ({ path: `/v1/projects/${ids.project}/uploads` }),
  },
  'DELETE /v1/uploads/:id/parts': {
    ask: (ids) => ({ path: `/v1/uploads/${ids.partedUpload}/parts` }),
    fresh: freshUpload,
  },
  'PUT /v1/transfers/uploads/:id/parts/:number': {
    ask: (ids) => ({ path: `/v1/transfers/uploads/${ids.partedUpload}/parts/1` }),
  },
  'DELETE /v1/files/:id': { ask: (ids) => ({ path: `/v1/files/${ids.file}` }), consumesFile: true },
  'PUT /v1/transfers/uploads/:id': { ask: (ids) => ({ path: `/v1/transfers/uploads/${ids.upload}` }) },
  'GET /v1/transfers/files/:id': { ask: (ids) => ({ path: `/v1/transfers/files/${ids.file}` }) },
  'POST /v1/ingestions': {
    ask: (ids) => json('/v1/ingestions', { datasetId: ids.project, fileId: ids.file, type: 'fhir' }),
    further: [
      (ids) => json('/v1/ingestions', { datasetId: ids.project, fileId: ids.file, type: 'cbioportal' }),
    ],
    // Another right is needed to ingest a file again.
    consumesFile: true,
  },
  'GET /v1/ingestions': { ask: (ids) => ({ path: `/v1/ingestions?datasetId=${ids.project}` }) },
  'GET /v1/ingestions/:id': { ask: (ids) => ({ path: `/v1/ingestions/${ids.ingestion}` }) },
  // The job has ended.
  'DELETE /v1/ingestions/:id': { ask: (ids) => ({ path: `/v1/ingestions/${ids.ingestion}` }), granted: 409 },
};
