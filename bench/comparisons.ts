/** Costs of comparing the resources of an ingestion with those present. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckdbSql } from '../packages/engine/src/duckdb.ts';
import { planRevisions } from '../packages/server/src/domains/lake/catalogue/revisions.ts';
import { rowsWithOrdinal } from '../packages/server/src/domains/lake/catalogue/segment-rows.ts';

/** Resources of an ingestion: those of two patients. */
const arriving = 1_000;
const earlierFiles = 1_000;
/** Rows of a large merged file. */
const mergedRows = 10_000_000;
const settings = { memoryMaxBytes: 256 << 20, threads: 1, temporaryMaxBytes: 8 * 2 ** 30 };
const columns = 'resource_type, resource_id, patient_id, last_updated, deleted';
const format = 'FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1';

/** Compares an ingestion with 1,000 files of earlier ones, one merged file of their rows, and a large file. */
export async function comparisons(folder: string): Promise<{ name: string; ms: number }[]> {
  const temporaryFolder = join(folder, 'spill');
  await mkdir(temporaryFolder);
  const sql = await DuckdbSql.open({ ...settings, temporaryFolder });
  try {
    await sql.run('SET preserve_insertion_order = false; SET dynamic_or_filter_threshold = 10000');
    const write = async (name: string, from: number, count: number, more = ''): Promise<string> => {
      const path = join(folder, `${name}.parquet`);
      const rows = `SELECT CASE WHEN i % 5 = 0 THEN 'Condition' ELSE 'Observation' END AS resource_type,
        md5(i::VARCHAR) AS resource_id, 'p' || (i // 500) AS patient_id, TIMESTAMP '2026-01-01' AS last_updated,
        false AS deleted ${more} FROM range(${from}, ${from + count}) t(i) ORDER BY resource_type, resource_id`;
      await sql.run(`COPY (${rows}) TO '${path}' (${format}, ROW_GROUP_SIZE_BYTES '16MB')`);
      return path;
    };
    const own = await write('own', 0, arriving);
    const single: string[] = [];
    for (let file = 1; file <= earlierFiles; file += 1)
      single.push(await write(`earlier-${file}`, file * arriving, arriving));
    const ordinal = `, i // ${arriving} AS _ordinal`;
    const merged = await write('merged', arriving, earlierFiles * arriving, ordinal);
    const large = await write('large', arriving, mergedRows, ordinal);
    const compare = async (paths: string[], isMerged: boolean): Promise<number> => {
      const files = (of: string[], merged: boolean) =>
        rowsWithOrdinal(
          of.map((path, at) => ({ table: '_resource', path, ordinal: at + 1, merged, ordinals: null })),
          columns,
        );
      const from = performance.now();
      for (const { select } of planRevisions(files([own], false), files(paths, isMerged), folder))
        await sql.run(`COPY (${select}) TO '${join(folder, 'notes.parquet')}' (${format})`);
      return performance.now() - from;
    };
    return [
      { name: `comparison with ${earlierFiles} files`, ms: await compare(single, false) },
      { name: 'comparison with one file of their rows', ms: await compare([merged], true) },
      { name: `comparison with ${mergedRows} resources`, ms: await compare([large], true) },
    ];
  } finally {
    sql.close();
  }
}
