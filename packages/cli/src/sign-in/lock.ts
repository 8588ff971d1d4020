import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { CommandError } from '../exit.ts';

/** Longer than the work can take (three requests of 20 s): an older lock was left behind by a process that was killed. */
const staleMs = 90_000;
const waitMs = 100;
/** The guard is held for moments. */
const guardStaleMs = 10_000;
const guardWaitMs = 5;

/** Runs `work` while no other process on this computer does, as far as they use this lock. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const token = randomUUID();
  const givenUpAt = Date.now() + 2 * staleMs;
  while (!create(path, token)) {
    if (Date.now() > givenUpAt) throw new CommandError(`${path} is held by another process. Remove it.`);
    if (isOlder(path, staleMs)) await removeIf(path, () => isOlder(path, staleMs));
    else await delay(waitMs);
  }
  try {
    return await work();
  } finally {
    await removeIf(path, () => holds(path, token));
  }
}

/**
 * Removes a lock if a condition holds. Between the two a file system lets others replace the lock; a second file keeps them away, for
 * moments in which nothing is awaited.
 */
async function removeIf(path: string, isRemovable: () => boolean): Promise<void> {
  const guard = `${path}.guard`;
  while (!create(guard, '')) {
    // Left behind by a process that was killed in one of those moments.
    if (isOlder(guard, guardStaleMs)) rmSync(guard, { force: true });
    else await delay(guardWaitMs);
  }
  try {
    if (isRemovable()) rmSync(path, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
}

function create(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Reports whether the lock is still that of this token: a late process may have lost it. */
function holds(path: string, token: string): boolean {
  try {
    return readFileSync(path, 'utf8') === token;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

function isOlder(path: string, ageMs: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > ageMs;
}
