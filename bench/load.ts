import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

export interface LoadResult {
  requestsPerSecond: number;
  /** Number as wrk prints it. */
  p50: string;
  p99: string;
  /** Processor time of the server: unlike the rate, comparable on a shared machine. */
  cpuMicrosecondsPerRequest: number;
}

/** Linux counts the time of processes in hundredths of a second. */
const tickMicroseconds = 10_000;

/**
 * Loads an address of a process with wrk (Debian's package) over 32 connections; every answer must be 2xx.
 * `script`: path of a wrk script (Lua) that makes the requests.
 */
export async function load(
  pid: number | undefined,
  url: string,
  headers: Record<string, string>,
  seconds: number,
  script?: string,
): Promise<LoadResult> {
  const flags = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const made = script === undefined ? [] : ['-s', script];
  const words = ['-t', '1', '-c', '32', '-d', `${seconds}s`, '--latency', ...made, ...flags, url];
  const before = cpuMicroseconds(pid);
  const { stdout } = await promisify(execFile)('wrk', words);
  const spent = cpuMicroseconds(pid) - before;
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`not all answers were good:\n${stdout}`);
  const one = (pattern: RegExp) => pattern.exec(stdout)?.[1] ?? '';
  return {
    requestsPerSecond: Number(one(/Requests\/sec:\s+([\d.]+)/)),
    p50: one(/50%\s+(\d\S+)/),
    p99: one(/99%\s+(\d\S+)/),
    cpuMicrosecondsPerRequest: spent / Number(one(/(\d+) requests in/)),
  };
}

/** Returns the processor time of a process, in its own code and in the system's (proc(5), `utime` and `stime`). */
export function cpuMicroseconds(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMicroseconds;
}
