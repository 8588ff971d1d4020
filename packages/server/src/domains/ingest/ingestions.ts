import type { Caller } from '../../access/caller.ts';
import { listFilter } from '../../access/filter.ts';
import { newId } from '../../ids.ts';
import type { PageRequest } from '../../paging.ts';
import type { ConversionOptions } from '../../platform/engine/conversion.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Reader, Records, Transaction } from '../../platform/records/records.ts';
import type { FilesTable, IngestionsTable } from '../../platform/records/schema.ts';
import { conflict } from '../../problem.ts';
import { type Audit, actor } from '../audit/index.ts';
import { attributesOf } from '../files/index.ts';
import { expectReads, failReads } from '../genomics/index.ts';
import { lockProject } from '../projects/index.ts';
import { attributesOfIngestion, type FoundIngestion, type SourceType } from './ingestion.ts';
import { requireFirst, requireWholeSight } from './rights.ts';

export interface NewIngestion extends ConversionOptions {
  type?: SourceType;
}

type By = { caller: Caller; requestId: string };

/** The kind of the job that runs an ingestion. */
export const ingestionJob = 'ingestions.run';
/** A run that a crash interrupted starts over; nothing of it was visible. */
const attemptsMax = 3;

/** Ingestions: recorded here, run by run-ingestion.ts. */
export class Ingestions {
  readonly #records: Records;
  readonly #jobs: Jobs;
  readonly #audit: Audit;

  constructor(parts: { records: Records; jobs: Jobs; audit: Audit }) {
    this.#records = parts.records;
    this.#jobs = parts.jobs;
    this.#audit = parts.audit;
  }

  /** Queues the ingestion of a file. Problem 403 when it would replace rows, and the caller may not do that, or sees some patients only. */
  async create(file: FilesTable, input: NewIngestion, by: By): Promise<IngestionsTable> {
    requireWholeSight(by.caller, file);
    return this.#records.transact(async (tx) => {
      // Until the commit nobody else queues one.
      await lockProject(tx, file.project_id);
      const attributes = { ...attributesOf(file), type: 'ingestion' as const };
      if (!by.caller.may('ingestions.replace', attributes)) await requireFirst(tx, file);
      return this.queue(tx, file, input, actor(by.caller, by.requestId));
    });
  }

  /** The same for an upload with `ingest: true`, in its transaction, which has locked the project. */
  async queueUploaded(
    tx: Transaction,
    file: FilesTable,
    { userId, mayReplace }: { userId: string; mayReplace: boolean },
  ): Promise<void> {
    if (!mayReplace) await requireFirst(tx, file);
    await this.queue(tx, file, {}, { userId, via: 'signature' });
  }

  /** The same in the transaction of whoever asks for it, and has the right. */
  async queue(
    tx: Transaction,
    file: FilesTable,
    input: NewIngestion,
    by: { userId: string | null; via: string; requestId?: string },
  ): Promise<IngestionsTable> {
    const { type, ...options } = input;
    const id = newId();
    const queueKey = `ingest:${file.project_id}`;
    const job = { kind: ingestionJob, payload: { ingestionId: id }, attemptsMax, queueKey };
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
      user_id: by.userId ?? file.owner_id,
      job_id: await this.#jobs.add(tx, job),
      created_at: Date.now(),
      started_at: null,
      ended_at: null,
    };
    await tx.insertInto('ingestions').values(row).execute();
    if (type === 'bam') await expectReads(tx, row);
    await this.#tell(tx, row, 'ingestions.create', by);
    return row;
  }

  async find(id: string): Promise<FoundIngestion | undefined> {
    return this.#found().where('id', '=', id).executeTakeFirst();
  }

  /** Newest first, of those that the caller may read; one row more than the page. */
  async list(
    caller: Caller,
    project: { account: string; id: string },
    page: PageRequest,
  ): Promise<FoundIngestion[]> {
    let query = this.#found()
      .where('project_id', '=', project.id)
      .where((where) =>
        listFilter(caller, project.account, ['createData', 'readData'], {
          columns: { 'resource.id': where.ref('id'), 'resource.ownerId': where.ref('user_id') },
          constants: {
            'resource.account': project.account,
            'resource.dataset': project.id,
            'resource.type': 'ingestion',
          },
        }),
      )
      .orderBy('id', 'desc')
      .limit(page.size + 1);
    if (page.after) query = query.where('id', '<', String(page.after[0]));
    return query.execute();
  }

  #found() {
    return this.#records.read
      .selectFrom('ingestions')
      .selectAll()
      .select(({ selectFrom }) =>
        selectFrom('files')
          .select('owner_id')
          .whereRef('files.id', '=', 'ingestions.file_id')
          .as('file_owner_id'),
      );
  }

  /** Stops the run and moves the state in one step: what it made is never seen. Problem 409 when it has ended. */
  async cancel(ingestion: IngestionsTable, by: By): Promise<void> {
    await this.#records.transact(async (tx) => {
      if (!(await this.#stop(tx, ingestion, by)))
        throw conflict('INGESTION_ENDED', 'The ingestion has already ended.');
    });
  }

  /** Cancels what reads a file as a BAM, in the transaction of whoever removes what it would make. */
  async cancelReads(tx: Transaction, fileId: string, by: By): Promise<void> {
    const rows = await tx
      .selectFrom('ingestions')
      .selectAll()
      .where('file_id', '=', fileId)
      .where('type', '=', 'bam')
      .where('state', 'in', ['queued', 'running'])
      .execute();
    for (const row of rows) await this.#stop(tx, row, by);
  }

  /** False when it has ended. The job is locked first, as its run does. */
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
    await this.#tell(tx, row, 'ingestions.cancel', actor(by.caller, by.requestId));
    return true;
  }

  async #tell(
    tx: Transaction,
    row: IngestionsTable,
    action: string,
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

/** A file stays where it is while rows are being made from it: they would appear in the project that it has left. */
export async function refuseWhileIngesting(read: Reader | Transaction, fileId: string): Promise<void> {
  const running = await read
    .selectFrom('ingestions')
    .select('id')
    .where('file_id', '=', fileId)
    .where('state', 'in', ['queued', 'running'])
    .executeTakeFirst();
  if (!running) return;
  const message =
    'The file is being ingested. Wait for the end, or cancel the ingestion, before it is moved.';
  throw conflict('INGESTION_RUNNING', message);
}
