import { type Engine, EngineError, type QueryTable } from '@ploidy/engine';
import { isStorageFull, Problem } from '../../../base/problem.ts';
import type { BlobInfo, Blobs } from '../../../platform/blobs/blobs.ts';
import { removeFreed } from '../../../platform/blobs/remove-freed.ts';
import { givenUp } from '../../../platform/jobs/given-up.ts';
import type { JobHandler, JobRun } from '../../../platform/jobs/jobs.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { LakeCopiesTable } from '../../../platform/records/schema-lake.ts';
import { accountRoom, requireAccountRoom } from '../../files/index.ts';
import { lockProjectIfThere } from '../../files/projects/index.ts';
import type { Callers } from '../../identity/callers/index.ts';
import {
  attributesOfTables,
  countsMinOf,
  fullAccess,
  type Lake,
  type RowAccess,
  type RowRights,
} from '../../lake/index.ts';
import { Audiences, everyRow } from './audiences.ts';
import { copyJob, copyTopic, digestOf } from './table-copies.ts';

interface MakeCopyDeps {
  records: Records;
  engine: Engine;
  blobs: Blobs;
  lake: Lake;
  callers: Callers;
  rights: RowRights;
}

interface MakeCopyLimits {
  outputMaxBytes: number;
  accountBytesMax: number | undefined;
}

type Row = LakeCopiesTable;
interface Made {
  blob: BlobInfo;
  rowCount: number;
}

/** Handles the job of a copy: engine → blob → one transaction that publishes it and retires its predecessor. */
export function makeCopies(deps: MakeCopyDeps, limits: MakeCopyLimits): JobHandler {
  return {
    kind: copyJob,
    run: (run) => makeCopy(deps, limits, run),
    onExhausted: async (tx, job, error) => {
      const { message } = givenUp('copy for Iceberg', job, error);
      const problem = new Problem(503, 'ENGINE_UNAVAILABLE', message);
      await fail(deps.records, tx, job.payload['copyId'] ?? '', problem);
    },
  };
}

async function makeCopy(deps: MakeCopyDeps, limits: MakeCopyLimits, run: JobRun): Promise<void> {
  const { records } = deps;
  const row = await records.read
    .selectFrom('lake_copies')
    .selectAll()
    .where('id', '=', run.job.payload['copyId'] ?? '')
    .where('state', '=', 'running')
    .executeTakeFirst();
  if (!row) return;
  try {
    const made = await write(deps, limits, row, run);
    if (made) await publish(deps, limits, row, made, run);
    else await giveUp(records, row, run);
  } catch (error) {
    if (run.signal.aborted) throw run.signal.reason;
    const problem = failureOf(error);
    if (!problem) throw error;
    await records.transact(async (tx) => {
      if (await run.holdsLease(tx)) await fail(records, tx, row.id, problem);
    });
  }
}

/** Writes the rows of a table to a blob; nothing if the lake is not what the copy was asked for any more. */
async function write(
  deps: MakeCopyDeps,
  { outputMaxBytes, accountBytesMax }: MakeCopyLimits,
  row: Row,
  run: JobRun,
): Promise<Made | undefined> {
  const { records, engine, blobs, lake } = deps;
  const access = await accessOf(deps, row);
  const version = await currentOf(lake, row, access);
  if (version === undefined) return undefined;
  // The sweep keeps the files of this version.
  await records.transact((tx) =>
    tx.updateTable('lake_copies').set({ lake_version: version }).where('id', '=', row.id).execute(),
  );
  const room = await accountRoom(records.read, row.account_id, accountBytesMax);
  const statement = await engine.check(
    `SELECT * FROM "${row.table_name}"`,
    [row.table_name],
    countsMinOf(access),
  );
  const outputPath = await blobs.scratchPath('parquet');
  const limit = { outputMaxBytes: Math.max(1, Math.min(outputMaxBytes, room ?? outputMaxBytes)) };
  const task = { statement, outputPath, format: 'parquet', caller: row.user_id, ...limit } as const;
  const work = (tables: QueryTable[]) => engine.query({ ...task, tables }, run.signal);
  try {
    const { conditions } = statement;
    const pinned = { id: row.project_id, version, access, conditions };
    const outcome = await lake.withRelations(pinned, statement.tables, work, run.signal);
    return { blob: await blobs.adopt(outputPath, outcome), rowCount: outcome.rowCount };
  } catch (error) {
    await blobs.discardScratch(outputPath);
    const isFull = error instanceof EngineError && error.code === 'RESULT_SIZE' && room !== undefined;
    if (isFull && room < outputMaxBytes)
      await requireAccountRoom(records.read, row.account_id, accountBytesMax, room + 1);
    throw error;
  }
}

/** Returns the access of the readers of a copy. Problem 403 if the one who asked for it has another one meanwhile. */
async function accessOf({ lake, callers, rights }: MakeCopyDeps, row: Row): Promise<RowAccess> {
  if (row.audience === everyRow) return fullAccess('real');
  const { user_id: userId, account_id: keyAccount, project_id: project, table_name: table } = row;
  const caller = await callers.resolve({ userId, via: 'job', keyAccount });
  const access = caller && rights.accessOf(caller, attributesOfTables(row));
  const audiences = new Audiences({ lake, rights });
  if (access && (await audiences.of(access, project, table)) === row.audience) return access;
  throw new Problem(
    403,
    'FORBIDDEN',
    'Your rights to rows changed while the table was copied. Open it again.',
  );
}

/** Returns the present version of the lake if the files behind the table are those of the copy. */
async function currentOf(lake: Lake, row: Row, access: RowAccess): Promise<number | undefined> {
  const { version, tables } = await lake.snapshot(row.project_id, access);
  const table = tables.get(row.table_name);
  if (!table) return undefined;
  const { files } = await lake.tableState({ id: row.project_id, version }, table.name);
  const { audience, digest } = row;
  const present = digestOf({ name: table.name, columns: table.columns, files, audience, version });
  return present === digest ? version : undefined;
}

/** Publishes a copy. Its predecessor is kept for those who read it; the one before goes at once. */
async function publish(
  { records, blobs }: MakeCopyDeps,
  { accountBytesMax }: MakeCopyLimits,
  row: Row,
  { blob, rowCount }: Made,
  run: JobRun,
): Promise<void> {
  const publication = records.transact(async (tx) => {
    if (!(await run.holdsLease(tx)) || !(await lockProjectIfThere(tx, row.project_id))) return undefined;
    const now = Date.now();
    const { numUpdatedRows } = await tx
      .updateTable('lake_copies')
      .set({ state: 'succeeded', blob_key: blob.key, size: blob.size, sha256: blob.sha256 })
      .set({ row_count: rowCount, ended_at: now })
      .where('id', '=', row.id)
      .where('state', '=', 'running')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return undefined;
    const freed = await retireOthers(tx, row, now);
    await requireAccountRoom(tx, row.account_id, accountBytesMax);
    await records.announce(tx, `${copyTopic}${row.id}`);
    return freed;
  });
  const freed = await publication.catch(async (error: unknown) => {
    if (error instanceof Problem) await removeFreed(blobs, [blob.key]);
    throw error;
  });
  await removeFreed(blobs, freed ?? [blob.key]);
}

/** Retires the predecessor of a copy, and removes those retired before. Returns the blobs of these. */
async function retireOthers(
  tx: Transaction,
  { id, project_id, table_name, audience }: Row,
  now: number,
): Promise<string[]> {
  const freed = await tx
    .deleteFrom('lake_copies')
    .where('project_id', '=', project_id)
    .where('table_name', '=', table_name)
    .where('audience', '=', audience)
    .where('retired_at', 'is not', null)
    .returning('blob_key')
    .execute();
  await tx
    .updateTable('lake_copies')
    .set({ retired_at: now })
    .where('project_id', '=', project_id)
    .where('table_name', '=', table_name)
    .where('audience', '=', audience)
    .where('state', '=', 'succeeded')
    .where('id', '<>', id)
    .execute();
  return freed.flatMap(({ blob_key }) => blob_key ?? []);
}

/** Removes the record of an unneeded copy; waiting openings look at the lake again. */
async function giveUp(records: Records, { id }: Row, run: JobRun): Promise<void> {
  await records.transact(async (tx) => {
    if (!(await run.holdsLease(tx))) return;
    await tx.deleteFrom('lake_copies').where('id', '=', id).where('state', '=', 'running').execute();
    await records.announce(tx, `${copyTopic}${id}`);
  });
}

async function fail(records: Records, tx: Transaction, id: string, problem: Problem): Promise<void> {
  const { status, code, message } = problem;
  await tx
    .updateTable('lake_copies')
    .set({ state: 'failed', error: JSON.stringify({ status, code, message }), ended_at: Date.now() })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .execute();
  await records.announce(tx, `${copyTopic}${id}`);
}

/** Returns a permanent failure; `undefined` if the run should be retried, as after a lost process. */
function failureOf(error: unknown): Problem | undefined {
  if (isStorageFull(error)) return error;
  if (error instanceof Problem && error.status < 500) return error;
  if (!(error instanceof EngineError) || error.code === 'WORKER_LOST' || error.code === 'INPUT')
    return undefined;
  return new Problem(422, `QUERY_${error.code}`, `The table has to be copied for Iceberg. ${error.message}`);
}
