import { Problem } from '../../problem.ts';
import type { Blobs } from './blobs.ts';

/**
 * Removes bytes that no row names any more. What freed them is committed: when the store does not remove them it is no failure of it.
 * The sweep meets them again, and what it fails with is logged.
 */
export async function removeFreed(blobs: Pick<Blobs, 'remove'>, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await blobs.remove(key).catch(() => undefined);
  }
}

/**
 * A step that takes over what was made ready for it; `discard` takes that away when the step was refused. After any other error it may
 * have been committed all the same: then the sweep decides.
 */
export async function orDiscard<T>(discard: () => Promise<void>, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof Problem) await discard();
    throw error;
  }
}
