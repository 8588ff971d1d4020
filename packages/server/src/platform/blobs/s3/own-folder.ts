import { join } from 'node:path';
import { lockDataFolder } from '../../records/lock-data-folder.ts';

/** Processes on one machine that may share a folder for copies. */
const processesMax = 32;

/**
 * Claims a folder below `root` that no other process uses until this one ends. A later process claims the same one again, with
 * its contents; several at once have one each.
 */
export function ownFolder(root: string): { folder: string; release: () => void } {
  for (let number = 0; ; number += 1) {
    const folder = join(root, String(number));
    try {
      // A process keeps its folder for long: waiting for each would delay a start by seconds.
      const lock = lockDataFolder(folder, 0);
      return { folder, release: () => lock.release() };
    } catch (error) {
      if (number === processesMax) throw error;
    }
  }
}
