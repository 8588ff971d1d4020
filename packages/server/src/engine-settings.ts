import { join } from 'node:path';
import type { Config } from './config.ts';
import { type DuckdbEngineSettings, engineDefaults } from './platform/engine/index.ts';

/** Resident memory above the engine's own limit at which a process is killed: its code, buffers and results. */
const overheadBytes = 1024 * 2 ** 20;

/** The engine's limits as the settings say. */
export function engineSettings(config: Config): DuckdbEngineSettings {
  return {
    scratchFolder: join(config.dataFolder, 'scratch'),
    query: {
      ...engineDefaults.query,
      ...space(config, config.queryMemoryBytes),
      threads: config.threads,
      runTimeMaxMs: config.queryTimeMs,
      outputMaxBytes: config.queryResultBytes,
      idleWorkers: config.idleWorkers,
      concurrentMax: config.queriesMax,
    },
    conversion: {
      ...engineDefaults.conversion,
      ...ofIngestions(config),
      threads: config.threads,
      concurrentMax: config.ingestionsMax,
    },
    answer: {
      ...engineDefaults.answer,
      ...space(config, config.queryMemoryBytes),
      threads: config.threads,
    },
    filling: { ...engineDefaults.filling, ...ofIngestions(config) },
    rewrite: { ...engineDefaults.rewrite, ...ofIngestions(config) },
    check: { ...engineDefaults.check, queryTextMaxBytes: config.queryTextBytes },
    silenceMaxMs: config.workerSilenceMs,
  };
}

/** What an ingestion may use, and so may what works on its rows in the background. */
function ofIngestions(config: Config) {
  return { ...space(config, config.ingestionMemoryBytes), runTimeMaxMs: config.ingestionTimeMs };
}

/** Memory and disk of a process whose engine plans with so many bytes. */
function space({ queryTemporaryBytes }: Config, memoryMaxBytes: number) {
  return {
    memoryMaxBytes,
    residentMaxBytes: memoryMaxBytes + overheadBytes,
    temporaryMaxBytes: queryTemporaryBytes,
  };
}
