import { setTimeout as delay } from 'node:timers/promises';
import { Type } from 'typebox';
import { type Pages, pageOf, pageQuery } from '../../../api/paging.ts';
import { Answer, type Located, type Route, route } from '../../../api/route.ts';
import { countOf, failureFields, idOf, textOf, timestampShape, waitingShape } from '../../../api/shapes.ts';
import { notFound, Problem } from '../../../base/problem.ts';
import type { Blobs } from '../../../platform/blobs/blobs.ts';
import { removeFreed } from '../../../platform/blobs/remove-freed.ts';
import type { Projects } from '../../files/projects/index.ts';
import type { Ehrs } from '../ehrs.ts';
import { ehrParam, locateEhr, withProject } from '../routes.ts';
import { attributesOfSync, openStates, type SyncRecord, stateOf, viewOfSync } from './sync.ts';
import type { Syncs } from './syncs.ts';

const tag = 'EHR systems' as const;

const syncShape = Type.Object(
  {
    id: textOf('Id of the sync'),
    ehrId: textOf('Id of the EHR system'),
    datasetId: textOf('Id of the project that it fills'),
    state: Type.String({
      enum: ['queued', 'running', 'ingesting', 'succeeded', 'failed', 'cancelled'],
      description: '`ingesting`: all is fetched, and becomes rows of the project',
    }),
    waiting: waitingShape(timestampShape),
    startedBy: Type.String({
      enum: ['REQUEST', 'SCHEDULE'],
      description: 'Origin: a request, or the schedule',
    }),
    method: Type.Optional(
      Type.String({ enum: ['SEARCH', 'EXPORT'], description: '`EXPORT`: FHIR Bulk Data Access' }),
    ),
    since: Type.Optional(
      Type.String({ description: 'Only changes after this time were fetched. Absent: everything' }),
    ),
    progress: Type.Object(
      {
        requests: countOf('Requests to the EHR system'),
        pages: Type.Integer({ description: 'Types with resources' }),
        bytes: countOf('Bytes fetched'),
        resources: countOf('Resources fetched'),
        rows: Type.Optional(Type.Integer({ description: 'Rows written; absent before the ingestion' })),
      },
      { description: 'Progress so far' },
    ),
    counts: Type.Record(Type.String(), Type.Integer(), { description: 'Resources by type' }),
    warningCount: countOf('Number of all warnings'),
    warnings: Type.Array(Type.Object({ message: textOf('Reason in one sentence') }), {
      description: 'The first hundred',
    }),
    error: Type.Optional(
      Type.Object(failureFields, { description: 'Reason of the failure; absent unless it has `failed`' }),
    ),
    fileId: Type.Optional(
      Type.String({ description: 'File of the project that holds the fetched resources' }),
    ),
    ingestionId: Type.Optional(Type.String({ description: 'Ingestion that reports broken resources' })),
    userId: textOf('Id of the user who started it or set the schedule'),
    created: timestampShape,
    started: Type.Optional(timestampShape),
    ended: Type.Optional(timestampShape),
  },
  { title: 'EhrSync' },
);

const syncParams = Type.Object({
  ...ehrParam.properties,
  syncId: idOf('Id of the sync'),
});

/** Longest time that a request waits for its sync. */
const waitMaxMs = 60_000;
const lookMs = 200;

export interface SyncRouteDeps {
  ehrs: Ehrs;
  syncs: Syncs;
  projects: Projects;
  blobs: Blobs;
  pages: Pages;
}

/** Routes of /v1/ehrs/{ehrId}/sync and /v1/ehrs/{ehrId}/syncs. */
export function syncRoutes({ ehrs, syncs, projects, blobs, pages }: SyncRouteDeps): Route[] {
  const one = { tag, accountHeader: true, params: syncParams, path: '/v1/ehrs/:ehrId/syncs/:syncId' };
  const locate = async ({
    params,
  }: {
    params: { ehrId: string; syncId: string };
  }): Promise<Located<SyncRecord> | undefined> => {
    const record = await syncs.find(params.ehrId, params.syncId);
    return record && { attributes: attributesOfSync(record), record };
  };
  const view = async (sync: SyncRecord) => viewOfSync(sync, (await syncs.waiting([sync])).get(sync.id));
  const ended = async (sync: SyncRecord, signal: AbortSignal): Promise<SyncRecord> => {
    const until = performance.now() + waitMaxMs;
    let present = sync;
    while (isOpen(present) && performance.now() < until && !signal.aborted) {
      await delay(lookMs);
      const found = await syncs.find(sync.ehr_id, sync.id);
      // Deleted with its configuration or project: its result is unknown.
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
      conflicts: ['SYNC_RUNNING'],
      tag,
      summary: 'Pull from an EHR system into a project',
      description:
        'Fetches changes since the last successful sync. 202: the sync runs; poll /v1/ehrs/{ehrId}/syncs/{syncId}.',
      accountHeader: true,
      params: ehrParam,
      body: Type.Object({
        datasetId: Type.String({ minLength: 1, maxLength: 255, description: 'Project to fill' }),
        full: Type.Optional(Type.Boolean({ description: '`true`: everything again' })),
      }),
      answers: {
        202: { schema: syncShape, description: 'The sync runs' },
        200: { schema: syncShape, description: 'The sync has ended (`SYNCHRONOUS`)' },
      },
      locate: async ({ params, body }, _account, caller) => {
        const located = await locateEhr(ehrs, params.ehrId);
        return located && withProject(projects, located, body.datasetId, caller);
      },
      handle: async ({ resource, body, caller, requestId, wait }) => {
        const begun = await syncs.create(resource, body.datasetId, body.full === true, { caller, requestId });
        // Sent also if the sync has ended meanwhile: asynchronous requests always get the same status.
        if (resource.ingestion_model !== 'SYNCHRONOUS') return new Answer(202, await view(begun));
        const sync = await wait((signal) => ended(begun, signal)).catch((error: unknown) => {
          // Too many requests are held: the sync runs all the same.
          if (error instanceof Problem && error.status === 429) return begun;
          throw error;
        });
        return new Answer(isOpen(sync) ? 202 : 200, await view(sync));
      },
    }),
    route({
      method: 'GET',
      path: '/v1/ehrs/:ehrId/syncs',
      operation: 'ehrs.readSyncs',
      tag,
      summary: 'List the syncs of an EHR system, newest first',
      accountHeader: true,
      params: ehrParam,
      query: Type.Object(pageQuery),
      answers: { 200: { schema: pageOf(syncShape), description: 'Newest first' } },
      locate: async ({ params }) => {
        const record = await ehrs.find(params.ehrId);
        return record && { record, attributes: { account: record.account_id, type: 'sync' } };
      },
      handle: async ({ resource, query, caller }) => {
        const path = `/v1/ehrs/${resource.id}/syncs`;
        const list = { path, query, scope: `ehr-syncs:${resource.id}:${caller.userId}` };
        const page = pages.read(query, list.scope);
        const rows = await syncs.list(resource.id, page);
        const waiting = await syncs.waiting(rows);
        return pages.answer(
          rows,
          page,
          list,
          (row) => [row.id],
          (row) => viewOfSync(row, waiting.get(row.id)),
        );
      },
    }),
    route({
      method: 'GET',
      operation: 'ehrs.readSyncs',
      summary: 'Get the state, progress and warnings of a sync',
      answers: { 200: { schema: syncShape, description: 'The sync' } },
      locate,
      handle: ({ resource }) => view(resource),
      ...one,
    }),
    route({
      method: 'DELETE',
      operation: 'ehrs.cancelSync',
      conflicts: ['SYNC_ENDED'],
      neverShed: true,
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
