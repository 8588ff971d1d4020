import { readdir, readFile, stat, statfs } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { EngineError } from './engine.ts';
import { noDisk, overDisk, overMemory, overOutput, overTime } from './limit-errors.ts';
import type { WorkerLimits } from './settings.ts';

const intervalMs = 50;
/** Lower priority would starve on a host with other busy programs, and a user may be waiting. */
export const lowNice = 15;
const gibibyte = 1024 ** 3;
/** Share of a disk that is kept free, where no number of bytes is set. */
const reservePart = 0.05;
/** The engine keeps the limit of temporary space by itself; this catches what it does not count. */
const slackBytes = 1024 ** 2;

export interface Watched {
  pid: number;
  /** Last report of the process about itself; used where /proc is not. */
  reportedResidentBytes(): number;
  /** File or folder that the task writes. */
  outputPath: string | undefined;
  /** The process's own folder. */
  temporaryFolder: string;
}

export type WatchLimits = Pick<
  WorkerLimits,
  'residentMaxBytes' | 'runTimeMaxMs' | 'longMs' | 'outputMaxBytes' | 'temporaryMaxBytes' | 'diskReserveBytes'
>;

/** Resolves with the limit that the process broke, or with nothing once `signal` ends the watch. */
export async function watch(
  watched: Watched,
  limits: WatchLimits,
  signal: AbortSignal,
): Promise<EngineError | undefined> {
  const deadline = performance.now() + limits.runTimeMaxMs;
  while (!signal.aborted) {
    const resident = Math.max(await residentBytes(watched.pid), watched.reportedResidentBytes());
    if (resident > limits.residentMaxBytes) return overMemory();
    if (performance.now() > deadline) return overTime(limits.runTimeMaxMs);
    if (await exceedsOutput(watched.outputPath, limits)) return overOutput(limits.outputMaxBytes);
    if ((await sizeOf(watched.temporaryFolder)) > limits.temporaryMaxBytes + slackBytes) return overDisk();
    if (await isNearlyFull(watched.temporaryFolder, limits.diskReserveBytes)) return noDisk();
    await pause(intervalMs, undefined, { ref: false, signal }).catch(() => undefined);
  }
  return undefined;
}

/** Returns whether a task wrote more than it may. */
export async function exceedsOutput(
  path: string | undefined,
  { outputMaxBytes }: Pick<WatchLimits, 'outputMaxBytes'>,
): Promise<boolean> {
  return path !== undefined && (await sizeOf(path)) > outputMaxBytes;
}

/** Returns whether only the reserve of the disk is free: with the last bytes no deletion could be recorded. */
async function isNearlyFull(folder: string, reserveBytes: number | undefined): Promise<boolean> {
  const disk = await statfs(folder).catch(() => undefined);
  if (!disk) return false;
  const reserved = reserveBytes ?? Math.min(gibibyte, disk.blocks * disk.bsize * reservePart);
  return disk.bavail * disk.bsize < reserved;
}

/** Lets short work of others go first; it cannot be taken back without privileges. On Linux each thread has a priority of its own (setpriority(2)). */
export async function lowerPriority(pid: number): Promise<void> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  for (const id of [pid, ...threads.map(Number)])
    try {
      setPriority(id, lowNice);
    } catch {
      // The thread has ended.
    }
}

/** Milliseconds of a tick in `/proc`: 100 a second, whatever the clock of the kernel (time(7)). */
const tickMs = 10;

/** Returns a clock of the processor time that a process uses from now on; of the time that passes where it is unknown. */
export async function processorClock(pid: number): Promise<() => Promise<number>> {
  const [from, start] = [performance.now(), await processorMs(pid)];
  return async () => {
    const now = await processorMs(pid);
    return start === undefined || now === undefined ? performance.now() - from : now - start;
  };
}

/** Returns the processor time of all threads of a process; undefined if unknown, or after its end. */
async function processorMs(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the program may hold spaces; user and system time are the 12th and 13th fields after it (proc(5)).
  const [user, system] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return user === undefined || system === undefined ? undefined : (user + system) * tickMs;
}

/** Returns the resident memory of a process; 0 if unknown, or after its end. */
export async function residentBytes(pid: number): Promise<number> {
  if (process.platform !== 'linux') return 0;
  // No file: the process has ended, which its `exit` event reports.
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

async function sizeOf(path: string): Promise<number> {
  const entry = await stat(path).catch(() => undefined);
  if (entry === undefined) return 0;
  if (!entry.isDirectory()) return entry.size;
  const names = await readdir(path).catch(() => []);
  const sizes = await Promise.all(names.map((name) => sizeOf(join(path, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}
