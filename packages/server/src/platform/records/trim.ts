import type { PlatformLog } from './log.ts';
import type { Records } from './records.ts';

/** Retention of the notice board: the maximum absence after which a process can catch up. */
export const changesKeptMs = 24 * 3_600_000;
const everyMs = 600_000;

/** Removes old changes now and then; the function it returns ends that. */
export function trimChanges(records: Records, log: PlatformLog): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  const trim = async () => {
    try {
      await records.transact(async (tx) => {
        await tx
          .deleteFrom('changes')
          .where('at', '<', Date.now() - changesKeptMs)
          .execute();
      });
    } catch (error) {
      log.warn({ err: error }, 'could not trim the notice board of changes; it is tried again');
    }
  };
  const timer = setInterval(() => {
    running = trim();
  }, everyMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
