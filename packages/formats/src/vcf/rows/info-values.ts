import { bytesOf, equal } from '../../bytes.ts';
import type { RecordLine } from './record-line.ts';

const infoColumn = 7;
/** Slots beyond the bits of a number share bits with others. */
const slotBits = 31;

/** Returns a bit for each slot. */
export function bitsOf(slots: readonly number[]): number {
  return slots.reduce((bits, slot) => bits | (1 << (slot & slotBits)), 0);
}

/** Values of some INFO keys of one record, by the key's slot. A key may be anywhere; its first value counts. */
export class InfoValues {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Records that have each of the keys, with those that are not asked for. */
  readonly #counts: Float64Array;
  /** Number of the last record with each of the keys: a repeated key counts once. */
  readonly #lastRecords: Float64Array;
  #record = 0;
  /** A bit for each slot that the record has (`bitsOf`). */
  present = 0;
  readonly #keys: Uint8Array[];
  /** Slot plus one by the lowest bits of a key's hash, 0 for none; the next free entry where several collide. */
  readonly #slotsOfHash: Int32Array;
  readonly #longSlot: number;
  /**
   * Slot of the key that followed a slot the last time, -1 if unknown; of the first key at the end. Keys mostly have the same
   * order.
   */
  readonly #followers: Int32Array;

  /**
   * Keys must differ; their slots are their indexes. `longSlot`: slot whose values are long, or -1. `others`: further keys of
   * the file, whose values are not read.
   */
  constructor(keys: readonly string[], longSlot: number, others: readonly string[] = []) {
    this.#longSlot = longSlot;
    this.starts = new Int32Array(keys.length);
    this.ends = new Int32Array(keys.length);
    this.#keys = [...keys, ...others].map(bytesOf);
    this.#counts = new Float64Array(this.#keys.length);
    this.#lastRecords = new Float64Array(this.#keys.length);
    this.#followers = new Int32Array(this.#keys.length + 1).fill(-1);
    this.#slotsOfHash = new Int32Array(2 ** Math.ceil(Math.log2(8 + this.#keys.length * 4)));
    const mask = this.#slotsOfHash.length - 1;
    for (const [slot, key] of this.#keys.entries()) {
      let at = hashOf(key, 0, key.length) & mask;
      while (this.#slotsOfHash[at] !== 0) at = (at + 1) & mask;
      this.#slotsOfHash[at] = slot + 1;
    }
  }

  /** `isCounted`: false for a record that may be read again. */
  read(line: RecordLine, isCounted = true): void {
    const { bytes } = line;
    this.#record += 1;
    for (let slot = 0; slot < this.starts.length; slot += 1) this.starts[slot] = -1;
    this.present = 0;
    const end = line.endOf(infoColumn);
    let at = line.startOf(infoColumn);
    let before = this.#keys.length;
    while (at < end) {
      const start = at;
      let slot = this.#followers[before] as number;
      at = slot < 0 ? -1 : endOfKey(bytes, start, end, this.#keys[slot] as Uint8Array);
      if (at < 0) {
        at = start;
        while (at < end && bytes[at] !== 61 && bytes[at] !== 59) at += 1;
        slot = this.#slotOf(bytes, start, at);
        this.#followers[before] = slot;
      }
      if (slot >= 0) {
        before = slot;
        if (isCounted && this.#lastRecords[slot] !== this.#record) {
          this.#lastRecords[slot] = this.#record;
          this.#counts[slot] = (this.#counts[slot] as number) + 1;
        }
      }
      const from = bytes[at] === 61 && at < end ? at + 1 : at;
      at = slot >= 0 && slot === this.#longSlot ? endOfLong(bytes, from, end) : from;
      while (at < end && bytes[at] !== 59) at += 1;
      if (slot >= 0 && slot < this.starts.length && (this.starts[slot] as number) < 0) {
        this.starts[slot] = from;
        this.ends[slot] = at;
        this.present |= 1 << (slot & slotBits);
      }
      at += 1;
    }
  }

  /** Records that have each key, by its place, since the last call. */
  takeCounts(): Float64Array {
    const counts = this.#counts.slice();
    this.#counts.fill(0);
    return counts;
  }

  /** Returns whether the record has a value under the key. `.` and an empty value are none. */
  has(slot: number, bytes: Uint8Array): boolean {
    const start = this.starts[slot] as number;
    if (start < 0) return false;
    const length = (this.ends[slot] as number) - start;
    return length > 1 || (length === 1 && bytes[start] !== 46);
  }

  /** Returns whether it has one, also of other alternates alone: a narrowed value remains in a list. */
  hasOfAny(slot: number, bytes: Uint8Array): boolean {
    const start = this.starts[slot] as number;
    const isInList = start >= 0 && (bytes[start - 1] === 44 || bytes[this.ends[slot] as number] === 44);
    return isInList || this.has(slot, bytes);
  }

  #slotOf(bytes: Uint8Array, start: number, end: number): number {
    const mask = this.#slotsOfHash.length - 1;
    for (let at = hashOf(bytes, start, end) & mask; ; at = (at + 1) & mask) {
      const slot = (this.#slotsOfHash[at] as number) - 1;
      if (slot < 0 || equal(bytes, start, end, this.#keys[slot] as Uint8Array)) return slot;
    }
  }
}

/** Finds the end of a long value: the built-in search is faster for it than a loop. It must not run into later records. */
function endOfLong(bytes: Uint8Array, from: number, end: number): number {
  const semicolon = bytes.subarray(from, end).indexOf(59);
  return semicolon < 0 ? end : from + semicolon;
}

/** Returns the end of the key at `start` if it is this one; else -1. */
function endOfKey(bytes: Uint8Array, start: number, end: number, key: Uint8Array): number {
  const stop = start + key.length;
  if (stop > end || (stop < end && bytes[stop] !== 61 && bytes[stop] !== 59)) return -1;
  for (let at = 0; at < key.length; at += 1) if (bytes[start + at] !== key[at]) return -1;
  return stop;
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0;
  for (let at = start; at < end; at += 1) hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0;
  return hash;
}
