/** A stream of pseudo-random numbers that depends on its keys alone. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** An integer in [0, limit). */
  below(limit: number): number;
  /** True with the given probability. */
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/** FNV-1a over the keys, finished with the mixer of MurmurHash3 so that near keys have distant numbers. */
export function hashOf(...keys: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const key of keys) {
    if (typeof key === 'number') {
      hash = Math.imul(hash ^ key, 0x01000193);
      hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    } else {
      for (let index = 0; index < key.length; index += 1) {
        hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
      }
    }
    hash = Math.imul(hash ^ 0xff, 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * Returns the stream of these keys (mulberry32). Each part of the generator draws from a stream of its name (`randomOf(seed,
 * 'observation', patient)`): one part can change without moving the others.
 */
export function randomOf(...keys: readonly (string | number)[]): Random {
  let state = hashOf(...keys);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new RangeError('Nothing to pick from');
      return list[below(list.length)] as T;
    },
  };
}
