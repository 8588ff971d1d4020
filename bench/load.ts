import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface LoadResult {
  requestsPerSecond: number;
  /** As wrk prints it. */
  p50: string;
  p99: string;
}

/** Loads an address with wrk (Debian's package) over 32 connections; every answer must be 2xx. */
export async function load(
  url: string,
  headers: Record<string, string>,
  seconds: number,
): Promise<LoadResult> {
  const flags = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const words = ['-t', '1', '-c', '32', '-d', `${seconds}s`, '--latency', ...flags, url];
  const { stdout } = await promisify(execFile)('wrk', words);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`not all answers were good:\n${stdout}`);
  const one = (pattern: RegExp) => pattern.exec(stdout)?.[1] ?? '';
  return {
    requestsPerSecond: Number(one(/Requests\/sec:\s+([\d.]+)/)),
    p50: one(/50%\s+(\S+)/),
    p99: one(/99%\s+(\S+)/),
  };
}
