import { join } from 'node:path';
import { dialect } from '../dialect/macros.ts';
import { DuckdbSql } from '../duckdb.ts';
import type { LookedUp, LookUpTask, Relation } from '../engine.ts';
import { overOutput } from '../limit-errors.ts';
import type { WorkerStart } from '../messages.ts';
import { identifier, literal } from '../task-runtime/quote.ts';
import { columnsOf } from '../task-runtime/result-file.ts';
import { numbered } from '../task-runtime/select-columns.ts';
import { serve, type TaskHandler } from '../task-runtime/serve.ts';
import { trinoLine } from '../task-runtime/trino-rows.ts';

const rowsMax = 100_000;
const linesMaxBytes = 16 * 1024 * 1024;

/** Opens a process that runs small statements over rows that are part of the task. It opens no file. */
async function open(start: WorkerStart): Promise<TaskHandler> {
  const sql = await DuckdbSql.open({ ...start, temporaryFolder: join(start.folder, 'spill') });
  await sql.run(dialect);
  await sql.run("SET TimeZone = 'UTC'");
  await sql.confine([]);
  await sql.run('SET lock_configuration = true');
  if (start.waits) await lookUp(sql, { sql: 'SELECT 1', relations: [] });
  return (task) => lookUp(sql, task as LookUpTask);
}

async function lookUp(sql: DuckdbSql, { sql: statement, relations }: LookUpTask): Promise<LookedUp> {
  // The next statement, maybe of another caller, must not find these rows.
  await sql.run('BEGIN');
  try {
    for (const relation of relations) await create(sql, relation);
    const columns = await columnsOf(sql, statement);
    const from = numbered(statement, columns.length);
    const rows = await sql.jsonRows(
      `SELECT ${trinoLine(columns)} AS line FROM ${from} LIMIT ${rowsMax + 1}`,
      [],
    );
    const lines = rows.map(({ line }) => String(line));
    const bytes = lines.reduce((sum, line) => sum + line.length, 0);
    if (lines.length > rowsMax || bytes > linesMaxBytes) throw overOutput(linesMaxBytes);
    return { columns: columns.map(({ header, type }) => ({ name: header, type: type.name })), lines };
  } finally {
    await sql.run('ROLLBACK');
  }
}

async function create(sql: DuckdbSql, { name, columns, rows }: Relation): Promise<void> {
  const shape = JSON.stringify([Object.fromEntries(columns.map((column) => [column.name, column.type]))]);
  await sql.jsonRows(
    `CREATE TABLE ${identifier(name)} AS SELECT unnest(from_json($1, ${literal(shape)}), recursive := true)`,
    [JSON.stringify(rows)],
  );
}

await serve(open);
