interface Entry<V> {
  value: Promise<V>;
  /** 0 while it is being made. */
  bytes: number;
}

/**
 * Values that are costly to make, kept until they are too many bytes together: those unused for longest go first. Who asks while a value
 * is being made waits for it; a failure is not kept. Keys are those of blobs, whose bytes never change, so nothing becomes stale.
 */
export class ByteBoundedCache<V> {
  readonly #bytesMax: number;
  readonly #bytesOf: (value: V) => number;
  /** The one unused for longest first. */
  readonly #entries = new Map<string, Entry<V>>();
  #bytes = 0;

  constructor(bytesMax: number, bytesOf: (value: V) => number) {
    this.#bytesMax = bytesMax;
    this.#bytesOf = bytesOf;
  }

  /** Bytes of what is kept. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string, make: () => Promise<V>): Promise<V> {
    const found = this.#entries.get(key);
    if (found) {
      this.#entries.delete(key);
      this.#entries.set(key, found);
      return found.value;
    }
    const entry: Entry<V> = { value: make(), bytes: 0 };
    this.#entries.set(key, entry);
    entry.value.then(
      (value) => this.#made(key, entry, this.#bytesOf(value)),
      () => this.#drop(key, entry),
    );
    return entry.value;
  }

  #made(key: string, entry: Entry<V>, bytes: number): void {
    if (this.#entries.get(key) !== entry) return;
    // For one that does not fit, all others would go in vain.
    if (bytes > this.#bytesMax) {
      this.#drop(key, entry);
      return;
    }
    entry.bytes = bytes;
    this.#bytes += bytes;
    for (const [oldest, one] of this.#entries) {
      if (this.#bytes <= this.#bytesMax) return;
      if (one.bytes > 0) this.#drop(oldest, one);
    }
  }

  #drop(key: string, entry: Entry<V>): void {
    if (this.#entries.get(key) !== entry) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}
