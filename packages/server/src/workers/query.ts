import { join } from 'node:path';
import { dialectFor } from '../platform/engine/dialect/macros.ts';
import { DuckdbSql } from '../platform/engine/duckdb.ts';
import {
  EngineError,
  type QueryOutcome,
  type QueryTask,
  type SettledRows,
} from '../platform/engine/engine.ts';
import type { WorkerStart } from '../platform/engine/messages.ts';
import { headersOf, writtenNames } from '../platform/engine/worker/column-names.ts';
import { copyToCsv } from '../platform/engine/worker/csv.ts';
import { sealFile, sealGrowing } from '../platform/engine/worker/digest.ts';
import { failureOf, withoutLiterals } from '../platform/engine/worker/failure.ts';
import { identifier, literal } from '../platform/engine/worker/quote.ts';
import { serve, type TaskHandler } from '../platform/engine/worker/serve.ts';

const progressIntervalMs = 100;

/** A process that runs one query: Parquet files in, one file of rows out. */
async function open(start: WorkerStart): Promise<TaskHandler> {
  const sql = await DuckdbSql.open({ ...start, temporaryFolder: join(start.folder, 'spill') });
  await sql.run("SET TimeZone = 'UTC'");
  // View, columns and result each read the footers of all files: 13 ms each time for 17 million variants. The files of a query never change.
  await sql.run('SET parquet_metadata_cache = true');
  if (start.waits) await warmUp(sql, start.folder);
  return async (order, report, begun) => {
    const task = order as QueryTask;
    try {
      return await run(sql, task, { folder: start.folder, report, begun });
    } catch (error) {
      throw withoutLiterals(
        error,
        task.tables.flatMap(({ sql, settled }) => (settled ? [sql, settled.sql] : [sql])),
      );
    }
  };
}

interface Run {
  folder: string;
  report: (progress: unknown) => void;
  begun: Promise<void>;
}

async function run(
  sql: DuckdbSql,
  { statement, tables, outputPath, format }: QueryTask,
  { folder, report, begun }: Run,
): Promise<QueryOutcome> {
  await sql.run(dialectFor(statement.sql));
  const read = tables.filter((table) => statement.tables.includes(table.name));
  const files = read.flatMap((table) => table.files);
  for (const [index, { name, sql: relation, settled }] of read.entries()) {
    if (settled) {
      const path = join(folder, `settled-${index}.parquet`);
      await settle(sql, settled, path);
      files.push(path);
    }
    await sql.run(`CREATE VIEW ${identifier(name)} AS ${relation}`);
  }
  await sql.confine([...files, outputPath]);
  await sql.run('SET lock_configuration = true');
  const text = await copyOf(sql, statement.sql, outputPath, format);
  await begun;
  const timer = setInterval(() => report({ fraction: sql.progress() }), progressIntervalMs);
  try {
    const copy = sql.run(text);
    const told = statement.discreet ? copy.catch(discreetly) : copy;
    const { outcome: rowCount, seal } = await sealGrowing(outputPath, told);
    return { rowCount, ...seal };
  } finally {
    clearInterval(timer);
  }
}

/** The error without its words when these could hold a value of the data. */
function discreetly(error: unknown): never {
  const { code } = failureOf(error);
  if (code !== 'SQL') throw error;
  throw new EngineError(
    'SQL',
    'A value of the data could not be worked with, and may not be shown here. Use TRY_CAST, or a condition that leaves such rows out.',
  );
}

/** Computes rows into a file of this process, before it has seen the statement. */
async function settle(sql: DuckdbSql, rows: SettledRows, path: string): Promise<void> {
  await sql.run(`COPY (${rows.sql}) TO ${literal(path)} (FORMAT parquet)`);
  await sql.run(`CREATE VIEW ${identifier(rows.name)} AS SELECT * FROM read_parquet(${literal(path)})`);
}

async function copyOf(
  sql: DuckdbSql,
  statement: string,
  path: string,
  format?: QueryTask['format'],
): Promise<string> {
  if (format === 'parquet')
    return `COPY (${statement}) TO ${literal(path)} (FORMAT parquet, USE_TMP_FILE false)`;
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
