import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DuckDBInstance } from '@duckdb/node-api';
import { vcfBenchFile } from './inputs.ts';
import { ingest, median, query, upload } from './lake.ts';
import { startService } from './service.ts';

const rounds = 11;
/** About two million rows: 520,000 records of ten samples. */
const input = { records: 520_000, samples: 10 as const, gzip: true };
const totalMaxMs = 1000;
const oursMaxMs = 150;

const statements: [string, string][] = [
  ['one gene', "SELECT sample_id, chromosome, position, amino_acid_change FROM variant WHERE gene = 'BRAF'"],
  ['region', "SELECT * FROM variant WHERE chromosome = 'chr7' AND position BETWEEN 140000000 AND 141000000"],
  ['group by', 'SELECT gene, impact, count(DISTINCT sample_id) AS samples FROM variant GROUP BY ALL'],
  ['join', 'SELECT s.id, count(*) AS n FROM variant v JOIN sequence s ON v.sample_id = s.id GROUP BY s.id'],
  ['export', 'SELECT * FROM variant LIMIT 1000000'],
  ['nothing', 'SELECT 1 AS one'],
];

/** POST to `succeeded` over two million variant rows, beside the engine alone on the same Parquet files. */
export async function bench(): Promise<void> {
  const file = await vcfBenchFile(input);
  const service = await startService();
  try {
    const project = (await service.call<{ id: string }>('POST', '/v1/projects', { name: 'Bench' })).id;
    const { rows } = await ingest(
      service,
      project,
      await upload(service, project, 'bench.vcf.gz', file.path),
    );
    process.stdout.write(`ingested ${rows} rows (variant and sequence)\n`);
    if (rows !== file.expectedRows + input.samples)
      throw new Error(`expected ${file.expectedRows + input.samples}`);
    const alone = await engineAlone(service.folder);
    for (const [name, sql] of statements) {
      const times: number[] = [];
      const engineTimes: number[] = [];
      let count = 0;
      for (let round = 0; round < rounds; round++) {
        const run = await query(service, project, sql);
        const own = await alone(sql, join(service.folder, 'alone.csv'));
        if (own.rows !== run.rows) throw new Error(`${name}: ${run.rows} rows, the engine alone ${own.rows}`);
        times.push(run.ms);
        engineTimes.push(own.ms);
        count = run.rows;
      }
      const total = median(times);
      const ours = total - median(engineTimes);
      process.stdout.write(
        `${name}: ${count} rows · median ${total.toFixed(0)} ms (${Math.min(...times).toFixed(0)}–${Math.max(...times).toFixed(0)}, ` +
          `wanted < ${totalMaxMs}) · engine alone ${median(engineTimes).toFixed(0)} ms · ours ${ours.toFixed(0)} ms (wanted < ${oursMaxMs})\n`,
      );
    }
  } finally {
    await service.stop();
  }
}

/** The same engine in this process over the same files, writing the same CSV. */
async function engineAlone(folder: string) {
  const records = new DatabaseSync(join(folder, 'records.sqlite'), { readOnly: true });
  const segments = records
    .prepare('select table_name, blob_key from segments where removed_version is null')
    .all();
  records.close();
  const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '1GiB' });
  const connection = await instance.connect();
  for (const { table_name, blob_key } of segments) {
    const path = join(folder, 'blobs', String(blob_key).slice(0, 2), String(blob_key));
    await connection.run(`CREATE VIEW ${table_name} AS SELECT * FROM read_parquet('${path}')`);
  }
  return async (sql: string, output: string): Promise<{ rows: number; ms: number }> => {
    const from = performance.now();
    const reader = await connection.runAndReadAll(`COPY (${sql}) TO '${output}' (FORMAT csv, HEADER)`);
    return { rows: Number(reader.getRows()[0]?.[0] ?? 0), ms: performance.now() - from };
  };
}
