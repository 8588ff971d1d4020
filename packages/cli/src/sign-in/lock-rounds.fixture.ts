/** Process that acquires a lock again and again, each time over one that a killed process seems to have left. */
import { linkSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { withLock } from './lock.ts';

const [, , path = '', rounds = ''] = process.argv;
const inside = `${path}.inside`;
const planted = `${path}.${process.pid}`;
/** Longer than a process waits that does not get the lock. */
const roundMs = 120;
const hourAgo = Date.now() / 1000 - 3600;

for (let round = 0; round < Number(rounds); round++) {
  writeFileSync(planted, 'of a killed process');
  utimesSync(planted, hourAgo, hourAgo);
  try {
    linkSync(planted, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  rmSync(planted);
  // All processes begin a round in the same moment.
  const startAt = Math.ceil((Date.now() + 1) / roundMs) * roundMs;
  await delay(startAt - Date.now() - 5);
  while (Date.now() < startAt);
  await withLock(path, async () => {
    // Fails when the other process is inside as well.
    writeFileSync(inside, '', { flag: 'wx' });
    await delay(1);
    rmSync(inside);
  });
}
