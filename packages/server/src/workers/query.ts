import { join } from 'node:path';
import { DuckdbSql } from '../platform/engine/duckdb.ts';
import type { QueryOutcome, QueryTask } from '../platform/engine/engine.ts';
import type { WorkerStart } from '../platform/engine/messages.ts';
import { headersOf, writtenNames } from '../platform/engine/worker/column-names.ts';
import { copyToCsv } from '../platform/engine/worker/csv.ts';
import { sealFile } from '../platform/engine/worker/digest.ts';
import { withoutLiterals } from '../platform/engine/worker/failure.ts';
import { identifier, literal } from '../platform/engine/worker/quote.ts';
import { serve, type TaskHandler } from '../platform/engine/worker/serve.ts';

const progressIntervalMs = 100;

/** A process that runs one query: Parquet files in, one CSV file out. */
async function open(start: WorkerStart): Promise<TaskHandler> {
  const sql = await DuckdbSql.open({ ...start, temporaryFolder: join(start.folder, 'spill') });
  await sql.run("SET TimeZone = 'UTC'");
  await warmUp(sql, start.folder);
  return async (order, report) => {
    const task = order as QueryTask;
    try {
      return await run(sql, task, report);
    } catch (error) {
      throw withoutLiterals(
        error,
        task.tables.map((table) => table.sql),
      );
    }
  };
}

async function run(
  sql: DuckdbSql,
  { statement, tables, outputPath }: QueryTask,
  report: (progress: unknown) => void,
): Promise<QueryOutcome> {
  const read = tables.filter((table) => statement.tables.includes(table.name));
  for (const table of read) {
    await sql.run(`CREATE VIEW ${identifier(table.name)} AS ${table.sql}`);
  }
  await sql.confine([...read.flatMap((table) => table.files), outputPath]);
  await sql.run('SET lock_configuration = true');
  const timer = setInterval(() => report({ fraction: sql.progress() }), progressIntervalMs);
  try {
    const [copied] = await sql.rows(await copyOf(sql, statement.sql, outputPath));
    return { rowCount: Number(copied?.['Count']), ...(await sealFile(outputPath)) };
  } finally {
    clearInterval(timer);
  }
}

async function copyOf(sql: DuckdbSql, statement: string, path: string): Promise<string> {
  const columns = await sql.columns(statement);
  const tree = JSON.parse(await sql.text('SELECT json_serialize_sql($1::VARCHAR)', statement));
  const names = columns.map(({ name }) => name);
  const types = columns.map(({ type }) => type);
  return copyToCsv(statement, types, headersOf(names, writtenNames(tree)), path);
}

/** Brings the code that every query needs into memory. */
async function warmUp(sql: DuckdbSql, folder: string): Promise<void> {
  const path = join(folder, 'warm.parquet');
  await sql.run(`COPY (SELECT range AS number FROM range(10)) TO ${literal(path)} (FORMAT parquet)`);
  const statement = `SELECT count(*) AS number FROM ${literal(path)} WHERE number > 1 ORDER BY 1`;
  const output = join(folder, 'warm.csv');
  await sql.run(await copyOf(sql, statement, output));
  await sealFile(output);
}

await serve(open);
