/** Limits of one worker process. */
export interface WorkerLimits {
  /** Bytes that the engine plans with; beyond them it spills to disk. */
  memoryMaxBytes: number;
  /** Bytes of resident memory at which the process is killed: what the engine's own limit does not bind. */
  residentMaxBytes: number;
  threads: number;
  /** Bytes of temporary files. */
  temporaryMaxBytes: number;
  /** Free bytes of the disk below which its task is ended; absent: a twentieth of the disk, at most 1 GiB. */
  diskReserveBytes?: number | undefined;
  runTimeMaxMs: number;
  /** Run time from which on its threads have a low priority; absent: never. */
  longMs?: number;
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

/** Limits of a statement. */
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

/** Address of a converter: an exported function of a module. */
export interface ConverterAddress {
  /** URL of the module. */
  module: string;
  name: string;
  /** `genomics`: one file of reads or references in place of tables. */
  makes?: 'genomics';
}

/** The converter of each type of task. */
export type Converters = Readonly<Record<string, ConverterAddress>>;

export interface DuckdbEngineSettings {
  /** Folder for the workers' temporary files; made when it does not exist. */
  scratchFolder: string;
  query: WorkerLimits;
  conversion: WorkerLimits;
  /** Conversions without a waiting caller: the filling of annotations. */
  filling: WorkerLimits;
  /** Statements of the service's own, which people wait for. */
  answer: WorkerLimits;
  /** Small statements of callers over rows that the service gives, such as the names of tables. */
  lookUp: WorkerLimits;
  rewrite: WorkerLimits;
  check: CheckLimits;
  /** A process at work that shows no sign of life for this long is killed. */
  silenceMaxMs: number;
  converters: Converters;
}

const mebibyte = 1024 ** 2;
const gibibyte = 1024 ** 3;

const conversion: WorkerLimits = {
  memoryMaxBytes: 256 * mebibyte,
  residentMaxBytes: 1024 * mebibyte,
  threads: 2,
  temporaryMaxBytes: 20 * gibibyte,
  runTimeMaxMs: 6 * 60 * 60_000,
  longMs: 1000,
  outputMaxBytes: 50 * gibibyte,
  idleWorkers: 1,
  concurrentMax: 1,
  // Only our own converters run in it, each on an engine instance of its own.
  tasksMax: 10_000,
  // A process whose code has run converts a third faster than a new one: files often come one after the other.
  keptMaxBytes: 640 * mebibyte,
  restingMaxBytes: 256 * mebibyte,
};

/** Limits for a small machine (2 cores, 4 GB). */
export const engineDefaults: Omit<DuckdbEngineSettings, 'scratchFolder' | 'converters'> = {
  query: {
    memoryMaxBytes: 512 * mebibyte,
    residentMaxBytes: 1024 * mebibyte,
    threads: 2,
    temporaryMaxBytes: 10 * gibibyte,
    runTimeMaxMs: 10 * 60_000,
    longMs: 1000,
    outputMaxBytes: 5 * gibibyte,
    idleWorkers: 2,
    concurrentMax: 4,
    // Each statement has an engine instance of its own: a new process costs seven times as much as a new instance.
    tasksMax: 50,
    keptMaxBytes: 256 * mebibyte,
    restingMaxBytes: 160 * mebibyte,
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
  lookUp: {
    memoryMaxBytes: 128 * mebibyte,
    residentMaxBytes: 640 * mebibyte,
    threads: 1,
    temporaryMaxBytes: mebibyte,
    runTimeMaxMs: 5000,
    outputMaxBytes: mebibyte,
    idleWorkers: 1,
    concurrentMax: 2,
    // The guard has checked the statements, and each task ends with a rollback.
    tasksMax: 10_000,
    keptMaxBytes: 256 * mebibyte,
    restingMaxBytes: 256 * mebibyte,
  },
  rewrite: {
    memoryMaxBytes: 256 * mebibyte,
    residentMaxBytes: 1024 * mebibyte,
    threads: 1,
    temporaryMaxBytes: 20 * gibibyte,
    runTimeMaxMs: 6 * 60 * 60_000,
    outputMaxBytes: 50 * gibibyte,
    // An ingestion of resources waits for one; the first task starts it, and then it stays.
    idleWorkers: 1,
    // One for compaction, and one for a file that a user moves or resources that arrive.
    concurrentMax: 2,
    tasksMax: 50,
    keptMaxBytes: 220 * mebibyte,
    restingMaxBytes: 220 * mebibyte,
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
