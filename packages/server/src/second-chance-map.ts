interface Entry<V> {
  value: V;
  /** Since it was set, or since `takeUnused` passed it. */
  isUsed: boolean;
}

/**
 * A map for caches: it knows what was not used of late. A use is a mark at its entry; to move the entry to the end of a Map instead makes
 * the engine build that Map anew every few uses, which was most of the garbage that requests left behind for long.
 */
export class SecondChanceMap<V> {
  readonly #entries = new Map<string, Entry<V>>();

  get size(): number {
    return this.#entries.size;
  }

  /** Counts as a use. */
  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.isUsed = true;
    return entry.value;
  }

  set(key: string, value: V): void {
    this.#entries.set(key, { value, isUsed: false });
  }

  deleteWhere(isConcerned: (value: V) => boolean): void {
    for (const [key, { value }] of this.#entries) if (isConcerned(value)) this.#entries.delete(key);
  }

  /** Takes one away: the oldest that was not used since the last look at it. Those that were have another chance. */
  takeUnused(): V | undefined {
    // What is put at the end is met again, unused by then.
    for (const [key, entry] of this.#entries) {
      this.#entries.delete(key);
      if (!entry.isUsed) return entry.value;
      entry.isUsed = false;
      this.#entries.set(key, entry);
    }
    return undefined;
  }
}
