import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { CommandError } from '../exit.ts';

/** Longer than the work can take: a lock that is older was left behind by a process that was killed. */
const staleMs = 60_000;
const waitMs = 100;

/** Runs `work` while no other process on this computer does, as far as they use this lock. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const givenUpAt = Date.now() + 2 * staleMs;
  while (!take(path)) {
    if (Date.now() > givenUpAt) throw new CommandError(`${path} is held by another process. Remove it.`);
    if (isStale(path)) rmSync(path, { force: true });
    else await delay(waitMs);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function take(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function isStale(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > staleMs;
}
