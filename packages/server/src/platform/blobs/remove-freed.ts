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
