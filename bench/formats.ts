import { execFileSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { tables } from '../packages/formats/src/index.ts';
import { pythonWith } from '../test/deploy/tools.ts';
import { vcfBenchFile } from './inputs.ts';
import { ingest, query, upload } from './lake.ts';
import { watchMemory } from './memory.ts';
import { type Service, startService } from './service.ts';

const rows = 1_000_000;
const columns = 30;
/** Times that each variant is in a result at most; the file has fewer than a million. */
const repeats = 100;
const rounds = 2;
/** Between runs: the process that takes the place of the last one's has started by then. */
const pauseMs = 500;
const python = ['pandas==3.1.1', 'pyarrow==26.0.1', 'polars==2.1.0', 'duckdb==2.0.1'];
/** Reading of each format into a data frame. */
const readers = {
  csv: 'pandas.read_csv(path)',
  parquet: 'pandas.read_parquet(path)',
  arrow: 'pyarrow.ipc.open_stream(path).read_all().to_pandas()',
};
/** Factor by which Parquet and Arrow should be faster than CSV. */
const fasterMin = 3;

type Format = keyof typeof readers;

/** Runs of one format: shortest times in milliseconds, and the most memory of all processes, beside a tenth of the rows. */
interface Measured {
  bytes: number;
  queryMs: number;
  downloadMs: number;
  readMs: number;
  peak: number;
  tenthPeak: number;
}

/** Measures a result of a million variants in each format, from POST to a data frame of pandas. */
export async function bench(): Promise<void> {
  const file = await vcfBenchFile({ records: 50_000, samples: 5, gzip: true });
  const service = await startService();
  try {
    const project = (await service.call<{ id: string }>('POST', '/v1/projects', { name: 'Formats' })).id;
    await ingest(service, project, await upload(service, project, 'bench.vcf.gz', file.path));
    const measured = new Map<string, Measured>();
    // Taking turns, so that whatever else runs meets all.
    for (let round = 0; round < rounds; round += 1)
      for (const format of Object.keys(readers) as Format[])
        measured.set(format, await measure(service, project, format, measured.get(format)));
    const csv = measured.get('csv');
    for (const [format, one] of measured) if (csv) print(lineOf(format, one, csv));
  } finally {
    await service.stop();
  }
}

async function measure(
  service: Service,
  project: string,
  format: Format,
  before: Measured | undefined,
): Promise<Measured> {
  const tenth = await exported(service, project, format, rows / 10);
  const whole = await exported(service, project, format, rows);
  return {
    bytes: whole.bytes,
    queryMs: Math.min(whole.queryMs, before?.queryMs ?? Number.POSITIVE_INFINITY),
    downloadMs: Math.min(whole.downloadMs, before?.downloadMs ?? Number.POSITIVE_INFINITY),
    readMs: Math.min(whole.readMs, before?.readMs ?? Number.POSITIVE_INFINITY),
    peak: Math.max(whole.peak, before?.peak ?? 0),
    tenthPeak: Math.max(tenth.peak, before?.tenthPeak ?? 0),
  };
}

async function exported(service: Service, project: string, format: Format, count: number) {
  await delay(pauseMs);
  const names = tables.get('variant')?.columns.slice(0, columns) ?? [];
  if (names.length !== columns) throw new Error(`${names.length} columns, not ${columns}`);
  const sql = `SELECT ${names.map(({ name }) => name).join(', ')} FROM variant, range(${repeats}) LIMIT ${count}`;
  const memory = watchMemory(service.process.pid ?? 0);
  const made = await query(service, project, sql, undefined, format);
  // Watching takes a part of the core that the download has.
  const peak = memory.stop();
  const from = performance.now();
  const path = join(tmpdir(), `ploidy-bench-formats.${format}`);
  const bytes = await download(service, made.id, path);
  const downloadMs = performance.now() - from;
  const { rows: read, ms: readMs } = readBack(format, path);
  await rm(path);
  if (read !== count) throw new Error(`${format}: pandas has ${read} rows, not ${count}`);
  if (made.rows !== count) throw new Error(`${format}: ${made.rows} rows, not ${count}`);
  return { bytes, queryMs: made.ms, downloadMs, readMs, peak };
}

async function download(service: Service, id: string, path: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get(`${service.address}/v1/files/${id}`, { headers: service.headers }, resolve).on('error', reject);
  const target = createWriteStream(path);
  await pipeline(await promise, target);
  return target.bytesWritten;
}

function readBack(format: Format, path: string): { rows: number; ms: number } {
  const code = `
import sys, time
import pandas, pyarrow
path = sys.argv[1]
start = time.perf_counter()
frame = ${readers[format]}
print(len(frame), (time.perf_counter() - start) * 1000)
`;
  const printed = execFileSync(pythonWith(python), ['-c', code, path], { encoding: 'utf8' });
  const [count, ms] = printed.split(' ').map(Number);
  return { rows: count ?? 0, ms: ms ?? 0 };
}

function lineOf(format: string, one: Measured, csv: Measured): string {
  const whole = ({ queryMs, downloadMs, readMs }: Measured): number => queryMs + downloadMs + readMs;
  const times = (whole(csv) / whole(one)).toFixed(1);
  const wanted = format !== 'csv' ? ` (wanted ≥ ${fasterMin})` : '';
  return (
    `${format}: ${mega(one.bytes)} MB · query ${one.queryMs.toFixed(0)} ms, download ${one.downloadMs.toFixed(0)} ms, pandas ${one.readMs.toFixed(0)} ms · ` +
    `${times} times CSV${wanted} · all processes at most ${mega(one.peak)} MB, a tenth of the rows ${mega(one.tenthPeak)} MB`
  );
}

const mega = (bytes: number): string => (bytes / 1e6).toFixed(0);

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
