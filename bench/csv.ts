import { createHash } from 'node:crypto';
import { get } from 'node:http';
import { query } from './lake.ts';
import { watchMemory, watchResident } from './memory.ts';
import { type Service, startService } from './service.ts';

const columns = 100;
const sizes = [100_000, 1_000_000];
const linesOfChunk = 1000;

/** Cell and expression of each column: numbers, texts with what CSV must quote, texts that are absent or empty. */
const kinds: [sql: (k: number) => string, cell: (k: number, row: number) => string][] = [
  [(k) => `i + ${k}`, (k, row) => String(row + k)],
  [(k) => `'value ' || (i * ${k + 1})`, (k, row) => `value ${row * (k + 1)}`],
  [(k) => `'a "b", ' || (i % ${k + 2})`, (k, row) => `"a ""b"", ${row % (k + 2)}"`],
  [(k) => `CASE WHEN i % ${k + 2} > 0 THEN i END`, (k, row) => (row % (k + 2) > 0 ? String(row) : '')],
  [(k) => `CASE WHEN i % ${k + 2} > 0 THEN '' END`, (k, row) => (row % (k + 2) > 0 ? '""' : '')],
];
const kindOf = (k: number) => kinds[k % kinds.length] as (typeof kinds)[number];

/**
 * Measures a result of 100 million cells: every byte is compared with the expected one, and memory with that of a tenth of it.
 */
export async function bench(): Promise<void> {
  const service = await startService();
  try {
    const project = (await service.call<{ id: string }>('POST', '/v1/projects', { name: 'Wide' })).id;
    for (const rows of sizes) await exported(service, project, rows);
  } finally {
    await service.stop();
  }
}

async function exported(service: Service, project: string, rows: number): Promise<void> {
  const list = Array.from({ length: columns }, (_, k) => `${kindOf(k)[0](k)} AS c${k}`);
  const all = watchMemory(service.process.pid ?? 0);
  const own = watchResident(service.process.pid ?? 0);
  const made = await query(service, project, `SELECT ${list.join(', ')} FROM range(${rows}) t(i)`);
  if (made.rows !== rows) throw new Error(`${made.rows} rows, not ${rows}`);
  const peak = all.stop();
  const from = performance.now();
  const read = await download(service, made.id);
  const seconds = (performance.now() - from) / 1000;
  const { peak: servicePeak } = own.stop();
  const expected = expectedFile(rows);
  if (read.sha256 !== expected.sha256) throw new Error('the file does not hold what it should');
  const megabytes = read.bytes / 1e6;
  print(
    `${rows} × ${columns}: ${megabytes.toFixed(0)} MB, as expected to the last byte · ${(made.ms / 1000).toFixed(1)} s (${(megabytes / (made.ms / 1000)).toFixed(0)} MB/s)` +
      ` · download ${(megabytes / seconds).toFixed(0)} MB/s · all processes at most ${mega(peak)} MB, the service ${mega(own.before)} → ${mega(servicePeak)} MB`,
  );
}

async function download(service: Service, id: string): Promise<{ bytes: number; sha256: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ bytes: number; sha256: string }>();
  const hash = createHash('sha256');
  let bytes = 0;
  get(`${service.address}/v1/files/${id}`, { headers: service.headers }, (response) => {
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      hash.update(chunk);
    });
    response.on('end', () => resolve({ bytes, sha256: hash.digest('hex') }));
    response.on('error', reject);
  }).on('error', reject);
  return promise;
}

/** Returns the expected file by RFC 4180 and the decisions on its form, made without an engine. */
function expectedFile(rows: number): { sha256: string } {
  const hash = createHash('sha256');
  const names = Array.from({ length: columns }, (_, k) => `c${k}`);
  hash.update(`${names.join(',')}\n`);
  for (let row = 0; row < rows; row += linesOfChunk) {
    let chunk = '';
    for (let at = row; at < Math.min(rows, row + linesOfChunk); at += 1) {
      for (let k = 0; k < columns; k += 1) chunk += `${k > 0 ? ',' : ''}${kindOf(k)[1](k, at)}`;
      chunk += '\n';
    }
    hash.update(chunk);
  }
  return { sha256: hash.digest('hex') };
}

const mega = (bytes: number): string => (bytes / 1e6).toFixed(0);

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
