import { isStorageFull, isStorageUnavailable } from '../../base/problem.ts';
import { isUnavailable } from '../records/errors.ts';
import type { PlatformLog } from '../records/log.ts';

interface Alone<T> {
  /** Work that could not be done, in words for the log. */
  failed: string;
  /** Ids of an item for the log. */
  about(item: T): object;
  /** Absent: the failures are thrown together once all items had their turn. */
  log?: PlatformLog;
  /** Stops before the next item. */
  signal?: AbortSignal | undefined;
  /** Items at a time. Default 1. */
  atOnce?: number;
}

/**
 * Works on each item by itself, begun in their order: errors are logged, and the others have their turn. A start, a recovery or
 * a sweep processes rows, jobs or files with it: no single one can hold up the rest. An unavailable store fails all alike: then
 * it throws at once.
 */
export async function eachAlone<T>(
  items: Iterable<T> | AsyncIterable<T>,
  work: (item: T) => unknown,
  { failed, about, log, signal, atOnce = 1 }: Alone<T>,
): Promise<void> {
  const failures: unknown[] = [];
  const queue = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let end: { error: unknown } | undefined;
  const doOne = async (item: T): Promise<void> => {
    try {
      await work(item);
    } catch (error) {
      if (signal?.aborted || isAway(error)) throw error;
      failures.push(error);
      log?.error({ err: error, ...about(item) }, failed);
    }
  };
  const worker = async (): Promise<void> => {
    try {
      while (!end) {
        signal?.throwIfAborted();
        const next = await queue.next();
        if (next.done) return;
        await doOne(next.value);
      }
    } catch (error) {
      end ??= { error: signal?.aborted ? signal.reason : error };
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (end) {
    await queue.return?.(undefined);
    throw end.error;
  }
  if (failures.length > 0 && !log) throw new SomeFailed(failures, failed);
}

/** Failures of some items, thrown when all had their turn. */
class SomeFailed extends AggregateError {
  constructor(failures: readonly unknown[], failed: string) {
    const [first] = failures;
    super(failures, `${failed} (${failures.length}): ${first instanceof Error ? first.message : first}`);
  }
}

const isAway = (error: unknown): boolean =>
  isUnavailable(error) || isStorageUnavailable(error) || isStorageFull(error);

/** Yields rows a page at a time, each after the last row of the one before: also past rows whose work failed. */
export async function* pagesOf<T>(
  find: (last: T | undefined) => Promise<T[]>,
  rowsMax: number,
): AsyncGenerator<T[], void, undefined> {
  for (let last: T | undefined; ; ) {
    const rows = await find(last);
    if (rows.length > 0) yield rows;
    if (rows.length < rowsMax) return;
    last = rows.at(-1);
  }
}

/** Yields the rows of `pagesOf` one by one. */
export async function* rowsOfPages<T>(
  find: (last: T | undefined) => Promise<T[]>,
  rowsMax: number,
): AsyncGenerator<T, void, undefined> {
  for await (const page of pagesOf(find, rowsMax)) yield* page;
}
