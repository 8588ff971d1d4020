import './low-priority.ts';
import { join } from 'node:path';
import { DuckdbSql } from '../platform/engine/duckdb.ts';
import type { QueryOutcome, Rewrite, RewriteTask } from '../platform/engine/engine.ts';
import type { WorkerStart } from '../platform/engine/messages.ts';
import { sealFile } from '../platform/engine/worker/digest.ts';
import { literal } from '../platform/engine/worker/quote.ts';
import { serve, type TaskHandler } from '../platform/engine/worker/serve.ts';

/** A process that writes Parquet files from the rows of others, each on an engine instance of its own. */
async function open(start: WorkerStart): Promise<TaskHandler> {
  return async (task, report) => {
    const outcomes: QueryOutcome[] = [];
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

async function write(sql: DuckdbSql, { select, files, path }: Rewrite): Promise<QueryOutcome> {
  await sql.confine([...files, path]);
  // Row groups are cut by size, since documents may be large; one thread keeps the order of rows without being told to.
  await sql.run('SET preserve_insertion_order = false');
  const rowCount = await sql.run(
    `COPY (${select}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE_BYTES '16MB', USE_TMP_FILE false)`,
  );
  return { rowCount, ...(await sealFile(path)) };
}

await serve(open);
