import { join } from 'node:path';
import { dialect } from '../platform/engine/dialect/macros.ts';
import { DuckdbSql } from '../platform/engine/duckdb.ts';
import { bindStatement, type Planner } from '../platform/engine/guard/bind.ts';
import { checkStatement, type SyntaxTrees } from '../platform/engine/guard/check.ts';
import type { BindAnswer, BindTask, CheckAnswer, CheckTask } from '../platform/engine/guard/guard.ts';
import { Refusal } from '../platform/engine/guard/refusal.ts';
import type { WorkerStart } from '../platform/engine/messages.ts';
import { serve, type TaskHandler } from '../platform/engine/worker/serve.ts';

/** A process that reads statements and never runs one: a text that breaks the parser breaks only this. */
async function open(start: WorkerStart): Promise<TaskHandler> {
  const sql = await DuckdbSql.open({ ...start, temporaryFolder: join(start.folder, 'spill') });
  await sql.confine([]);
  await sql.run('SET lock_configuration = true');
  const trees: SyntaxTrees = {
    serialize: (text) => sql.text('SELECT json_serialize_sql($1::VARCHAR)', text),
    deserialize: (tree) => sql.text('SELECT json_deserialize_sql($1::JSON)', tree),
  };
  await trees.deserialize(await trees.serialize('SELECT 1'));
  // Its memory is taken when the first statement is planned, not while a service only ingests.
  let planner: Promise<Planner> | undefined;
  const bound = async (task: BindTask): Promise<BindAnswer> => {
    planner ??= openPlanner(start);
    try {
      return { bound: await bindStatement(task, task.tables, await planner) };
    } catch (error) {
      if (error instanceof Refusal) throw error;
      // An error that is not the statement's: it may run none the less. In what state it left the planner nobody knows.
      (await planner.catch(() => undefined))?.close();
      planner = undefined;
      return { bound: undefined };
    }
  };
  return (task) =>
    answer<BindAnswer | CheckAnswer>(
      'tables' in (task as BindTask) ? bound(task as BindTask) : checkStatementOf(task as CheckTask, trees),
    );
}

/** An engine of its own for planning, which tells mistakes with their places. */
async function openPlanner(start: WorkerStart): Promise<Planner> {
  const sql = await DuckdbSql.open({ ...start, temporaryFolder: join(start.folder, 'spill') });
  await sql.run(dialect);
  await sql.confine([]);
  await sql.run("SET TimeZone = 'UTC'; SET errors_as_json = true; SET lock_configuration = true");
  return {
    run: (text) => sql.run(text),
    columns: (text) => sql.columns(text),
    explain: (text) => sql.text(`EXPLAIN (FORMAT json) ${text}`),
    serialize: (text) => sql.text('SELECT json_serialize_sql($1::VARCHAR)', text),
    close: () => sql.close(),
  };
}

async function checkStatementOf(
  { sql, tableNames, limits }: CheckTask,
  trees: SyntaxTrees,
): Promise<CheckAnswer> {
  return { statement: await checkStatement(sql, tableNames, limits, trees) };
}

async function answer<T>(work: Promise<T>): Promise<T | BindAnswer> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Refusal) return { refusal: { message: error.message, offset: error.offset } };
    throw error;
  }
}

await serve(open);
