import { bytesOf, equal } from '../../bytes.ts';
import type { RecordLine } from './record-line.ts';

const infoColumn = 7;

/** The values of some INFO keys of one record, by the key's slot. A key may stand anywhere; its first value counts. */
export class InfoValues {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly #keys: Uint8Array[];
  /** By the lowest bits of a key's hash its slot and one more, 0 for none; the next free place where several have the same. */
  readonly #slotsOfHash: Int32Array;
  readonly #longSlot: number;

  /** Keys must differ; their slots are their places. `longSlot`: the slot whose values are long, or -1. */
  constructor(keys: readonly string[], longSlot: number) {
    this.#longSlot = longSlot;
    this.starts = new Int32Array(keys.length);
    this.ends = new Int32Array(keys.length);
    this.#keys = keys.map(bytesOf);
    this.#slotsOfHash = new Int32Array(2 ** Math.ceil(Math.log2(8 + keys.length * 4)));
    const mask = this.#slotsOfHash.length - 1;
    for (const [slot, key] of this.#keys.entries()) {
      let at = hash(key) & mask;
      while (this.#slotsOfHash[at] !== 0) at = (at + 1) & mask;
      this.#slotsOfHash[at] = slot + 1;
    }
  }

  read(line: RecordLine): void {
    const { bytes } = line;
    for (let slot = 0; slot < this.starts.length; slot += 1) this.starts[slot] = -1;
    const end = line.endOf(infoColumn);
    let at = line.startOf(infoColumn);
    while (at < end) {
      const start = at;
      let hash = 0;
      for (; at < end; at += 1) {
        const byte = bytes[at] as number;
        if (byte === 61 || byte === 59) break;
        hash = (Math.imul(hash, 31) + byte) | 0;
      }
      const slot = this.#slotOf(bytes, start, at, hash);
      const from = bytes[at] === 61 && at < end ? at + 1 : at;
      at = slot === this.#longSlot ? this.#endOfLong(bytes, from, end) : from;
      while (at < end && bytes[at] !== 59) at += 1;
      if (slot >= 0 && (this.starts[slot] as number) < 0) {
        this.starts[slot] = from;
        this.ends[slot] = at;
      }
      at += 1;
    }
  }

  /** Whether the record has a value under the key. `.` and nothing are none. */
  has(slot: number, bytes: Uint8Array): boolean {
    const start = this.starts[slot] as number;
    if (start < 0) return false;
    const length = (this.ends[slot] as number) - start;
    return length > 1 || (length === 1 && bytes[start] !== 46);
  }

  /** Whether it has one, be it only of other alternates: a value that was narrowed to one of them stands in a list. */
  hasOfAny(slot: number, bytes: Uint8Array): boolean {
    const start = this.starts[slot] as number;
    const isInList = start >= 0 && (bytes[start - 1] === 44 || bytes[this.ends[slot] as number] === 44);
    return isInList || this.has(slot, bytes);
  }

  /** The built-in search is faster for a long value than a loop. */
  #endOfLong(bytes: Uint8Array, from: number, end: number): number {
    const semicolon = bytes.indexOf(59, from);
    return semicolon < 0 || semicolon > end ? end : semicolon;
  }

  #slotOf(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const mask = this.#slotsOfHash.length - 1;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const slot = (this.#slotsOfHash[at] as number) - 1;
      if (slot < 0 || equal(bytes, start, end, this.#keys[slot] as Uint8Array)) return slot;
    }
  }
}

function hash(key: Uint8Array): number {
  return key.reduce((value, byte) => (Math.imul(value, 31) + byte) | 0, 0);
}
