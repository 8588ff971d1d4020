import { join } from 'node:path';
import { converters } from '@ploidy/converters';
import { type DuckdbEngineSettings, engineDefaults } from '@ploidy/engine';
import type { Config } from './config.ts';

/** Resident memory beyond the limit of the engine at which a process is killed: code, buffers, results. */
const overheadBytes = 1024 * 2 ** 20;

/** Collects the limits of the engine. */
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
      // Two more, for small files.
      concurrentMax: config.ingestionsMax + 2,
    },
    answer: {
      ...engineDefaults.answer,
      ...space(config, config.queryMemoryBytes),
      threads: config.threads,
    },
    filling: { ...engineDefaults.filling, ...ofIngestions(config) },
    lookUp: engineDefaults.lookUp,
    rewrite: { ...engineDefaults.rewrite, ...ofIngestions(config) },
    check: engineDefaults.check,
    converters,
    silenceMaxMs: config.workerSilenceMs,
  };
}

/** Limits of ingestions and of background work on their rows. */
function ofIngestions(config: Config) {
  return { ...space(config, config.ingestionMemoryBytes), runTimeMaxMs: config.ingestionTimeMs };
}

/** Returns memory and disk of a process from the limit of its engine. */
function space({ queryTemporaryBytes, diskReserveBytes }: Config, memoryMaxBytes: number) {
  return {
    memoryMaxBytes,
    residentMaxBytes: memoryMaxBytes + overheadBytes,
    temporaryMaxBytes: queryTemporaryBytes,
    diskReserveBytes,
  };
}
