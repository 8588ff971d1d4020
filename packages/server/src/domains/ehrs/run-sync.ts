import { setTimeout as delay } from 'node:timers/promises';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import { removeFreed } from '../../platform/blobs/remove-freed.ts';
import { givenUp } from '../../platform/jobs/given-up.ts';
import type { Job, JobHandler, JobRun } from '../../platform/jobs/jobs.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { EhrSyncsTable, EhrsTable } from '../../platform/records/schema-ehrs.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import type { Audit } from '../audit/index.ts';
import type { Callers } from '../callers/index.ts';
import { type Ingestions, seesSomePatientsOnly } from '../ingest/index.ts';
import { openAuthorization } from './authorization.ts';
import { credentialsOf } from './ehr.ts';
import { EhrError } from './ehr-error.ts';
import { FhirServer, type Patience } from './fhir-server.ts';
import { finish } from './finish-sync.ts';
import { openPages } from './pages.ts';
import { Pull } from './pull.ts';
import { PageReader } from './read-page.ts';
import { Spool, SyncOver } from './spool.ts';
import { type SyncFailure, tellRun } from './sync.ts';
import { syncJob } from './syncs.ts';

export interface SyncParts {
  records: Records;
  blobs: Blobs;
  audit: Audit;
  callers: Callers;
  secrets: Secrets;
  outbound: Outbound;
  ingestions: Ingestions;
}

export interface SyncLimits {
  /** Everything that one sync may fetch. */
  bytesMax: number;
  /** From its first run to its last, however often it is interrupted. */
  timeMs: number;
  patience: Patience;
}

/** Most of the time they wait for somebody else. More than those of one account: systems of one that never end must not keep out those of others. */
const concurrencyMax = 6;
/** Most resources of a page, and longest pause between two pages that `delayBetweenRecords` makes. */
const pageSizeMax = 200;
const pauseMs = 10_000;
const cleanUpMs = 15_000;

/** The job that pulls from an EHR system: pages → spool → one file of the project, whose ingestion makes the rows. */
export function runSyncs(parts: SyncParts, limits: SyncLimits): JobHandler {
  return {
    kind: syncJob,
    concurrencyMax,
    run: (run) => runSync(parts, limits, run),
    onExhausted: async (tx, job, error) => {
      await fail(tx, parts.audit, syncId(job), givenUp('sync', job, error));
    },
  };
}

const syncId = (job: Job): string => job.payload['syncId'] ?? '';

async function runSync(parts: SyncParts, limits: SyncLimits, run: JobRun): Promise<void> {
  const { records, audit, blobs } = parts;
  const sync = await begin(records, syncId(run.job));
  if (!sync) return;
  const endsAt = (sync.started_at ?? 0) + limits.timeMs;
  const timeout = AbortSignal.timeout(Math.max(0, Math.min(endsAt - Date.now(), 2 ** 31 - 1)));
  try {
    await pullAndFinish(parts, limits, run, sync, timeout);
  } catch (error) {
    if (run.signal.aborted) throw run.signal.reason;
    if (error instanceof SyncOver) return;
    const failure = timeout.aborted ? tooLong : failureOf(error);
    const freed = await records.transact(async (tx) =>
      (await run.holdsLease(tx)) ? fail(tx, audit, sync.id, failure) : [],
    );
    await removeFreed(blobs, freed);
  }
}

const tooLong: SyncFailure = {
  code: 'TOO_LONG',
  message: 'The sync took longer than one sync may (PLOIDY_EHR_SYNC_TIME).',
};

function failureOf(error: unknown): SyncFailure {
  // Anything else is no fault of the system's: the job is tried again.
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
  parts: SyncParts,
  limits: SyncLimits,
  run: JobRun,
  sync: EhrSyncsTable,
  timeout: AbortSignal,
): Promise<void> {
  const ehr = await readEhr(parts, sync);
  const signal = AbortSignal.any([run.signal, timeout]);
  const spool = new Spool(parts, run, sync);
  await spool.open();
  const delayMs = ehr.delay_between_records_ms;
  const latest = () => readSame(parts, sync, ehr);
  const server = openServer(parts, limits, { ehr, latest, signal, onRequest: () => pull.countRequest() });
  const pageSize =
    delayMs === 0 ? pageSizeMax : Math.min(pageSizeMax, Math.max(1, Math.round(pauseMs / delayMs)));
  const reader = new PageReader();
  const pull: Pull = new Pull({ server, spool, reader, sync, pageSize, bytesMax: limits.bytesMax, signal });
  // What ran before may have sent a request a moment ago.
  if (sync.requests > 0) server.took(1);
  try {
    await pull.run();
  } catch (error) {
    const stopped = run.signal.aborted ? run.signal.reason : undefined;
    if (stopped === 'cancelled' || error instanceof SyncOver || timeout.aborted)
      await abandon(parts, limits, ehr, pull);
    throw error;
  } finally {
    await reader.close();
  }
  await finish(parts, run, sync, spool);
}

/** The configuration as it is now, if its sync may still run: configuration and rights may have changed while it waited. */
async function readEhr({ records, callers }: SyncParts, sync: EhrSyncsTable): Promise<EhrsTable> {
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
    caller?.may('ehrs.sync', { account, type: 'ehr', id: ehr.id }) &&
    caller.may('ehrs.fill', { account, dataset, type: 'project', id: dataset }) &&
    !seesSomePatientsOnly(caller, sync);
  if (!allowed) {
    const message =
      'Whoever began the sync, or set its schedule, no longer has accountAdmin and createData, or sees the rows of some patients only. Somebody who has must do it again.';
    throw new EhrError('FORBIDDEN', message);
  }
  return ehr;
}

/** The same at the moment at which a token is asked for, with the secret that it has then: a sync outlives many tokens. */
async function readSame(parts: SyncParts, sync: EhrSyncsTable, begun: EhrsTable): Promise<EhrsTable> {
  const ehr = await readEhr(parts, sync);
  if (ehr.api_auth_type === begun.api_auth_type) return ehr;
  throw new EhrError('CHANGED', 'apiAuthType was changed while the sync ran. Start it again.');
}

function openServer(
  { outbound, secrets }: SyncParts,
  { patience }: SyncLimits,
  about: {
    ehr: EhrsTable;
    latest: () => Promise<EhrsTable>;
    signal: AbortSignal;
    onRequest: () => void;
  },
): FhirServer {
  const { ehr, latest, signal, onRequest } = about;
  const baseUrl = ehr.api_base_url;
  const credentials = async () => credentialsOf(await latest(), secrets);
  const type = ehr.api_auth_type;
  const authorization = openAuthorization({ outbound, type, credentials, baseUrl, signal });
  const delayMs = ehr.delay_between_records_ms;
  return new FhirServer({ outbound, baseUrl, authorization, patience, delayMs, signal, onRequest, wait });
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal });
}

/** What the system prepares for a sync that is over is of no use: it is told so, once. */
async function abandon(parts: SyncParts, limits: SyncLimits, ehr: EhrsTable, pull: Pull): Promise<void> {
  const once = { ...limits, patience: { ...limits.patience, attemptsMax: 1 } };
  const signal = AbortSignal.timeout(cleanUpMs);
  try {
    const latest = () => readToAbandon(parts, ehr);
    const server = { ehr, latest, signal, onRequest: () => undefined };
    await pull.abandon(openServer(parts, once, server));
  } catch (error) {
    if (!(error instanceof EhrError) && !signal.aborted) throw error;
  }
}

/** With the secret of this moment where it is still that of the same system; else with the one that the sync began with. */
async function readToAbandon({ records }: SyncParts, begun: EhrsTable): Promise<EhrsTable> {
  const ehr = await records.read
    .selectFrom('ehrs')
    .selectAll()
    .where('id', '=', begun.id)
    .where('api_base_url', '=', begun.api_base_url)
    .where('api_auth_type', '=', begun.api_auth_type)
    .executeTakeFirst();
  return ehr ?? begun;
}

/** Answers the keys of the blobs, which nothing holds any more. */
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
  await tellRun(tx, audit, row, { failed: failure.code });
  return freed;
}
