import './low-priority.ts';
import { join } from 'node:path';
import { DuckdbSql } from '../duckdb.ts';
import type { WorkerStart } from '../messages.ts';
import type { Rewrite, RewriteOutcome, RewriteTask } from '../rewrite-task.ts';
import { boundsIn } from '../task-runtime/bounds.ts';
import { digestFile } from '../task-runtime/digest.ts';
import { literal } from '../task-runtime/quote.ts';
import { serve, type TaskHandler } from '../task-runtime/serve.ts';

/** Opens a process that writes Parquet files from the rows of others, each on an engine instance of its own. */
async function open(start: WorkerStart): Promise<TaskHandler> {
  return async (task, report) => {
    const outcomes: RewriteOutcome[] = [];
    for (const rewrite of (task as RewriteTask).rewrites) {
      const sql = await DuckdbSql.open({ ...start, temporaryFolder: join(start.folder, 'spill') });
      try {
        outcomes.push(await write(sql, rewrite));
      } finally {
        sql.close();
      }
      report({ done: outcomes.length });
    }
    return outcomes;
  };
}

async function write(sql: DuckdbSql, { select, files, path, table }: Rewrite): Promise<RewriteOutcome> {
  await sql.confine([...files, path]);
  // Row groups are cut by size, since documents may be large; variants have 115,000 rows in one. One thread keeps
  // the order of rows by itself.
  await sql.run('SET preserve_insertion_order = false');
  // Joins with up to so many ids skip the row groups without them.
  await sql.run('SET dynamic_or_filter_threshold = 10000');
  const rowCount = await sql.run(
    `COPY (${select}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE_BYTES '64MB', USE_TMP_FILE false)`,
  );
  const bounds = table === undefined ? undefined : await boundsIn(sql, table, path);
  return { rowCount, ...(await digestFile(path)), ...(bounds && { bounds }) };
}

await serve(open);
