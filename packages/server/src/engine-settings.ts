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
      memoryMaxBytes: config.queryMemoryBytes,
      residentMaxBytes: config.queryMemoryBytes + overheadBytes,
      threads: config.threads,
      temporaryMaxBytes: config.queryTemporaryBytes,
      runTimeMaxMs: config.queryTimeMs,
      outputMaxBytes: config.queryResultBytes,
      idleWorkers: config.idleWorkers,
      concurrentMax: config.queriesMax,
    },
    conversion: {
      ...engineDefaults.conversion,
      memoryMaxBytes: config.ingestionMemoryBytes,
      residentMaxBytes: config.ingestionMemoryBytes + overheadBytes,
      threads: config.threads,
      temporaryMaxBytes: config.queryTemporaryBytes,
      runTimeMaxMs: config.ingestionTimeMs,
      concurrentMax: config.ingestionsMax,
    },
    answer: {
      ...engineDefaults.answer,
      memoryMaxBytes: config.queryMemoryBytes,
      residentMaxBytes: config.queryMemoryBytes + overheadBytes,
      threads: config.threads,
      temporaryMaxBytes: config.queryTemporaryBytes,
    },
    filling: { ...engineDefaults.filling, ...background(config) },
    rewrite: { ...engineDefaults.rewrite, ...background(config) },
    check: { ...engineDefaults.check, queryTextMaxBytes: config.queryTextBytes },
    silenceMaxMs: config.workerSilenceMs,
  };
}

/** Of what works in the background, as an ingestion is limited. */
function background(config: Config) {
  return {
    memoryMaxBytes: config.ingestionMemoryBytes,
    residentMaxBytes: config.ingestionMemoryBytes + overheadBytes,
    temporaryMaxBytes: config.queryTemporaryBytes,
    runTimeMaxMs: config.ingestionTimeMs,
  };
}
