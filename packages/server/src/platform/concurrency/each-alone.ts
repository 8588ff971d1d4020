import { isStorageFull, isStorageUnavailable } from '../../base/problem.ts';
import { isUnavailable } from '../records/errors.ts';
import type { PlatformLog } from '../records/log.ts';

export interface Alone<T> {
  log: PlatformLog;
  /** What could not be done to an item, in words for the log. */
  failed: string;
  /** Ids of an item for the log. */
  about(item: T): object;
  /** Stops before the next item. */
  signal?: AbortSignal | undefined;
}

/**
 * Works on one item after the other, each by itself: what one throws is logged, and the others have their turn. A start, a recovery or
 * a sweep goes through rows, jobs or files here, so that none of them holds up the rest. A store that is away fails all alike: then it
 * throws at once.
 */
export async function eachAlone<T>(
  items: Iterable<T> | AsyncIterable<T>,
  work: (item: T) => Promise<unknown>,
  { log, failed, about, signal }: Alone<T>,
): Promise<void> {
  for await (const item of items) {
    signal?.throwIfAborted();
    try {
      await work(item);
    } catch (error) {
      signal?.throwIfAborted();
      if (isUnavailable(error) || isStorageUnavailable(error) || isStorageFull(error)) throw error;
      log.error({ err: error, ...about(item) }, failed);
    }
  }
}
