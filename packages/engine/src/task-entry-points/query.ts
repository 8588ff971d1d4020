import { copyFile, mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { dialectFor } from '../dialect/macros.ts';
import { DuckdbSql } from '../duckdb.ts';
import { hiddenValue, type QueryOutcome, type QueryTask, type SettledRows } from '../engine.ts';
import type { WorkerStart } from '../messages.ts';
import { digestFile, digestGrowing, type FileDigest } from '../task-runtime/digest.ts';
import { failureOf, withoutLiterals } from '../task-runtime/failure.ts';
import { identifier, literal } from '../task-runtime/quote.ts';
import { planResult } from '../task-runtime/result-file.ts';
import { packLines, type Segment } from '../task-runtime/segments.ts';
import { serve, type TaskHandler } from '../task-runtime/serve.ts';
import { rowsFor } from '../task-runtime/view.ts';

const progressIntervalMs = 100;
/** Bytes of rows from which a result is packed; fewer travel in the answer itself. */
const packedFrom = 64 * 1024;

/**
 * Opens a process that runs queries, one after the other: Parquet files in, one file of rows out. Each runs on an engine instance
 * of its own, in a folder of its own, and closes both: nothing of a statement meets the next.
 */
async function open(start: WorkerStart): Promise<TaskHandler> {
  let count = 0;
  const prepare = (): Promise<Place> => openPlace(start, join(start.folder, String(count++)));
  let next = prepare();
  // A full disk must not keep the service from starting; the first query reports the error.
  if (start.waits) await next.then(warmUp).catch(() => undefined);
  else await next;
  return async (order, report) => {
    const task = order as QueryTask;
    const place = await next;
    try {
      return await run(place, task, report);
    } catch (error) {
      throw withoutLiterals(
        error,
        task.tables.flatMap(({ sql, settled }) => (settled ? [sql, settled.sql] : [sql])),
      );
    } finally {
      place.sql.close();
      await rm(place.folder, { recursive: true, force: true });
      next = prepare();
      // The next query reports it.
      next.catch(() => undefined);
    }
  };
}

/** Engine instance that no statement has seen, and a folder for what it writes beside the result. */
interface Place {
  sql: DuckdbSql;
  folder: string;
}

async function openPlace(start: WorkerStart, folder: string): Promise<Place> {
  await mkdir(folder);
  const sql = await DuckdbSql.open({ ...start, temporaryFolder: join(folder, 'spill') });
  await sql.run("SET TimeZone = 'UTC'");
  // View, columns and result each read the footers of all files: 13 ms each time for 17 million variants. The files of a query never change.
  await sql.run('SET parquet_metadata_cache = true');
  return { sql, folder };
}

async function run(
  { sql, folder }: Place,
  { statement, tables, outputPath, ...form }: QueryTask,
  report: (progress: unknown) => void,
): Promise<QueryOutcome> {
  await sql.run(dialectFor(statement.sql));
  const read = tables.filter((table) => statement.tables.includes(table.name));
  const files = read.flatMap((table) => table.files);
  for (const [index, table] of read.entries()) {
    if (table.settled) {
      const path = join(folder, `settled-${index}.parquet`);
      await settle(sql, table.settled, path);
      files.push(path);
    }
    await sql.run(`CREATE VIEW ${identifier(table.name)} AS ${rowsFor(statement, table)}`);
  }
  await sql.confine([...files, outputPath]);
  await sql.run('SET lock_configuration = true');
  const { columns, write } = await planResult(sql, statement.sql, outputPath, form);
  const timer = setInterval(() => report({ fraction: sql.progress() }), progressIntervalMs);
  try {
    const writing = write();
    const discreetWriting = statement.discreet ? writing.catch(discreetly) : writing;
    const { rowCount, digest, segments } = form.isPacked
      ? await packed(outputPath, discreetWriting, folder)
      : await digested(outputPath, discreetWriting);
    const hasColumns = form.format === 'rows' || form.format === 'trino';
    const shown = columns.map(({ header, type }) => ({ name: header, type: type.name }));
    return { rowCount, ...digest, ...(hasColumns && { columns: shown }), ...(segments && { segments }) };
  } finally {
    clearInterval(timer);
  }
}

/** Rows of a file, with its digest. */
interface WrittenRows {
  rowCount: number;
  digest: FileDigest;
  segments?: Segment[];
}

async function digested(path: string, writing: Promise<number>): Promise<WrittenRows> {
  const { outcome: rowCount, digest } = await digestGrowing(path, writing);
  return { rowCount, digest };
}

/** Replaces many lines by segments of them. */
async function packed(path: string, writing: Promise<number>, folder: string): Promise<WrittenRows> {
  const rowCount = await writing;
  if ((await stat(path)).size < packedFrom) return { rowCount, digest: await digestFile(path) };
  const packedPath = join(folder, 'segments');
  const segments = await packLines(path, packedPath);
  await copyFile(packedPath, path);
  return { rowCount, digest: await digestFile(path), segments };
}

/** Throws the error without its words when these could hold a value of the data. */
function discreetly(error: unknown): never {
  const { code } = failureOf(error);
  throw code === 'SQL' ? hiddenValue() : error;
}

/** Computes rows into a file of this process, before it has seen the statement. */
async function settle(sql: DuckdbSql, rows: SettledRows, path: string): Promise<void> {
  await sql.run(`COPY (${rows.sql}) TO ${literal(path)} (FORMAT parquet)`);
  await sql.run(`CREATE VIEW ${identifier(rows.name)} AS SELECT * FROM read_parquet(${literal(path)})`);
}

/** Brings the code that every query needs into memory. */
async function warmUp({ sql, folder }: Place): Promise<void> {
  const path = join(folder, 'warm.parquet');
  await sql.run(`COPY (SELECT range AS number FROM range(10)) TO ${literal(path)} (FORMAT parquet)`);
  const statement = `SELECT count(*) AS number FROM ${literal(path)} WHERE number > 1 ORDER BY 1`;
  const output = join(folder, 'warm.csv');
  await (await planResult(sql, statement, output)).write();
  await digestFile(output);
}

await serve(open);
