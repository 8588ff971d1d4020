import type { Caller } from '../../../access/caller.ts';
import type { PageRequest } from '../../../api/paging.ts';
import { newId } from '../../../base/ids.ts';
import { conflict, notFound } from '../../../base/problem.ts';
import type { Jobs, NewJob, Waiting } from '../../../platform/jobs/jobs.ts';
import type { Reader, Records, Transaction } from '../../../platform/records/records.ts';
import type { EhrSyncsTable, EhrsTable } from '../../../platform/records/schema-ehrs.ts';
import { type Audit, type AuditAction, type AuditEvent, actor } from '../../audit/index.ts';
import { requireProject } from '../../files/projects/index.ts';
import type { Ingestions } from '../../ingestion/index.ts';
import { lockEhr } from '../ehrs.ts';
import { openPages } from './pages/pages.ts';
import { attributesOfSync, openStates, type SyncRecord, stateOf } from './sync.ts';

type By = Pick<AuditEvent, 'userId' | 'via' | 'requestId'>;

/** Parameters of a sync beside its project. */
interface SyncOrder {
  startedBy: EhrSyncsTable['started_by'];
  /** User whose rights the sync runs with. */
  userId: string;
  /** True to fetch everything, not only changes. */
  full: boolean;
}

/** Kind of the job that runs a sync. */
export const syncJob = 'ehrs.runSync';
/** A large system takes hours; each run continues where the last one was interrupted. */
const attemptsMax = 20;
/** Overlap of two syncs, for clock differences and late commits of the other side. */
const overlapMs = 5 * 60_000;

/** Records syncs and queues their runs; run-sync.ts runs them. */
export class Syncs {
  readonly #records: Records;
  readonly #jobs: Jobs;
  readonly #audit: Audit;
  readonly #ingestions: Ingestions;

  constructor(deps: { records: Records; jobs: Jobs; audit: Audit; ingestions: Ingestions }) {
    this.#records = deps.records;
    this.#jobs = deps.jobs;
    this.#audit = deps.audit;
    this.#ingestions = deps.ingestions;
  }

  /** Queues a sync. Problem 409 if one of this EHR system into this project has not ended. */
  async create(
    ehr: EhrsTable,
    project: string,
    full: boolean,
    by: { caller: Caller; requestId: string },
  ): Promise<SyncRecord> {
    const order = { startedBy: 'REQUEST' as const, userId: by.caller.userId, full };
    const id = await this.#records.transact(async (tx) => {
      const present = await lockEhr(tx, ehr.id);
      if (!present) throw notFound();
      await requireProject(tx, project);
      if (await isSyncing(tx, ehr.id, project)) {
        const message =
          'This EHR system is being pulled from into this project. Wait for the end, or cancel it.';
        throw conflict('SYNC_RUNNING', message);
      }
      return this.queue(tx, present, project, order, actor(by.caller, by.requestId));
    });
    const made = await this.find(ehr.id, id);
    if (!made) throw notFound();
    return made;
  }

  /** Queues a sync in the transaction of the schedule, which checked that no sync runs. */
  async queue(tx: Transaction, ehr: EhrsTable, project: string, order: SyncOrder, by: By): Promise<string> {
    const id = newId();
    const job: NewJob = {
      kind: syncJob,
      class: 'sync',
      whose: { account: ehr.account_id, project, user: order.userId },
      payload: { syncId: id },
      attemptsMax,
      // One at a time over all projects: `delayBetweenRecords` limits the load of the system.
      exclusiveKey: `ehr:${ehr.id}`,
    };
    const since = order.full ? null : await lastMark(tx, ehr, project);
    const row: EhrSyncsTable = {
      id,
      ehr_id: ehr.id,
      account_id: ehr.account_id,
      project_id: project,
      user_id: order.userId,
      started_by: order.startedBy,
      api_base_url: ehr.api_base_url,
      state: 'queued',
      method: null,
      since: since === null ? null : since - overlapMs,
      mark: null,
      position: null,
      requests: 0,
      pages: 0,
      bytes: 0,
      counts: '{}',
      warning_count: 0,
      warnings: '[]',
      error: null,
      file_id: null,
      ingestion_id: null,
      job_id: await this.#jobs.add(tx, job),
      created_at: Date.now(),
      started_at: null,
      ended_at: null,
    };
    await tx.insertInto('ehr_syncs').values(row).execute();
    await this.#appendAudit(tx, row, 'ehrs.sync', by);
    return id;
  }

  async find(ehrId: string, id: string): Promise<SyncRecord | undefined> {
    return records(this.#records.read)
      .where('ehr_syncs.ehr_id', '=', ehrId)
      .where('ehr_syncs.id', '=', id)
      .executeTakeFirst();
  }

  /** Returns the waits of those that have no place yet, or whose ingestion has none, by their ids. */
  async waiting(rows: readonly SyncRecord[]): Promise<ReadonlyMap<string, Waiting>> {
    const open = rows.filter((row) => openStates.some((state) => state === stateOf(row)));
    const waits = await this.#jobs.waiting(open.map(jobIdOf));
    const found = open.map((row) => [row.id, waits.get(jobIdOf(row))] as const);
    return new Map(found.flatMap(([id, wait]) => (wait ? [[id, wait]] : [])));
  }

  /** Lists syncs, newest first, one row more than the page. */
  async list(ehrId: string, page: PageRequest): Promise<SyncRecord[]> {
    let query = records(this.#records.read)
      .where('ehr_syncs.ehr_id', '=', ehrId)
      // Syncs of a project being removed are hidden, even while their rows exist.
      .innerJoin('projects', 'projects.id', 'ehr_syncs.project_id')
      .orderBy('ehr_syncs.id', 'desc')
      .limit(page.size + 1);
    if (page.after) query = query.where('ehr_syncs.id', '<', String(page.after[0]));
    return query.execute();
  }

  /** Stops the run or its ingestion and changes the state at once. Problem 409 if it ended. */
  async cancel(sync: SyncRecord, by: { caller: Caller; requestId: string }): Promise<string[]> {
    if (stateOf(sync) === 'ingesting' && sync.ingestion_id !== null) {
      const ingestion = await this.#ingestions.find(sync.ingestion_id);
      if (!ingestion) throw ended();
      await this.#ingestions.cancel(ingestion, by);
      return [];
    }
    return this.#records.transact(async (tx) => {
      // Locks the job first, as its run does.
      await this.#jobs.cancel(tx, sync.job_id);
      const row = await tx
        .updateTable('ehr_syncs')
        .set({ state: 'cancelled', position: null, ended_at: Date.now() })
        .where('id', '=', sync.id)
        .where('state', 'in', ['queued', 'running'])
        .returningAll()
        .executeTakeFirst();
      if (!row) throw ended();
      const freed = await openPages(tx, row.id).removeAll();
      await this.#appendAudit(tx, row, 'ehrs.cancelSync', actor(by.caller, by.requestId));
      return freed;
    });
  }

  /** Stops the runs of a deleted configuration and deletes its records. Fetched data stay in their projects. */
  async removeOf(tx: Transaction, ehrId: string): Promise<string[]> {
    const rows = await tx
      .deleteFrom('ehr_syncs')
      .where('ehr_id', '=', ehrId)
      .returning(['id', 'job_id', 'state'])
      .execute();
    const freed: string[] = [];
    for (const { id, job_id, state } of rows) {
      if (state !== 'queued' && state !== 'running') continue;
      await this.#jobs.cancel(tx, job_id);
      freed.push(...(await openPages(tx, id).removeAll()));
    }
    return freed;
  }

  async #appendAudit(tx: Transaction, row: EhrSyncsTable, action: AuditAction, by: By): Promise<void> {
    await this.#audit.append(tx, {
      account: row.account_id,
      ...by,
      action,
      resource: attributesOfSync(row),
      outcome: 'done',
      details: { ehrId: row.ehr_id },
    });
  }
}

/** The job that the sync waits for: once all is fetched, that of its ingestion. */
const jobIdOf = ({ state, job_id, ingestion_job_id }: SyncRecord): string =>
  state === 'ingesting' ? (ingestion_job_id ?? '') : job_id;

function ended() {
  return conflict('SYNC_ENDED', 'The sync has already ended.');
}

function records(read: Reader) {
  return read
    .selectFrom('ehr_syncs')
    .leftJoin('ingestions', 'ingestions.id', 'ehr_syncs.ingestion_id')
    .selectAll('ehr_syncs')
    .select([
      'ingestions.state as ingestion_state',
      'ingestions.job_id as ingestion_job_id',
      'ingestions.rows as ingestion_rows',
      'ingestions.error as ingestion_error',
      'ingestions.warning_count as ingestion_warning_count',
      'ingestions.warnings as ingestion_warnings',
      'ingestions.ended_at as ingestion_ended_at',
    ]);
}

/** Reports whether a sync of the EHR system into the project has not ended. */
export async function isSyncing(tx: Transaction, ehrId: string, project: string): Promise<boolean> {
  const found = await tx
    .selectFrom('ehr_syncs')
    .leftJoin('ingestions', 'ingestions.id', 'ehr_syncs.ingestion_id')
    .select('ehr_syncs.id')
    .where('ehr_syncs.ehr_id', '=', ehrId)
    .where('ehr_syncs.project_id', '=', project)
    .where((where) =>
      where.or([
        where('ehr_syncs.state', 'in', ['queued', 'running']),
        where.and([
          where('ehr_syncs.state', '=', 'ingesting'),
          where('ingestions.state', 'in', ['queued', 'running']),
        ]),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * Returns when the last successful sync into this project started, by the system's clock. Null if there is
 * none, or if a file since the last full one was deleted: its data are missing in the project.
 */
async function lastMark(tx: Transaction, ehr: EhrsTable, project: string): Promise<number | null> {
  const good = tx
    .selectFrom('ehr_syncs')
    .leftJoin('ingestions', 'ingestions.id', 'ehr_syncs.ingestion_id')
    .where('ehr_syncs.ehr_id', '=', ehr.id)
    .where('ehr_syncs.project_id', '=', project)
    .where('ehr_syncs.api_base_url', '=', ehr.api_base_url)
    .where((where) =>
      where.or([where('ehr_syncs.state', '=', 'succeeded'), where('ingestions.state', '=', 'succeeded')]),
    );
  const newest = good.select(['ehr_syncs.id', 'ehr_syncs.mark']).orderBy('ehr_syncs.id', 'desc').limit(1);
  const full = await newest.where('ehr_syncs.since', 'is', null).executeTakeFirst();
  if (!full) return null;
  const lost = await good
    .leftJoin('files', (join) =>
      join.onRef('files.id', '=', 'ehr_syncs.file_id').onRef('files.project_id', '=', 'ehr_syncs.project_id'),
    )
    .select('ehr_syncs.id')
    .where('ehr_syncs.id', '>=', full.id)
    .where('ehr_syncs.file_id', 'is not', null)
    .where('files.id', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return lost ? null : ((await newest.executeTakeFirst())?.mark ?? null);
}
