import { formatsThatPublish, type SourceType } from '@ploidy/converters';
import type { ConversionOptions } from '@ploidy/engine';
import { type SqlBool, sql } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import { listFilter } from '../../access/filter.ts';
import type { PageRequest } from '../../api/paging.ts';
import { newId } from '../../base/ids.ts';
import { conflict } from '../../base/problem.ts';
import type { Jobs, NewJob, Waiting } from '../../platform/jobs/jobs.ts';
import type { Reader, Records, Transaction } from '../../platform/records/records.ts';
import type { FilesTable, IngestionsTable } from '../../platform/records/schema.ts';
import { type Audit, type AuditAction, actor } from '../audit/index.ts';
import { type Remover, rowsOf, stopWork } from '../deletion/index.ts';
import { attributesOf } from '../files/index.ts';
import { lockProject } from '../files/projects/index.ts';
import { expectReads, failReads } from '../genomics/datasets/index.ts';
import { attributesOfIngestion, type FoundIngestion } from './ingestion.ts';
import { requireFirst, requireFullAccess } from './rights.ts';

const reads: ReadonlySet<string> = new Set(formatsThatPublish('reads'));

export interface NewIngestion extends ConversionOptions {
  type?: SourceType;
}

interface IngestionFilter {
  fileId?: string | undefined;
  userId?: string | undefined;
  /** Set for those alone that have not ended. */
  isOpen?: boolean | undefined;
}

type By = { caller: Caller; requestId: string };

/** Kind of the job that runs an ingestion. */
export const ingestionJob = 'ingestions.run';
/** An interrupted run starts over; nothing of it was visible. */
const attemptsMax = 3;

/** Records ingestions and queues their runs; run-ingestion.ts runs them. */
export class Ingestions {
  readonly #records: Records;
  readonly #jobs: Jobs;
  readonly #audit: Audit;

  constructor(deps: { records: Records; jobs: Jobs; audit: Audit }) {
    this.#records = deps.records;
    this.#jobs = deps.jobs;
    this.#audit = deps.audit;
  }

  /**
   * Queues the ingestion of a file. Problem 403 if it would replace rows without the right to, or if the
   * caller may read some patients only.
   */
  async create(file: FilesTable, input: NewIngestion, by: By): Promise<IngestionsTable> {
    requireFullAccess(by.caller, file);
    return this.#records.transact(async (tx) => {
      // No other request queues one until the commit.
      await lockProject(tx, file.project_id);
      const attributes = { ...attributesOf(file), type: 'ingestion' as const };
      if (!by.caller.may('ingestions.replace', attributes)) await requireFirst(tx, file);
      return this.queue(tx, file, input, actor(by.caller, by.requestId));
    });
  }

  /** Queues the ingestion of an upload with `ingest: true`, in its transaction, which locked the project. */
  async queueUploaded(
    tx: Transaction,
    file: FilesTable,
    { mayReplace, ...by }: { userId: string; mayReplace: boolean; requestId?: string },
  ): Promise<void> {
    if (!mayReplace) await requireFirst(tx, file);
    await this.queue(tx, file, {}, { ...by, via: 'signature' });
  }

  /** Queues an ingestion in the caller's transaction, after its permission checks. */
  async queue(
    tx: Transaction,
    file: FilesTable,
    input: NewIngestion,
    by: { userId: string | null; via: string; requestId?: string },
    jobClass: NewJob['class'] = 'ingestion',
  ): Promise<IngestionsTable> {
    const { type, ...options } = input;
    const id = newId();
    const userId = by.userId ?? file.owner_id;
    const job: NewJob = {
      ...{ kind: ingestionJob, class: jobClass, payload: { ingestionId: id }, attemptsMax },
      whose: { account: file.account_id, project: file.project_id, user: userId },
      inputBytes: file.size,
    };
    const row: IngestionsTable = {
      id,
      account_id: file.account_id,
      project_id: file.project_id,
      file_id: file.id,
      file_name: file.name,
      type: type ?? null,
      options: JSON.stringify(options),
      state: 'queued',
      bytes_done: 0,
      bytes_total: file.size,
      rows: 0,
      warning_count: 0,
      warnings: '[]',
      error: null,
      genome_build: null,
      found: null,
      gene_models: null,
      user_id: userId,
      job_id: await this.#jobs.add(tx, job),
      created_at: Date.now(),
      started_at: null,
      ended_at: null,
    };
    await tx.insertInto('ingestions').values(row).execute();
    if (type !== undefined && reads.has(type)) await expectReads(tx, row);
    await this.#appendAudit(tx, row, 'ingestions.create', by);
    return row;
  }

  /** Returns the waits of those that have no place yet, by the ids of their jobs. */
  waiting(rows: readonly IngestionsTable[]): Promise<ReadonlyMap<string, Waiting>> {
    const open = rows.filter(({ state }) => state === 'queued' || state === 'running');
    return this.#jobs.waiting(open.map(({ job_id }) => job_id));
  }

  async waitOf(row: IngestionsTable): Promise<Waiting | undefined> {
    return (await this.waiting([row])).get(row.job_id);
  }

  async find(id: string): Promise<FoundIngestion | undefined> {
    return this.#found().where('id', '=', id).executeTakeFirst();
  }

  /** Lists readable ingestions of an account or of a project in it, newest first, one row more than the page. */
  async list(
    caller: Caller,
    { account, id: project }: { account: string; id?: string },
    page: PageRequest,
    { fileId, userId, isOpen }: IngestionFilter = {},
  ): Promise<FoundIngestion[]> {
    let query = this.#found()
      .where((where) =>
        listFilter(caller, account, ['createData', 'readData'], {
          columns: {
            'resource.dataset': where.ref('project_id'),
            'resource.id': where.ref('id'),
            'resource.ownerId': where.ref('user_id'),
          },
          constants: { 'resource.account': account, 'resource.type': 'ingestion' },
        }),
      )
      .orderBy('id', 'desc')
      .limit(page.size + 1);
    if (page.after) query = query.where('id', '<', String(page.after[0]));
    query =
      project === undefined
        ? query.where('account_id', '=', account)
        : query.where('project_id', '=', project);
    if (fileId !== undefined) query = query.where('file_id', '=', fileId);
    if (userId !== undefined) query = query.where('user_id', '=', userId);
    // Literals, as in the condition of the index.
    if (isOpen) query = query.where(sql<SqlBool>`state in ('queued', 'running')`);
    return query.execute();
  }

  #found() {
    return this.#records.read
      .selectFrom('ingestions')
      .selectAll()
      .select(({ selectFrom }) => {
        const file = selectFrom('files').whereRef('files.id', '=', 'ingestions.file_id');
        return [file.select('owner_id').as('file_owner_id'), file.select('origin').as('file_origin')];
      });
  }

  /** Stops the run and changes the state at once: its result is never visible. Problem 409 if it ended. */
  async cancel(ingestion: IngestionsTable, by: By): Promise<void> {
    await this.#records.transact(async (tx) => {
      if (!(await this.#stop(tx, ingestion, by)))
        throw conflict('INGESTION_ENDED', 'The ingestion has already ended.');
    });
  }

  /** Cancels the ingestions that read a file as BAM, in the transaction that removes their result. */
  async cancelReads(tx: Transaction, fileId: string, by: By): Promise<void> {
    const rows = await tx
      .selectFrom('ingestions')
      .selectAll()
      .where('file_id', '=', fileId)
      .where('type', 'in', [...reads])
      .where('state', 'in', ['queued', 'running'])
      .execute();
    for (const row of rows) await this.#stop(tx, row, by);
  }

  /** Stops an ingestion; false if it ended. Locks the job first, as its run does. */
  async #stop(tx: Transaction, row: IngestionsTable, by: By): Promise<boolean> {
    await this.#jobs.cancel(tx, row.job_id);
    const { numUpdatedRows } = await tx
      .updateTable('ingestions')
      .set({ state: 'cancelled', ended_at: Date.now() })
      .where('id', '=', row.id)
      .where('state', 'in', ['queued', 'running'])
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await failReads(tx, row.id, 'The ingestion was cancelled.');
    await this.#appendAudit(tx, row, 'ingestions.cancel', actor(by.caller, by.requestId));
    return true;
  }

  async #appendAudit(
    tx: Transaction,
    row: IngestionsTable,
    action: AuditAction,
    by: { userId: string | null; via: string; requestId?: string },
  ): Promise<void> {
    await this.#audit.append(tx, {
      account: row.account_id,
      ...by,
      action,
      resource: attributesOfIngestion(row),
      outcome: 'done',
      details: { fileId: row.file_id },
    });
  }
}

/** Problem 409 while a file is being ingested: its rows would appear in the project it left. */
export async function refuseWhileIngesting(read: Reader | Transaction, fileId: string): Promise<void> {
  const running = await read
    .selectFrom('ingestions')
    .select('id')
    .where('file_id', '=', fileId)
    .where('state', 'in', ['queued', 'running'])
    .executeTakeFirst();
  if (!running) return;
  const message =
    'The file is being ingested. Wait for the end or cancel the ingestion before you move the file.';
  throw conflict('INGESTION_RUNNING', message);
}

/** Removes the ingestions of a project. */
export const ingestionRemovers = (jobs: Jobs): readonly Remover[] => [
  { ...rowsOf('project', 'ingestions'), stop: stopWork(jobs, 'ingestions') },
];
