import {
  type Operation,
  type OperationName,
  operationOf,
} from '../../packages/server/src/access/operations.ts';
import type { Route } from '../../packages/server/src/api/route.ts';

/**
 * Places that keep rows between two requests, with the routes that return them. Their rows are requested as every kind of
 * reader after every change of rights (doors.ts).
 */
export const routesOfDoors = {
  file: ['GET /v1/files/:id'],
  metadata: ['GET /v1/files/:id'],
  'new address': ['GET /v1/files/:id'],
  'old address': ['GET /v1/transfers/files/:id'],
  'DRS object': ['GET /ga4gh/drs/v1/objects/:id'],
  'DRS address': ['GET /ga4gh/drs/v1/objects/:id/access/:accessId'],
  'rows of a result': ['POST /v1/files/:id/rows', 'POST /v1/files/:id/summary'],
  'moved file': ['PATCH /v1/files/:id'],
  'renamed file': ['PATCH /v1/files/:id'],
  'ingested file': ['POST /v1/ingestions'],
  'query record': ['GET /api/v1/analytics/data-lake/query/:queryId'],
  'query history': ['GET /api/v1/analytics/data-lake/query'],
  'file in a list': ['GET /v1/files'],
  'file in a folder': ['GET /v1/projects/:id/files'],
  'ingestion in a list': ['GET /v1/ingestions'],
  export: ['GET /v1/exports/:id', 'GET /:account/v1/fhir/:project/$export/:id'],
  'old address of an export': ['GET /v1/transfers/files/:id'],
  'page of a statement': ['GET /v1/statement/executing/:id/:token'],
  'segment of a statement': ['GET /v1/statement/segments/:id/:number'],
  'figures of a statement': ['GET /v1/query/:id'],
  'look-up of the catalogue': ['GET /v1/statement/executing/:id/:token'],
  'next page of rows': ['POST /api/v1/analytics/data-lake/rows'],
  'next page of analytics': ['POST /v1/analytics/dsl'],
  'repeated dry run': ['POST /api/v1/analytics/data-lake/query'],
  'object of Iceberg': ['GET /ploidy-lake/:project/:table/:object'],
} as const;

export type Door = keyof typeof routesOfDoors;

/** Routes whose answer is found anew with the present rights of the caller; a token of theirs is a place in a list. */
const fresh = [
  'GET /api/v1/analytics/data-lake/schema',
  'GET /api/v1/analytics/data-lake/schema/:table',
  'GET /v1/analytics/fields',
  'GET /v1/projects/:id/annotation-sources',
  'GET /v1/projects/:id/annotation-changes',
  'GET /v1/projects/:id/samples',
  'POST /v1/analytics/study/query',
  'POST /v1/analytics/study/parse',
  'POST /v1/analytics/study/subjects',
  'GET /v1/analytics/study/attributes',
  'GET /v1/projects/:id/subjects/:subjectId/phenopacket',
  'GET /:account/v1/fhir/:project/:type',
  'POST /:account/v1/fhir/:project/:type/_search',
  'GET /:account/v1/fhir/:project/:type/:id',
  'GET /:account/v1/fhir/:project/:type/:id/_history',
  'GET /:account/v1/fhir/:project/:type/:id/_history/:version',
  'GET /:account/v1/fhir/:project/Patient/:id/$everything',
  // Each call makes requests of the routes of this list, or of doors.
  'POST /:account/mcp',
  'POST /ga4gh/drs/v1/objects',
  'POST /ga4gh/drs/v1/objects/access',
  'GET /ga4gh/beacon/v2/g_variants',
  'POST /ga4gh/beacon/v2/g_variants',
  'GET /iceberg/v1/namespaces',
  'GET /iceberg/v1/namespaces/:namespace',
  'GET /iceberg/v1/namespaces/:namespace/tables',
  'GET /iceberg/v1/namespaces/:namespace/tables/:table',
  // Answer what the caller is about to get, not rows.
  'GET /v1/projects/:id/fhir/$export',
  'GET /:account/v1/fhir/:project/$export',
  'GET /:account/v1/fhir/:project/Patient/$export',
  'GET /:account/v1/fhir/:project/Group/:id/$export',
  'POST /v1/projects/:id/exports',
  'POST /v1/statement',
  'GET /v1/statement',
  // Counts and members of projects of which the caller sees all rows in full.
  'GET /v1/cohorts',
  'POST /v1/cohorts',
  'GET /v1/cohorts/:cohortId',
  'GET /v1/cohorts/:cohortId/counts',
  'PATCH /v1/cohorts/:cohortId',
];

/** Routes of a right to whole files, reads or references, which rules on patients never open. */
export const whole: readonly string[] = [
  'POST /:account/v1/datasets/search',
  'POST /:account/v1/readgroupsets/search',
  'GET /:account/v1/readgroupsets/:readGroupSetId',
  'POST /:account/v1/references/search',
  'GET /:account/v1/references/:referenceId',
  'GET /:account/v1/refget/sequence/:digest',
  'GET /:account/v1/refget/sequence/:digest/metadata',
  'GET /:account/v1/references/:referenceId/bases',
  'POST /:account/v1/references/:referenceId/bases',
  'POST /:account/v1/referencesets/search',
  'GET /:account/v1/referencesets/:referenceSetId',
  'GET /:account/v1/htsget/reads/:id',
  'POST /:account/v1/htsget/reads/:id',
  'GET /:account/v1/htsget/reads/:id/blocks',
  'GET /:account/v1/htsget/variants/:id',
  'POST /:account/v1/htsget/variants/:id',
  'GET /:account/v1/htsget/variants/:id/blocks',
  'GET /v1/ingestions/:id',
  'GET /:account/v1/fhir/:project/$ingestion/:id',
  // Serve the distributed engine, for the time of a run.
  'GET /iceberg/engine/v1/namespaces',
  'GET /iceberg/engine/v1/namespaces/:namespace',
  'GET /iceberg/engine/v1/namespaces/:namespace/tables',
  'GET /iceberg/engine/v1/namespaces/:namespace/tables/:table',
  'GET /iceberg/engine/v1/namespaces/:namespace/views',
];

/** Routes that answer what their caller sent, or that it was done. */
const written = [
  'GET /v1/activity',
  // Ids and codes.
  'GET /v1/projects/:id/events',
  'POST /v1/files',
  'POST /:account/v1/fhir/:project',
  'PUT /v1/projects/:id/annotation-filling',
  'PUT /v1/projects/:id/samples',
  'POST /v1/uploads',
  'GET /v1/projects/:id/uploads',
  'GET /v1/uploads/:id/parts/:number',
  'PUT /v1/transfers/uploads/:id',
  'PUT /v1/transfers/uploads/:id/parts/:number',
  'POST /:account/v1/readgroupsets',
  'GET /v1/projects/:projectId/saved-queries',
  'POST /v1/projects/:projectId/saved-queries',
  'GET /v1/projects/:projectId/saved-queries/:savedQueryId',
  'PUT /v1/projects/:projectId/saved-queries/:savedQueryId',
  'GET /v1/projects/:projectId/reports',
  'POST /v1/projects/:projectId/reports',
  'GET /v1/projects/:projectId/reports/:reportId',
  'PUT /v1/projects/:projectId/reports/:reportId',
  'GET /v1/analytics/study/layout',
  'PUT /v1/analytics/study/layout',
];

export const classified: readonly string[] = [
  ...new Set([...Object.values(routesOfDoors).flat(), ...fresh, ...whole, ...written]),
];

/** Types of resources that are about people and settings, not about data of patients. */
const administrative = new Set<Operation['on']>([
  ...(['account', 'project', 'key', 'audit', 'group', 'user', 'invitation', 'client'] as const),
  ...(['policy', 'ehr', 'sync', 'webhook'] as const),
]);

/** Operations of no privilege that are about people and settings. */
const personal = new Set<OperationName>([
  ...(['accounts.list', 'accounts.create', 'accounts.read', 'projects.list', 'projects.read'] as const),
  ...(['groups.list', 'groups.read', 'groups.join', 'groups.leave', 'members.list'] as const),
  ...(['users.readSelf', 'users.updateSelf', 'users.read', 'users.listGroups', 'users.readPicture'] as const),
  ...(['users.writePicture', 'transfers.picture', 'keys.list', 'keys.create', 'keys.revoke'] as const),
  ...(['invitations.list', 'invitations.readOwn', 'invitations.answer', 'invitations.link'] as const),
  ...(['security.read', 'security.update', 'sessions.list', 'sessions.end', 'oauth.userinfo'] as const),
  ...(['policies.explain', 'policies.evaluate', 'setup.password', 'beacon.describe'] as const),
]);

/** Reports whether an answer of a route may hold rows of the lake, or what was made of them. */
export function mayHoldRows({ method, operation }: Route): boolean {
  const { needs, on }: Operation = operationOf(operation);
  return method !== 'DELETE' && needs !== 'public' && !administrative.has(on) && !personal.has(operation);
}
