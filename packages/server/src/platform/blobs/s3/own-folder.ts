import { join } from 'node:path';
import { lockDataFolder } from '../../records/lock-data-folder.ts';

/** Processes on one machine that may share a folder for copies. */
const processesMax = 32;

/**
 * A folder below `root` that no other process uses until this one ends. A process that comes after takes the same again, with
 * what is in it; several at once have one each.
 */
export function ownFolder(root: string): { folder: string; release: () => void } {
  for (let number = 0; ; number += 1) {
    const folder = join(root, String(number));
    try {
      // Whoever has it keeps it for long, most likely: to wait for each would stop a process that has just started for seconds.
      const lock = lockDataFolder(folder, 0);
      return { folder, release: () => lock.release() };
    } catch (error) {
      if (number === processesMax) throw error;
    }
  }
}
