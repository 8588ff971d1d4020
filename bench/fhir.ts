/** FHIR ingestion: NDJSON of mixed resources to sorted Parquet, in a process of its own as in the service. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { convertFhir } from '../packages/converters/src/fhir/convert.ts';
import { DuckdbSql } from '../packages/engine/src/duckdb.ts';
import { fhirBenchFile } from './inputs.ts';

const resources = 500_000;
const rounds = 3;
const memoryMaxBytes = 256 * 1024 * 1024;
/** Resources a second on two idle cores. */
const wanted = 50_000;

// As counted in the file by type (`grep -o '^{"resourceType":"[A-Za-z]*"' | sort | uniq -c`), with components and dosages.
const pinned: Record<string, number> = {
  _resource: 500_000,
  _sample_link: 43_740,
  coding: 1_504_814,
  condition: 22_309,
  demographic: 8_749,
  dosage: 19_686,
  encounter: 26_247,
  media: 7_874,
  medication: 19_686,
  observation: 445_759,
  patient: 8_749,
  procedure: 12_685,
  resource: 500_000,
  specimen: 17_496,
};

interface Run {
  seconds: number;
  peakBytes: number;
  rows: Record<string, number>;
}

/** Converts the file of the generator and prints resources and bytes a second, and the most memory that it took. */
export async function bench(): Promise<void> {
  const { path } = await fhirBenchFile({ resources });
  const megabytes = statSync(path).size / 1e6;
  const rates: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { seconds, peakBytes, rows } = await runApart(path);
    assert.deepEqual(rows, pinned, 'the counts of rows have changed');
    const rate = resources / seconds;
    rates.push(rate);
    process.stdout.write(
      `${rate.toFixed(0)} resources/s · ${(megabytes / seconds).toFixed(0)} MB/s · ` +
        `${seconds.toFixed(2)} s · peak ${(peakBytes / 1e6).toFixed(0)} MB resident\n`,
    );
  }
  const [worst, best] = [Math.min(...rates), Math.max(...rates)];
  process.stdout.write(`${worst.toFixed(0)}–${best.toFixed(0)} resources/s, wanted ≥ ${wanted}\n`);
}

/** Runs `convertOnce` in a process of its own, so that its memory is only its own. */
function runApart(path: string): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = fork(import.meta.filename, [path]);
    child.once('message', (message) => resolve(message as Run));
    child.once('error', reject);
    child.once('exit', (code) => code !== 0 && reject(new Error(`the conversion ended with ${code}`)));
  });
}

async function convertOnce(sourcePath: string): Promise<Run> {
  const outputFolder = mkdtempSync(join(tmpdir(), 'ploidy-bench-fhir-'));
  const temporaryFolder = join(outputFolder, 'engine');
  const sql = await DuckdbSql.open({
    memoryMaxBytes,
    threads: 2,
    temporaryFolder,
    temporaryMaxBytes: 2 ** 34,
  });
  try {
    const sourceSize = statSync(sourcePath).size;
    const task = {
      type: 'fhir',
      sourcePath,
      sourceSize,
      sourceName: 'bench',
      outputFolder,
      setId: 'bench',
      options: {},
    } as const;
    const start = performance.now();
    const tables = await convertFhir(task, sql, {
      progress: () => undefined,
      warn: () => undefined,
      account: () => undefined,
    });
    const seconds = (performance.now() - start) / 1000;
    const rows = Object.fromEntries(tables.map(({ table, rows }) => [table, rows]));
    return { seconds, peakBytes: process.resourceUsage().maxRSS * 1024, rows };
  } finally {
    sql.close();
    rmSync(outputFolder, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  process.send?.(await convertOnce(process.argv[2] ?? ''));
  process.disconnect?.();
}
