import { bytesOf, equal } from '../../bytes.ts';
import type { RecordLine } from './record-line.ts';

const infoColumn = 7;

/** The values of some INFO keys of one record, by the key's slot. A key may stand anywhere; its first value counts. */
export class InfoValues {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly #keys: Uint8Array[];
  readonly #slotsOfHash = new Map<number, number>();

  readonly #longSlot: number;

  /** Keys must differ; their slots are their places. `longSlot`: the slot whose values are long, or -1. */
  constructor(keys: readonly string[], longSlot: number) {
    this.#longSlot = longSlot;
    this.starts = new Int32Array(keys.length);
    this.ends = new Int32Array(keys.length);
    this.#keys = keys.map(bytesOf);
    for (const [slot, key] of this.#keys.entries())
      this.#slotsOfHash.set(this.#freeHash(hash(key, 0, key.length)), slot);
  }

  read(line: RecordLine): void {
    const { bytes } = line;
    this.starts.fill(-1);
    const end = line.endOf(infoColumn);
    let at = line.startOf(infoColumn);
    while (at < end) {
      const start = at;
      while (at < end && bytes[at] !== 61 && bytes[at] !== 59) at += 1;
      const slot = this.#slotOf(bytes, start, at);
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

  /** The built-in search is faster for a long value than a loop. */
  #endOfLong(bytes: Uint8Array, from: number, end: number): number {
    const semicolon = bytes.indexOf(59, from);
    return semicolon < 0 || semicolon > end ? end : semicolon;
  }

  #slotOf(bytes: Uint8Array, start: number, end: number): number {
    for (let value = hash(bytes, start, end); ; value += 1) {
      const slot = this.#slotsOfHash.get(value);
      if (slot === undefined) return -1;
      if (equal(bytes, start, end, this.#keys[slot] as Uint8Array)) return slot;
    }
  }

  #freeHash(value: number): number {
    return this.#slotsOfHash.has(value) ? this.#freeHash(value + 1) : value;
  }
}

function hash(bytes: Uint8Array, start: number, end: number): number {
  let value = end - start;
  for (let index = start; index < end; index += 1)
    value = (Math.imul(value, 31) + (bytes[index] as number)) | 0;
  return value;
}
