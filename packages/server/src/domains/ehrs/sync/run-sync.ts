import type { Blobs } from '../../../platform/blobs/blobs.ts';
import { removeFreed } from '../../../platform/blobs/remove-freed.ts';
import { givenUp } from '../../../platform/jobs/given-up.ts';
import type { Job, JobHandler, JobRun } from '../../../platform/jobs/jobs.ts';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { EhrSyncsTable, EhrsTable } from '../../../platform/records/schema-ehrs.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import type { Audit } from '../../audit/index.ts';
import type { Callers } from '../../identity/callers/index.ts';
import { type Ingestions, seesSomePatientsOnly } from '../../ingestion/index.ts';
import { EhrError } from '../fhir-server/ehr-error.ts';
import type { RetryPolicy } from '../fhir-server/fhir-server.ts';
import { openServer } from '../fhir-server/open-server.ts';
import { attributesOfEhr, neededToFill } from '../routes.ts';
import { finish } from './finish-sync.ts';
import { openPages } from './pages/pages.ts';
import { PageReader } from './pages/read-page.ts';
import { Pull } from './pull.ts';
import { Spool, SyncOver } from './spool.ts';
import { auditRun, type SyncFailure } from './sync.ts';
import { syncJob } from './syncs.ts';

export interface SyncDeps {
  records: Records;
  blobs: Blobs;
  audit: Audit;
  callers: Callers;
  secrets: Secrets;
  outbound: Outbound;
  ingestions: Ingestions;
}

export interface SyncLimits {
  /** Maximum bytes of one sync. */
  bytesMax: number;
  /** Maximum time from the first run to the last, including interruptions. */
  timeMs: number;
  retry: RetryPolicy;
}

/** Maximum resources per page, and the longest pause between pages that `delayBetweenRecords` causes. */
const pageSizeMax = 200;
const pauseMs = 10_000;
const cleanUpMs = 15_000;

/** Handles the sync job: pages → spool → one file of the project, whose ingestion makes the rows. */
export function runSyncs(deps: SyncDeps, limits: SyncLimits): JobHandler {
  return {
    kind: syncJob,
    run: (run) => runSync(deps, limits, run),
    onExhausted: async (tx, job, error) => {
      await fail(tx, deps.audit, syncId(job), givenUp('sync', job, error));
    },
  };
}

const syncId = (job: Job): string => job.payload['syncId'] ?? '';

async function runSync(deps: SyncDeps, limits: SyncLimits, run: JobRun): Promise<void> {
  const { records, audit, blobs } = deps;
  const sync = await begin(records, syncId(run.job));
  if (!sync) return;
  const endsAt = (sync.started_at ?? 0) + limits.timeMs;
  const timeout = AbortSignal.timeout(Math.max(0, Math.min(endsAt - Date.now(), 2 ** 31 - 1)));
  try {
    await pullAndFinish(deps, limits, run, sync, timeout);
  } catch (error) {
    if (run.signal.aborted) throw run.signal.reason;
    if (error instanceof SyncOver) return;
    const failure = timeout.aborted ? tooLong : failureOf(error);
    run.report({ failed: failure.code });
    const freed = await records.transact(async (tx) =>
      (await run.holdsLease(tx)) ? fail(tx, audit, sync.id, failure) : [],
    );
    await removeFreed(blobs, freed);
  }
}

const tooLong: SyncFailure = {
  code: 'TOO_LONG',
  message: 'The sync took longer than one sync may (PLOIDY_INGESTION_TIME).',
};

function failureOf(error: unknown): SyncFailure {
  // Any other error is not the system's: the job is retried.
  if (!(error instanceof EhrError)) throw error;
  return { code: error.code, message: error.message };
}

async function begin(records: Records, id: string): Promise<EhrSyncsTable | undefined> {
  return records.transact((tx) =>
    tx
      .updateTable('ehr_syncs')
      .set(({ fn, val }) => ({ state: 'running', started_at: fn.coalesce('started_at', val(Date.now())) }))
      .where('id', '=', id)
      .where('state', 'in', ['queued', 'running'])
      .returningAll()
      .executeTakeFirst(),
  );
}

async function pullAndFinish(
  deps: SyncDeps,
  limits: SyncLimits,
  run: JobRun,
  sync: EhrSyncsTable,
  timeout: AbortSignal,
): Promise<void> {
  const ehr = await readEhr(deps, sync);
  const signal = AbortSignal.any([run.signal, timeout]);
  const spool = new Spool(deps, run, sync);
  await spool.open();
  const delayMs = ehr.delay_between_records_ms;
  const latest = () => readSame(deps, sync, ehr);
  const server = openServer(deps, limits.retry, {
    ehr,
    latest,
    signal,
    onRequest: () => pull.countRequest(),
  });
  const pageSize =
    delayMs === 0 ? pageSizeMax : Math.min(pageSizeMax, Math.max(1, Math.round(pauseMs / delayMs)));
  const reader = new PageReader();
  const pull: Pull = new Pull({ server, spool, reader, sync, pageSize, bytesMax: limits.bytesMax, signal });
  // An earlier run may have sent a request just now.
  if (sync.requests > 0) server.throttle(1);
  try {
    await pull.run();
  } catch (error) {
    const stopped = run.signal.aborted ? run.signal.reason : undefined;
    if (stopped === 'cancelled' || error instanceof SyncOver || timeout.aborted)
      await abandon(deps, limits, ehr, pull);
    throw error;
  } finally {
    await reader.close();
  }
  await finish(deps, run, sync, spool);
}

/**
 * Reads the current configuration, if its sync may still run: configuration and rights may have changed
 * meanwhile.
 */
async function readEhr({ records, callers }: SyncDeps, sync: EhrSyncsTable): Promise<EhrsTable> {
  const ehr = await records.read
    .selectFrom('ehrs')
    .selectAll()
    .where('id', '=', sync.ehr_id)
    .executeTakeFirst();
  if (!ehr) throw new SyncOver();
  if (ehr.api_base_url !== sync.api_base_url) {
    const message = 'apiBaseUrl was changed while the sync waited or ran. Start it again.';
    throw new EhrError('CHANGED', message);
  }
  const { account_id: account, project_id: dataset, user_id: userId } = sync;
  const caller = await callers.resolve({ userId, via: 'job', keyAccount: account });
  const allowed =
    caller?.may('ehrs.sync', attributesOfEhr(ehr)) &&
    neededToFill({ account, id: dataset }, caller).every((one) =>
      caller.may(one.operation, one.attributes),
    ) &&
    !seesSomePatientsOnly(caller, sync);
  if (!allowed) {
    const message =
      'The user who began the sync or set its schedule no longer has accountAdmin and createData, or may read some patients only. A permitted user has to do it again.';
    throw new EhrError('FORBIDDEN', message);
  }
  return ehr;
}

/**
 * Reads the configuration again when a token is requested, with its current secret: a sync outlives many
 * tokens.
 */
async function readSame(deps: SyncDeps, sync: EhrSyncsTable, begun: EhrsTable): Promise<EhrsTable> {
  const ehr = await readEhr(deps, sync);
  if (ehr.api_auth_type === begun.api_auth_type) return ehr;
  throw new EhrError('CHANGED', 'apiAuthType was changed while the sync ran. Start it again.');
}

/** Deletes what the system prepares for a sync that is over, in one attempt. */
async function abandon(deps: SyncDeps, limits: SyncLimits, ehr: EhrsTable, pull: Pull): Promise<void> {
  const once = { ...limits.retry, attemptsMax: 1 };
  const signal = AbortSignal.timeout(cleanUpMs);
  try {
    const latest = () => readToAbandon(deps, ehr);
    const server = { ehr, latest, signal, onRequest: () => undefined };
    await pull.abandon(openServer(deps, once, server));
  } catch (error) {
    if (!(error instanceof EhrError) && !signal.aborted) throw error;
  }
}

/** Uses the current secret if it belongs to the same system, else that of the sync's start. */
async function readToAbandon({ records }: SyncDeps, begun: EhrsTable): Promise<EhrsTable> {
  const ehr = await records.read
    .selectFrom('ehrs')
    .selectAll()
    .where('id', '=', begun.id)
    .where('api_base_url', '=', begun.api_base_url)
    .where('api_auth_type', '=', begun.api_auth_type)
    .executeTakeFirst();
  return ehr ?? begun;
}

/** Marks a sync as failed; returns the keys of blobs no longer needed. */
async function fail(tx: Transaction, audit: Audit, id: string, failure: SyncFailure): Promise<string[]> {
  const row = await tx
    .updateTable('ehr_syncs')
    .set({ state: 'failed', error: JSON.stringify(failure), position: null, ended_at: Date.now() })
    .where('id', '=', id)
    .where('state', 'in', ['queued', 'running'])
    .returningAll()
    .executeTakeFirst();
  if (!row) return [];
  const freed = await openPages(tx, id).removeAll();
  await auditRun(tx, audit, row, { failed: failure.code });
  return freed;
}
