import type { ConversionTask } from './conversion.ts';

/** What one worker process may use. */
export interface WorkerLimits {
  /** Bytes that the engine plans with; beyond them it spills to disk. */
  memoryMaxBytes: number;
  /** Bytes of resident memory at which the process is killed: what the engine's own limit does not bind. */
  residentMaxBytes: number;
  threads: number;
  /** Bytes of temporary files. */
  temporaryMaxBytes: number;
  runTimeMaxMs: number;
  /** Bytes of what the task writes: the CSV of a query, the folder of a conversion. */
  outputMaxBytes: number;
  /** Processes that wait ready for work. */
  idleWorkers: number;
  /** Tasks that run at the same time; the others wait their turn. */
  concurrentMax: number;
  /** Tasks that one process does before it is thrown away. */
  tasksMax: number;
  /** Bytes of resident memory above which a process is thrown away after its task. */
  keptMaxBytes: number;
  /** Bytes of resident memory above which it is thrown away when no task follows soon. */
  restingMaxBytes: number;
}

/** What a statement may be. */
export interface CheckLimits {
  /** Bytes of the text in UTF-8. */
  queryTextMaxBytes: number;
  nodesMax: number;
  tablesMax: number;
  /** The guard's process is killed when a check takes longer. */
  checkMaxMs: number;
  /** Bytes of resident memory at which the guard's process is killed. */
  residentMaxBytes: number;
}

/** Where a converter is: an exported function of a module. */
export interface ConverterAddress {
  /** URL of the module. */
  module: string;
  name: string;
}

export interface DuckdbEngineSettings {
  /** Folder for the workers' temporary files; made when it does not exist. */
  scratchFolder: string;
  query: WorkerLimits;
  conversion: WorkerLimits;
  /** Conversions that nobody waits for: the filling of annotations. */
  filling: WorkerLimits;
  /** Statements of the service's own, which people wait for. */
  answer: WorkerLimits;
  rewrite: WorkerLimits;
  check: CheckLimits;
  /** A process at work that shows no sign of life for this long is killed. */
  silenceMaxMs: number;
  /** Converters instead of the service's own. */
  converters?: Partial<Record<ConversionTask['type'], ConverterAddress>>;
}

const mebibyte = 1024 ** 2;
const gibibyte = 1024 ** 3;

const conversion: WorkerLimits = {
  memoryMaxBytes: 256 * mebibyte,
  residentMaxBytes: 1024 * mebibyte,
  threads: 2,
  temporaryMaxBytes: 20 * gibibyte,
  runTimeMaxMs: 6 * 60 * 60_000,
  outputMaxBytes: 50 * gibibyte,
  idleWorkers: 1,
  concurrentMax: 1,
  // Only our own converters run in it, each on an engine instance of its own.
  tasksMax: 50,
  // A process whose code has run converts a third faster than a new one: files often come one after the other.
  keptMaxBytes: 640 * mebibyte,
  restingMaxBytes: 256 * mebibyte,
};

/** Limits for a small machine (2 cores, 4 GB). */
export const engineDefaults: Omit<DuckdbEngineSettings, 'scratchFolder'> = {
  query: {
    memoryMaxBytes: 512 * mebibyte,
    residentMaxBytes: 1024 * mebibyte,
    threads: 2,
    temporaryMaxBytes: 10 * gibibyte,
    runTimeMaxMs: 10 * 60_000,
    outputMaxBytes: 5 * gibibyte,
    idleWorkers: 2,
    concurrentMax: 4,
    // A caller's statement runs in it: nothing of it may meet the next.
    tasksMax: 1,
    keptMaxBytes: 0,
    restingMaxBytes: 0,
  },
  conversion,
  // The first task starts it; then it stays for those that follow.
  filling: { ...conversion, threads: 1, keptMaxBytes: 220 * mebibyte, restingMaxBytes: 220 * mebibyte },
  answer: {
    memoryMaxBytes: 512 * mebibyte,
    residentMaxBytes: 1024 * mebibyte,
    threads: 2,
    temporaryMaxBytes: 10 * gibibyte,
    runTimeMaxMs: 30_000,
    outputMaxBytes: 1 * gibibyte,
    idleWorkers: 2,
    concurrentMax: 2,
    // Only the service's own statements run in it.
    tasksMax: 10_000,
    keptMaxBytes: 512 * mebibyte,
    restingMaxBytes: 512 * mebibyte,
  },
  rewrite: {
    memoryMaxBytes: 256 * mebibyte,
    residentMaxBytes: 1024 * mebibyte,
    threads: 1,
    temporaryMaxBytes: 20 * gibibyte,
    runTimeMaxMs: 6 * 60 * 60_000,
    outputMaxBytes: 50 * gibibyte,
    idleWorkers: 0,
    // One compaction, and one for a file that somebody moves.
    concurrentMax: 2,
    tasksMax: 1,
    keptMaxBytes: 0,
    restingMaxBytes: 0,
  },
  check: {
    queryTextMaxBytes: 64 * 1024,
    nodesMax: 5000,
    tablesMax: 64,
    checkMaxMs: 2000,
    residentMaxBytes: 512 * mebibyte,
  },
  silenceMaxMs: 60_000,
};
