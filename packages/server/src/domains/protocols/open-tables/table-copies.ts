import { createHash } from 'node:crypto';
import type { Caller } from '../../../access/caller.ts';
import type { Wait } from '../../../api/route.ts';
import { newId } from '../../../base/ids.ts';
import { Problem } from '../../../base/problem.ts';
import { version as serviceVersion } from '../../../base/version.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import { ChangeWaiter } from '../../../platform/records/change-waiter.ts';
import { isUniqueViolation } from '../../../platform/records/errors.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { LakeCopiesTable } from '../../../platform/records/schema-lake.ts';
import { requireAccountRoom } from '../../files/index.ts';
import { type ProjectRecord, requireProject } from '../../files/projects/index.ts';
import { type IcebergFile, type LakeFile, tableOf } from '../../lake/index.ts';
import { everyRow } from './audiences.ts';

/** Kind of the job that makes a copy. */
export const copyJob = 'lake.copy';
/** Prefix of the topics that announce the end of a copy's making. */
export const copyTopic = 'lake-copy:';
/** A copy whose run is interrupted is made again once. */
const attemptsMax = 2;
/** The time of the last opening is exact to this. */
const openedExactMs = 3_600_000;
/** Time until a copy is tried anew that took too long or too much memory. */
const refusedMs = 3_600_000;
/** Copies of a project for readers of some rows or masked ones, each of one table. */
const audienceCopiesMax = 500;
/** Longest wait without a look at the record and its job. */
const lookEveryMs = 5000;

interface CopyDeps {
  records: Records;
  jobs: Pick<Jobs, 'add'>;
}

/** Limits of copies, which are made in the places of queries. */
interface CopyLimits {
  accountBytesMax: number | undefined;
}

/** Table at a version of a lake, with the files that are read for it. */
interface CopiedTable {
  project: ProjectRecord;
  version: number;
  name: string;
  columns: readonly { name: string; type: string }[];
  files: readonly LakeFile[];
  /** Digest of the rows and masks of its readers. */
  audience: string;
  /** All tables of the lake: rows of any may decide which ones an audience sees. */
  lakeTables: readonly string[];
}

type By = { caller: Caller; wait: Wait };
type Row = LakeCopiesTable;

/**
 * Returns a digest of all that the rows of a copy depend on: the table and the states of its files. Other tables decide as well
 * which rows an audience sees, so its copies are of one version of the lake.
 */
export function digestOf({
  name,
  columns,
  files,
  audience,
  version,
}: Pick<CopiedTable, 'name' | 'columns' | 'files' | 'audience' | 'version'>): string {
  const states = files.map(({ table, blob, ordinal, ordinals, source, genomeBuild }) =>
    JSON.stringify([table, blob.key, ordinal, ordinals, source, genomeBuild]),
  );
  const seen = audience === everyRow ? [] : [audience, version];
  const shape = [serviceVersion, name, columns.map((column) => [column.name, column.type]), ...seen];
  return createHash('sha256')
    .update([JSON.stringify(shape), ...states.toSorted()].join('\n'))
    .digest('hex');
}

/** Returns the tables that files belong to. */
export const tablesOf = (files: readonly LakeFile[]): string[] => [...new Set(files.map(tableOf))];

/**
 * Copies of tables as files: one for the same files behind a table, made by one job for all waiting callers. Each copy is a row
 * of the records: counted to its account, kept over restarts, removed with its project.
 */
export class TableCopies {
  readonly #deps: CopyDeps;
  readonly #limits: CopyLimits;
  readonly #changes: ChangeWaiter;
  readonly #openedAt = Date.now();

  constructor(deps: CopyDeps, limits: CopyLimits) {
    this.#deps = deps;
    this.#limits = limits;
    this.#changes = new ChangeWaiter(deps.records, copyTopic);
  }

  /**
   * Returns the copy of a table. If it is not made yet, waits for that and returns nothing: the lake may have
   * changed meanwhile. Rejects with the Problem of a making that the caller waited for.
   */
  async current(table: CopiedTable, by: By): Promise<Omit<IcebergFile, 'recordedAt'> | undefined> {
    const row = (await this.#find(table)) ?? (await this.#begin(table, by));
    if (!row) return undefined;
    if (row.state === 'succeeded') return (await this.#use(row, table.version)) ? fileOf(row) : undefined;
    if (row.state === 'failed') throw problemOf(row);
    const ended = await by.wait((signal) => this.#ended(row.id, signal));
    if (ended?.state === 'failed') throw problemOf(ended);
    return undefined;
  }

  async #find({ project, name, ...table }: CopiedTable): Promise<Row | undefined> {
    const row = await this.#deps.records.read
      .selectFrom('lake_copies')
      .selectAll()
      .where('project_id', '=', project.id)
      .where('table_name', '=', name)
      .where('digest', '=', digestOf({ name, ...table }))
      .executeTakeFirst();
    if (!row || row.state === 'succeeded' || this.#isRefused(row) || (await this.#isMaking(row))) return row;
    // Another opening tries anew what failed before.
    await this.#deps.records.transact((tx) =>
      tx.deleteFrom('lake_copies').where('id', '=', row.id).where('state', '<>', 'succeeded').execute(),
    );
    return undefined;
  }

  /**
   * Reports whether another making would fail alike: the files of a copy never change, and limits only with a start. What took
   * too long or too much memory may have done so beside other work.
   */
  #isRefused({ state, error, ended_at }: Row): boolean {
    if (state !== 'failed' || error === null || ended_at === null) return false;
    const { code } = JSON.parse(error) as Pick<Problem, 'code'>;
    if (code === 'QUERY_RESULT_SIZE') return ended_at >= this.#openedAt;
    return (code === 'QUERY_TIME' || code === 'QUERY_MEMORY') && ended_at > Date.now() - refusedMs;
  }

  /** Reports whether the job of a copy waits or runs. */
  async #isMaking({ state, job_id }: Row): Promise<boolean> {
    if (state !== 'running') return false;
    const job = await this.#deps.records.read
      .selectFrom('jobs')
      .select('state')
      .where('id', '=', job_id)
      .executeTakeFirst();
    return job?.state === 'queued' || job?.state === 'running';
  }

  /** Records a copy with the job that makes it; nothing if another opening was faster. */
  async #begin(table: CopiedTable, by: By): Promise<Row | undefined> {
    try {
      return await this.#deps.records.transact((tx) => this.#record(tx, table, by));
    } catch (error) {
      if (isUniqueViolation(error, 'lake_copies')) return undefined;
      throw error;
    }
  }

  async #record(tx: Transaction, table: CopiedTable, { caller }: By): Promise<Row> {
    const { project, version, name, files, audience, lakeTables } = table;
    const { accountBytesMax } = this.#limits;
    const id = newId();
    await requireProject(tx, project.id);
    await requireAccountRoom(tx, project.account, accountBytesMax, 1);
    if (audience !== everyRow) await requireFew(tx, project.id);
    const job_id = await this.#deps.jobs.add(tx, {
      kind: copyJob,
      class: 'query',
      whose: { account: project.account, project: project.id, user: caller.userId },
      payload: { copyId: id },
      attemptsMax,
    });
    const now = Date.now();
    return tx
      .insertInto('lake_copies')
      .values({
        ...{ id, account_id: project.account, project_id: project.id, table_name: name, job_id },
        ...{
          digest: digestOf(table),
          read_tables: JSON.stringify(audience === everyRow ? tablesOf(files) : lakeTables),
          audience,
        },
        ...{ lake_version: version, user_id: caller.userId, state: 'running', error: null },
        ...{ row_count: null, blob_key: null, size: null, sha256: null },
        ...{ started_at: now, ended_at: null, opened_at: now, retired_at: null },
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  }

  /** Notes that a copy holds the rows of a version of the lake. False if it was removed. */
  async #use(row: Row, version: number): Promise<boolean> {
    const now = Date.now();
    const isNoted =
      row.lake_version >= version && row.retired_at === null && row.opened_at > now - openedExactMs;
    if (isNoted) return true;
    const lake_version = Math.max(row.lake_version, version);
    const { numUpdatedRows } = await this.#deps.records.transact((tx) =>
      tx
        .updateTable('lake_copies')
        .set({ lake_version, opened_at: now, retired_at: null })
        .where('id', '=', row.id)
        .executeTakeFirst(),
    );
    return numUpdatedRows > 0n;
  }

  /** Returns a copy when its making has ended; nothing if it was given up because the lake changed. */
  async #ended(id: string, signal: AbortSignal): Promise<Row | undefined> {
    for (;;) {
      signal.throwIfAborted();
      const changed = this.#changes.next(id, AbortSignal.any([signal, AbortSignal.timeout(lookEveryMs)]));
      const row = await this.#deps.records.read
        .selectFrom('lake_copies')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      if (!row || !(await this.#isMaking(row))) return row;
      await changed;
    }
  }
}

/** Problem 429 where a project has as many copies for readers of some rows as it may have. */
async function requireFew(tx: Transaction, project: string): Promise<void> {
  const { count } = await tx
    .selectFrom('lake_copies')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('project_id', '=', project)
    .where('audience', '<>', everyRow)
    .executeTakeFirstOrThrow();
  if (Number(count) < audienceCopiesMax) return;
  const message = `${audienceCopiesMax} copies of tables of this project are kept for readers of some rows. Use a query, or wait: copies that nobody opens go after a day.`;
  throw new Problem(429, 'TOO_MANY_REQUESTS', message, { retryAfterS: 3600 });
}

function fileOf({ blob_key, size, sha256, row_count }: Row): Omit<IcebergFile, 'recordedAt'> {
  const blob = { key: blob_key ?? '', size: size ?? 0, sha256: sha256 ?? '' };
  return { blob, rowCount: row_count ?? 0, fileRows: null, ordinal: 0 };
}

function problemOf({ error }: Row): Problem {
  const { status, code, message } = JSON.parse(error ?? '{}') as Pick<Problem, 'status' | 'code' | 'message'>;
  return new Problem(status, code, message);
}
