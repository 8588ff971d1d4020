import { isStorageUnavailable } from '../../problem.ts';
import type { Blobs } from './blobs.ts';

/**
 * Removes bytes that no row names any more. What freed them is committed: when the store cannot be reached it is no failure of it,
 * and the sweep removes them later.
 */
export async function removeFreed(blobs: Pick<Blobs, 'remove'>, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await blobs.remove(key).catch((error: unknown) => {
      if (!isStorageUnavailable(error)) throw error;
    });
  }
}
