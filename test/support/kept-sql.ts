import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckdbSql } from '../../packages/engine/src/duckdb.ts';
import { end } from './end.ts';

const threads = 2;
const kept = new Map<number, Promise<DuckdbSql>>();

/**
 * Returns one engine instance for all conversions of a process with the same limit: opening one lasts as long as converting a
 * small file.
 */
export async function keptSql(memoryMaxBytes: number): Promise<DuckdbSql> {
  const found = kept.get(memoryMaxBytes);
  if (found) {
    // A conversion that sorts leaves it with one.
    await (await found).run(`SET threads = ${threads}`);
    return found;
  }
  // The engine makes the folder when it spills, and removes it when it is closed.
  const temporaryFolder = join(tmpdir(), `ploidy-spill-${process.pid}-${memoryMaxBytes}`);
  const opened = DuckdbSql.open({ memoryMaxBytes, threads, temporaryFolder, temporaryMaxBytes: 4 << 30 });
  kept.set(memoryMaxBytes, opened);
  return opened;
}

end.steps.push(async () => {
  for (const sql of await Promise.all(kept.values())) sql.close();
  kept.clear();
});
