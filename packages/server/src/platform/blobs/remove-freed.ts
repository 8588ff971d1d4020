import { Problem } from '../../base/problem.ts';
import type { Blobs } from './blobs.ts';

/**
 * Removes bytes that no row names any more. The order to do so is committed already, so a failure of the store is none of the
 * caller: the sweep repeats the removal, and logs what it fails with.
 */
export async function removeFreed(blobs: Pick<Blobs, 'remove'>, keys: readonly string[]): Promise<void> {
  await blobs.remove(keys).catch(() => undefined);
}

/**
 * Runs a step that takes over what was made for it. `discard` removes that when the step was refused. After any other error the
 * step may have been committed: then the sweep decides.
 */
export async function orDiscard<T>(discard: () => Promise<void>, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof Problem) await discard();
    throw error;
  }
}
