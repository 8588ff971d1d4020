import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { join } from 'node:path';

export type WorkerScript = 'query' | 'answer' | 'look-up' | 'conversion' | 'filling' | 'rewrite' | 'guard';

/** Node and the engine reserve this much before they do anything. */
const baseDataBytes = 1024 ** 3;

/**
 * The heap of a worker is small: threads that help to collect its garbage cost more than they save. Its young part is set for all threads;
 * a conversion sets those of its own.
 */
const nodeOptions = (script: WorkerScript): string[] => [
  ...['--disable-warning=ExperimentalWarning', '--single-threaded-gc'],
  // With less at first, each conversion of a small file collects the whole heap.
  script === 'conversion' ? '--initial-old-space-size=48' : '--max-semi-space-size=2',
];

/**
 * Settings of glibc, which others ignore: buffers of more than a megabyte go back to the system when they are freed. By default
 * the limit grows with each larger one, and threads keep what they had at their peak.
 */
const allocator = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(1 << 20),
  MALLOC_TRIM_THRESHOLD_: String(1 << 20),
};

/** Compile cache beside that of the service, if it has one: worker processes run with other options. */
function compileCache(): Record<string, string> {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: join(folder, 'workers') };
}

/**
 * Starts a process. On Linux the kernel refuses memory beyond the limit (RLIMIT_DATA), which is faster than any watchdog: one
 * call of `repeat` can allocate gigabytes between two looks. It writes no core, which would hold health data and keys of masks.
 * The shell sets the limits and becomes the process. The service, its database and the guard, which answer everybody, go before it.
 */
export function spawnLimited(
  args: string[],
  { script, dataMaxBytes }: { script: WorkerScript; dataMaxBytes: number },
  folder: string,
): ChildProcess {
  const options: SpawnOptions = {
    cwd: folder,
    env: { TZ: 'UTC', ...allocator, ...compileCache() },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  };
  const node = [...nodeOptions(script), ...args];
  if (process.platform !== 'linux' || !existsSync('/bin/sh')) return spawn(process.execPath, node, options);
  const kibibytes = Math.ceil((dataMaxBytes + baseDataBytes) / 1024);
  const limited = 'ulimit -c 0; ulimit -d "$1"; shift; exec nice -n "$@"';
  const nice = script === 'guard' ? '0' : '5';
  return spawn('/bin/sh', ['-c', limited, 'sh', String(kibibytes), nice, process.execPath, ...node], options);
}
