import { setTimeout as delay } from 'node:timers/promises';
import { type Pages, pageOf, pageQuery } from '../../paging.ts';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import { removeFreed } from '../../platform/blobs/remove-freed.ts';
import { notFound } from '../../problem.ts';
import { Answer, type Located, type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { timestampShape } from '../../shapes.ts';
import type { Projects } from '../projects/index.ts';
import type { Ehrs } from './ehrs.ts';
import { ehrParam, locateEhr, withProject } from './routes.ts';
import { attributesOfSync, openStates, type SyncRecord, stateOf, viewOfSync } from './sync.ts';
import type { Syncs } from './syncs.ts';

const tag = 'EHR configurations';

const syncShape = Type.Object({
  id: Type.String(),
  ehrId: Type.String(),
  datasetId: Type.String(),
  state: Type.String({
    enum: ['queued', 'running', 'ingesting', 'succeeded', 'failed', 'cancelled'],
    description: '`ingesting`: all is fetched, and becomes rows of the project',
  }),
  startedBy: Type.String({ enum: ['REQUEST', 'SCHEDULE'] }),
  method: Type.Optional(
    Type.String({ enum: ['SEARCH', 'EXPORT'], description: '`EXPORT`: FHIR Bulk Data Access' }),
  ),
  since: Type.Optional(
    Type.String({ description: 'Only what changed after it was asked for. Absent: everything' }),
  ),
  progress: Type.Object({
    requests: Type.Integer(),
    pages: Type.Integer({ description: 'That held resources' }),
    bytes: Type.Integer(),
    resources: Type.Integer(),
    rows: Type.Optional(Type.Integer({ description: 'Of the ingestion' })),
  }),
  counts: Type.Record(Type.String(), Type.Integer(), { description: 'Resources by type' }),
  warningCount: Type.Integer(),
  warnings: Type.Array(Type.Object({ message: Type.String() }), { description: 'The first hundred' }),
  error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
  fileId: Type.Optional(Type.String({ description: 'What was fetched, as a file of the project' })),
  ingestionId: Type.Optional(Type.String({ description: 'Tells of broken resources' })),
  userId: Type.String(),
  created: timestampShape,
  started: Type.Optional(timestampShape),
  ended: Type.Optional(timestampShape),
});

const syncParams = Type.Object({
  ...ehrParam.properties,
  syncId: Type.String({ minLength: 1, maxLength: 255 }),
});

/** How long a request may wait for its sync to end. */
const waitMaxMs = 60_000;
const lookMs = 200;

export interface SyncRouteParts {
  ehrs: Ehrs;
  syncs: Syncs;
  projects: Projects;
  blobs: Blobs;
  pages: Pages;
}

/** /v1/ehrs/{ehrId}/sync and /v1/ehrs/{ehrId}/syncs */
export function syncRoutes({ ehrs, syncs, projects, blobs, pages }: SyncRouteParts): Route[] {
  const one = { tag, accountHeader: true, params: syncParams, path: '/v1/ehrs/:ehrId/syncs/:syncId' };
  const locate = async ({
    params,
  }: {
    params: { ehrId: string; syncId: string };
  }): Promise<Located<SyncRecord> | undefined> => {
    const record = await syncs.find(params.ehrId, params.syncId);
    return record && { attributes: attributesOfSync(record), record };
  };
  const ended = async (sync: SyncRecord, signal: AbortSignal): Promise<SyncRecord> => {
    const until = performance.now() + waitMaxMs;
    let present = sync;
    while (isOpen(present) && performance.now() < until && !signal.aborted) {
      await delay(lookMs);
      const found = await syncs.find(sync.ehr_id, sync.id);
      // Gone with its configuration or its project: nobody can say how it ended, nor follow it.
      if (!found) throw notFound();
      present = found;
    }
    return present;
  };
  return [
    route({
      method: 'POST',
      path: '/v1/ehrs/:ehrId/sync',
      operation: 'ehrs.sync',
      tag,
      summary: 'Pull from an EHR system into a project',
      description:
        'What changed since the last sync that succeeded. 202: it goes on; follow it at /v1/ehrs/{ehrId}/syncs/{syncId}.',
      accountHeader: true,
      params: ehrParam,
      body: Type.Object({
        datasetId: Type.String({ minLength: 1, maxLength: 255, description: 'The project that is filled' }),
        full: Type.Optional(Type.Boolean({ description: '`true`: everything again' })),
      }),
      answers: {
        202: { schema: syncShape, description: 'It goes on' },
        200: { schema: syncShape, description: 'It has ended (`SYNCHRONOUS`)' },
      },
      locate: async ({ params, body }) => {
        const located = await locateEhr(ehrs, params.ehrId);
        return located && withProject(projects, located, body.datasetId);
      },
      handle: async ({ resource, body, caller, requestId, signal }) => {
        const begun = await syncs.create(resource, body.datasetId, body.full === true, { caller, requestId });
        // What ended meanwhile was not waited for: who asks always gets the same answer.
        if (resource.ingestion_model !== 'SYNCHRONOUS') return new Answer(202, viewOfSync(begun));
        const sync = await ended(begun, signal);
        return new Answer(isOpen(sync) ? 202 : 200, viewOfSync(sync));
      },
    }),
    route({
      method: 'GET',
      path: '/v1/ehrs/:ehrId/syncs',
      operation: 'ehrs.readSyncs',
      tag,
      summary: 'Syncs of an EHR system, newest first',
      accountHeader: true,
      params: ehrParam,
      query: Type.Object(pageQuery),
      answers: { 200: { schema: pageOf(syncShape), description: 'Newest first' } },
      locate: ({ params }) => locateEhr(ehrs, params.ehrId),
      handle: async ({ resource, query, caller }) => {
        const path = `/v1/ehrs/${resource.id}/syncs`;
        const list = { path, query, scope: `ehr-syncs:${resource.id}:${caller.userId}` };
        const page = pages.read(query, list.scope);
        const rows = await syncs.list(resource.id, page);
        return pages.answer(rows, page, list, (row) => [row.id], viewOfSync);
      },
    }),
    route({
      method: 'GET',
      operation: 'ehrs.readSyncs',
      summary: 'State, progress and warnings of a sync',
      answers: { 200: { schema: syncShape, description: 'The sync' } },
      locate,
      handle: async ({ resource }) => viewOfSync(resource),
      ...one,
    }),
    route({
      method: 'DELETE',
      operation: 'ehrs.cancelSync',
      neverTurnedAway: true,
      summary: 'Cancel a sync that has not ended',
      answers: { 204: { description: 'Cancelled; nothing of it is visible' } },
      locate,
      handle: async ({ resource, caller, requestId }) => {
        await removeFreed(blobs, await syncs.cancel(resource, { caller, requestId }));
        return new Answer(204);
      },
      ...one,
    }),
  ];
}

function isOpen(sync: SyncRecord): boolean {
  return (openStates as readonly string[]).includes(stateOf(sync));
}
