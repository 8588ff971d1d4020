import { join } from 'node:path';
import { Untranslatable } from '../cluster/syntax.ts';
import { translateStatement } from '../cluster/translate.ts';
import { dialect } from '../dialect/macros.ts';
import { DuckdbSql } from '../duckdb.ts';
import type { TranslationTask } from '../engine.ts';
import { bindStatement, type Planner } from '../guard/bind.ts';
import { checkStatement, type SyntaxTrees } from '../guard/check.ts';
import type { BindAnswer, BindTask, CheckAnswer, CheckTask, TranslationAnswer } from '../guard/guard.ts';
import { Refusal } from '../guard/refusal.ts';
import type { WorkerStart } from '../messages.ts';
import { serve, type TaskHandler } from '../task-runtime/serve.ts';

/** Opens a process that reads statements and never runs one: a text that breaks the parser breaks only this. */
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
      // An error that is not the statement's: it may run none the less. The state of the planner is then unknown.
      (await planner.catch(() => undefined))?.close();
      planner = undefined;
      return { bound: undefined };
    }
  };
  return (order) => {
    const task = order as BindTask | CheckTask | TranslationTask;
    if ('views' in task) return translated(task, trees);
    return answer<BindAnswer | CheckAnswer>('tables' in task ? bound(task) : checkStatementOf(task, trees));
  };
}

/** Engine for planning, which reports errors with their places. */
async function openPlanner(start: WorkerStart): Promise<Planner> {
  const sql = await DuckdbSql.open({ ...start, temporaryFolder: join(start.folder, 'spill') });
  await sql.run(dialect);
  await sql.confine([]);
  // Folding constants would run functions of the statement here, for seconds, where one process serves everybody.
  await sql.run(
    "SET TimeZone = 'UTC'; SET errors_as_json = true; SET disabled_optimizers = 'expression_rewriter'; SET lock_configuration = true",
  );
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

async function translated(task: TranslationTask, trees: SyntaxTrees): Promise<TranslationAnswer> {
  try {
    return { translated: { sql: await translateStatement(task, trees) } };
  } catch (error) {
    if (error instanceof Untranslatable) return { translated: { reason: error.message } };
    throw error;
  }
}

async function answer<T>(work: Promise<T>): Promise<T | BindAnswer> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Refusal) {
      const { message, offset, kind, subject } = error;
      return { refusal: { message, offset, kind, subject } };
    }
    throw error;
  }
}

await serve(open);
