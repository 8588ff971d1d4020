import { join } from 'node:path';
import { DuckdbSql } from '../platform/engine/duckdb.ts';
import { checkStatement, type SyntaxTrees } from '../platform/engine/guard/check.ts';
import type { CheckAnswer, CheckTask } from '../platform/engine/guard/guard.ts';
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
  return (task) => check(task as CheckTask, trees);
}

async function check({ sql, tableNames, limits }: CheckTask, trees: SyntaxTrees): Promise<CheckAnswer> {
  try {
    return { statement: await checkStatement(sql, tableNames, limits, trees) };
  } catch (error) {
    if (error instanceof Refusal) return { refusal: { message: error.message, offset: error.offset } };
    throw error;
  }
}

await serve(open);
