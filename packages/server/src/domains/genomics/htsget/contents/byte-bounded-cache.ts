import { LRUCache } from 'lru-cache';

/**
 * Cache of costly values up to a number of bytes. Concurrent requests for a key share one computation; a failure is not cached. Keys are
 * those of blobs, whose bytes never change, so no entry becomes stale.
 */
export class ByteBoundedCache<V extends NonNullable<unknown>> {
  readonly #entries: LRUCache<string, V, () => Promise<V>>;

  constructor(bytesMax: number, bytesOf: (value: V) => number) {
    this.#entries = new LRUCache({
      maxSize: bytesMax,
      sizeCalculation: bytesOf,
      fetchMethod: (_key, _stale, { context: make }) => make(),
      // An entry evicted while it is computed still serves its waiting requests.
      ignoreFetchAbort: true,
    });
  }

  /** Total size of the entries. */
  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  get(key: string, make: () => Promise<V>): Promise<V> {
    return this.#entries.forceFetch(key, { context: make });
  }
}
