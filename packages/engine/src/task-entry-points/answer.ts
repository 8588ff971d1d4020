import { join } from 'node:path';
import { DuckdbSql } from '../duckdb.ts';
import type { AnswerTask, WriteTask } from '../engine.ts';
import { overOutput } from '../limit-errors.ts';
import type { WorkerStart } from '../messages.ts';
import type { RewriteOutcome } from '../rewrite-task.ts';
import { boundsIn } from '../task-runtime/bounds.ts';
import { digestFile } from '../task-runtime/digest.ts';
import { withoutLiterals } from '../task-runtime/failure.ts';
import { literal } from '../task-runtime/quote.ts';
import { serve, type TaskHandler } from '../task-runtime/serve.ts';

/** The service reads and writes an answer as a whole, while others wait. What is longer is asked for in pages, or as a query. */
const answerMax = 32 * 1024 * 1024;

/** Process that answers statements of the service's own, one after the other: rows are returned, or written to a Parquet file. */
async function open(start: WorkerStart): Promise<TaskHandler> {
  const sql = await DuckdbSql.open({ ...start, temporaryFolder: join(start.folder, 'spill') });
  await sql.run("SET TimeZone = 'UTC'");
  // Loads the code that reads rows before the first request.
  if (start.waits) await sql.jsonRows('SELECT 1', []);
  return async (order) => {
    const task = order as AnswerTask;
    try {
      return await answer(sql, task);
    } catch (error) {
      throw withoutLiterals(error, [task.sql]);
    }
  };
}

async function answer(
  sql: DuckdbSql,
  { sql: statement, parameters, outputPath, table }: AnswerTask & Partial<WriteTask>,
): Promise<unknown> {
  if (outputPath === undefined) {
    const rows = await sql.jsonRows(statement, parameters);
    if (JSON.stringify(rows).length > answerMax) throw overOutput(answerMax);
    return { rows };
  }
  const copy = `COPY (${statement}) TO ${literal(outputPath)} (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)`;
  const [copied] = await sql.jsonRows(copy, parameters);
  const bounds = table === undefined ? undefined : await boundsIn(sql, table, outputPath);
  const outcome: RewriteOutcome = { rowCount: Number(copied?.['Count']), ...(await digestFile(outputPath)) };
  return { ...outcome, ...(bounds && { bounds }) };
}

await serve(open);
