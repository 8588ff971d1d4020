import { SecondChanceMap } from '../../second-chance-map.ts';

interface Kept<V> {
  value: Promise<V>;
  bytes: number;
}

/**
 * Values that are costly to make, kept until they are too many bytes together: those that were not used of late go first. Who asks while a
 * value is being made waits for it; a failure is not kept. Keys are those of blobs, whose bytes never change, so nothing becomes stale.
 */
export class ByteBoundedCache<V> {
  readonly #bytesMax: number;
  readonly #bytesOf: (value: V) => number;
  readonly #kept = new SecondChanceMap<Kept<V>>();
  readonly #making = new Map<string, Promise<V>>();
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
    const known = this.#kept.get(key)?.value ?? this.#making.get(key);
    if (known) return known;
    const value = make();
    this.#making.set(key, value);
    value.then(
      (made) => {
        this.#making.delete(key);
        this.#keep(key, { value, bytes: this.#bytesOf(made) });
      },
      () => this.#making.delete(key),
    );
    return value;
  }

  #keep(key: string, kept: Kept<V>): void {
    // For one that does not fit, all others would go in vain.
    if (kept.bytes > this.#bytesMax) return;
    this.#bytes += kept.bytes;
    while (this.#bytes > this.#bytesMax) this.#bytes -= this.#kept.takeUnused()?.bytes ?? 0;
    this.#kept.set(key, kept);
  }
}
