/** Set of older versions in a source, in memory that threads share. */
export class RefusedVersions {
  /** A bit for each resource; undefined if all are accepted. */
  readonly bits: Uint8Array | undefined;
  /** The resources before each slice. */
  readonly before: Float64Array;

  constructor(bits: Uint8Array | undefined, before: Float64Array) {
    this.bits = bits;
    this.before = before;
  }

  /** `refused`: slice and number in turn; `counts`: numbers of resources by slice. */
  static of(refused: readonly Float64Array[], counts: readonly number[]): RefusedVersions {
    const before = new Float64Array(new SharedArrayBuffer(counts.length * 8));
    let all = 0;
    for (const [slice, count] of counts.entries()) {
      before[slice] = all;
      all += count;
    }
    if (refused.every(({ length }) => length === 0)) return new RefusedVersions(undefined, before);
    const bits = new Uint8Array(new SharedArrayBuffer(Math.floor(all / 8) + 1));
    for (const pairs of refused)
      for (let at = 0; at < pairs.length; at += 2) {
        const place = (before[pairs[at] as number] as number) + (pairs[at + 1] as number);
        const byte = Math.floor(place / 8);
        bits[byte] = (bits[byte] as number) | (1 << (place % 8));
      }
    return new RefusedVersions(bits, before);
  }

  /** Returns whether a resource is refused. `number`: its number in the slice, from 1. */
  has(slice: number, number: number): boolean {
    if (!this.bits) return false;
    const place = (this.before[slice] as number) + number;
    return ((this.bits[Math.floor(place / 8)] as number) & (1 << (place % 8))) !== 0;
  }
}

/** Creates a set of no versions. */
export const noneRefused = new RefusedVersions(undefined, new Float64Array(0));
