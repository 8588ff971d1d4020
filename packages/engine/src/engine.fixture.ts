import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { converters } from '../../converters/src/registry.ts';
import { openLog } from '../../server/src/platform/log/log.ts';
import { DuckdbSql } from './duckdb.ts';
import { duckdbEngine, type Engine, engineDefaults, type QueryTable } from './index.ts';
import type { CheckLimits, DuckdbEngineSettings, WorkerLimits } from './settings.ts';

const mebibyte = 1024 ** 2;

/** Temporary folder with a small variant table, a patient table behind a mask, and an unreadable file. */
export interface Lake {
  folder: string;
  tables: QueryTable[];
  secretPath: string;
  remove(): Promise<void>;
}

export const secret = 'THE-SECRET';

export async function makeLake(): Promise<Lake> {
  const folder = await mkdtemp(join(tmpdir(), 'engine-'));
  const sql = await openSql(folder);
  const variantPath = join(folder, 'variant.parquet');
  const patientPath = join(folder, 'patient.parquet');
  await sql.run(
    `COPY (SELECT 's' || (range % 7) AS sample_id, 'chr' || (1 + range % 3) AS chromosome, range * 10 AS position,
      'GENE' || (range % 11) AS gene, (range % 100) / 100.0 AS frequency, range % 5 = 0 AS rare,
      [range, range + 1] AS depths FROM range(1000)) TO '${variantPath}' (FORMAT parquet)`,
  );
  await sql.run(
    `COPY (SELECT 's' || range AS sample_id, 'p' || range AS patient_id, '${secret}' AS name,
      DATE '1950-01-01' + (range * 1000)::INTEGER AS dob FROM range(7)) TO '${patientPath}' (FORMAT parquet)`,
  );
  sql.close();
  const secretPath = join(folder, 'secret.csv');
  await writeFile(secretPath, `word\n${secret}\n`);
  return {
    folder,
    secretPath,
    tables: [
      {
        name: 'variant',
        sql: `SELECT * FROM read_parquet(['${variantPath}'])`,
        files: [variantPath],
      },
      {
        name: 'patient',
        sql: `SELECT sample_id, patient_id, NULL::VARCHAR AS name, dob FROM read_parquet(['${patientPath}'])`,
        files: [patientPath],
      },
    ],
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Returns an engine in this process. */
export async function openSql(folder: string): Promise<DuckdbSql> {
  return await DuckdbSql.open({
    memoryMaxBytes: 256 * mebibyte,
    threads: 1,
    temporaryFolder: join(folder, 'spill'),
    temporaryMaxBytes: 64 * mebibyte,
  });
}

export interface Changes {
  query?: Partial<WorkerLimits>;
  conversion?: Partial<WorkerLimits>;
  answer?: Partial<WorkerLimits>;
  check?: Partial<CheckLimits>;
  silenceMaxMs?: number;
  converters?: DuckdbEngineSettings['converters'];
}

/** Returns an engine with small limits; processes wait only for queries. */
export async function openEngine(folder: string, changes: Changes = {}): Promise<Engine> {
  return await duckdbEngine(
    {
      scratchFolder: join(folder, 'scratch'),
      query: {
        ...engineDefaults.query,
        memoryMaxBytes: 256 * mebibyte,
        residentMaxBytes: 640 * mebibyte,
        temporaryMaxBytes: 32 * mebibyte,
        outputMaxBytes: 16 * mebibyte,
        idleWorkers: 1,
        concurrentMax: 2,
        ...changes.query,
      },
      conversion: { ...engineDefaults.conversion, idleWorkers: 0, ...changes.conversion },
      answer: { ...engineDefaults.answer, idleWorkers: 0, ...changes.answer },
      filling: engineDefaults.filling,
      lookUp: { ...engineDefaults.lookUp, idleWorkers: 0 },
      rewrite: { ...engineDefaults.rewrite, idleWorkers: 0 },
      check: { ...engineDefaults.check, checkMaxMs: 10_000, ...changes.check },
      silenceMaxMs: changes.silenceMaxMs ?? engineDefaults.silenceMaxMs,
      converters: { ...converters, ...changes.converters },
    },
    openLog('silent'),
  );
}

/** Lake and engine for the tests of a file, from before the first test until after the last. */
export function useEngine(changes?: Changes): { lake: Lake; engine: Engine } {
  const opened = {} as { lake: Lake; engine: Engine };
  before(async () => {
    opened.lake = await makeLake();
    opened.engine = await openEngine(opened.lake.folder, changes);
  });
  after(async () => {
    await opened.engine.close();
    await opened.lake.remove();
  });
  return opened;
}

/** Numbers of a process's running workers of a kind, on Linux. */
export function workersOf(parent: number, kind: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'latin1');
      if (!status.includes(`PPid:\t${parent}\n`) || /^State:\s+Z/m.test(status)) return false;
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(`task-entry-points/${kind}.ts`);
    } catch (error) {
      // It ended while we looked.
      if (error instanceof Error && 'code' in error) return false;
      throw error;
    }
  });
}

/** Niceness of the threads of a process, except those that only help the runtime (proc(5)). */
export function nicenessOf(pid: number): number[] {
  const folder = `/proc/${pid}/task`;
  const stats = readdirSync(folder).map((thread) => readFileSync(`${folder}/${thread}/stat`, 'latin1'));
  const working = stats.filter((stat) => /\((?:node-MainThread|libuv-worker)\)/.test(stat));
  return working.map((stat) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]));
}
