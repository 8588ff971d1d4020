import { bytesOf, decimal, equal, find, grown, textOf } from '../../../bytes.ts';
import { columnsBeforeSamples } from '../../header.ts';
import type { RecordLine } from '../record-line.ts';

const formatColumn = columnsBeforeSamples - 1;
const [tab, percent, comma, colon] = [9, 37, 44, 58];

/** Values of some FORMAT keys of one sample, by the key's slot: its index among the keys. The next sample reuses its arrays. */
export class SampleFields {
  readonly numbers = new NumberList();
  readonly #keys: readonly Uint8Array[];
  /** FORMAT of `#places`: most records have that of the previous one. */
  #format: Uint8Array = new Uint8Array();
  /** Field of each key, from 0; -1 for none. */
  readonly #places: Int32Array;
  #lastPlace = -1;
  readonly #formatCounts = new Map<string, number>();
  #sameCount = 0;
  /** Text and place of the counted record: an uncalled one is read again for its evidence. */
  #countedBytes: Uint8Array | undefined;
  #countedStart = -1;
  #starts = new Int32Array(64);
  #fieldCount = 0;
  #bytes: Uint8Array = new Uint8Array();

  constructor(keys: readonly string[]) {
    this.#keys = keys.map(bytesOf);
    this.#places = new Int32Array(keys.length).fill(-1);
  }

  /** Records by their FORMAT, since the last call. */
  takeFormatCounts(): Map<string, number> {
    const counts = new Map(this.#formatCounts);
    const last = textOf(this.#format, 0, this.#format.length);
    counts.set(last, (counts.get(last) ?? 0) + this.#sameCount);
    this.#formatCounts.clear();
    this.#sameCount = 0;
    return counts;
  }

  /** Takes the FORMAT of a record. `isNew`: false for a record that another reader counts. */
  read(line: RecordLine, isNew = true): void {
    const start = line.startOf(formatColumn);
    const end = line.endOf(formatColumn);
    const isCounted = !isNew || (line.bytes === this.#countedBytes && start === this.#countedStart);
    this.#countedBytes = line.bytes;
    this.#countedStart = start;
    const isSame = equal(line.bytes, start, end, this.#format);
    if (!isSame) {
      const before = textOf(this.#format, 0, this.#format.length);
      this.#formatCounts.set(before, (this.#formatCounts.get(before) ?? 0) + this.#sameCount);
      this.#sameCount = 0;
    }
    if (!isCounted) this.#sameCount += 1;
    if (isSame) return;
    this.#format = Uint8Array.from(line.bytes.subarray(start, end));
    this.#places.fill(-1);
    this.#lastPlace = -1;
    const format = this.#format;
    for (let from = 0, place = 0; from <= format.length; place += 1) {
      const at = find(format, colon, from, format.length);
      const to = at < 0 ? format.length : at;
      const slot = this.#keys.findIndex((key) => equal(format, from, to, key));
      // The first of a repeated key counts, as for GT and in INFO.
      if (slot >= 0 && (this.#places[slot] as number) < 0) {
        this.#places[slot] = place;
        this.#lastPlace = place;
      }
      from = to + 1;
    }
  }

  /** Sets the sample whose column begins there. */
  select({ bytes, end }: RecordLine, start: number): void {
    this.#bytes = bytes;
    let field = 0;
    this.#starts[0] = start;
    let at = start;
    for (; at < end && bytes[at] !== tab; at += 1) {
      if (bytes[at] !== colon) continue;
      if (field === this.#lastPlace) break;
      field += 1;
      if (field + 1 >= this.#starts.length) this.#starts = grown(this.#starts);
      this.#starts[field] = at + 1;
    }
    this.#starts[field + 1] = at + 1;
    this.#fieldCount = field + 1;
  }

  /** Returns whether the sample has a value under the key. `.` and an empty value are none. */
  has(slot: number): boolean {
    const start = this.startOf(slot);
    const size = this.endOf(slot) - start;
    return start >= 0 && (size > 1 || (size === 1 && this.#bytes[start] !== 46));
  }

  /** Returns the start of the value, -1 without one. */
  startOf(slot: number): number {
    const place = this.#places[slot] as number;
    return place < 0 || place >= this.#fieldCount ? -1 : (this.#starts[place] as number);
  }

  endOf(slot: number): number {
    const place = this.#places[slot] as number;
    return place < 0 || place >= this.#fieldCount ? -1 : (this.#starts[place + 1] as number) - 1;
  }

  /** Reads the list under the key into `numbers`; returns its length, 0 without a value. */
  list(slot: number): number {
    return this.has(slot) ? this.numbers.read(this.#bytes, this.startOf(slot), this.endOf(slot)) : 0;
  }

  /** Returns the number under the key; NaN for none, and for several, of which any might be meant. */
  number(slot: number): number {
    return this.list(slot) === 1 ? this.numbers.at(0) : Number.NaN;
  }

  /** Returns the first number under a key whose caller lists tiers, the strictest first; NaN without one. */
  firstTier(slot: number): number {
    return this.list(slot) > 0 ? this.numbers.at(0) : Number.NaN;
  }
}

/** Numbers between commas; NaN for other text than a number of 0 or more. The next list reuses its memory. */
export class NumberList {
  #values = new Float64Array(16);

  at(index: number): number {
    return this.#values[index] as number;
  }

  sum(count: number): number {
    let sum = 0;
    for (let index = 0; index < count; index += 1) sum += this.at(index);
    return sum;
  }

  /** Returns the length of the list. */
  read(bytes: Uint8Array, start: number, end: number): number {
    let count = 0;
    let from = start;
    let value = 0;
    for (let at = start; at <= end; at += 1) {
      const byte = at < end ? (bytes[at] as number) : comma;
      if (byte !== comma) {
        value = byte >= 48 && byte <= 57 && value >= 0 && at - from < 9 ? value * 10 + byte - 48 : -1;
        continue;
      }
      this.#add(count, value >= 0 && at > from ? value : numberIn(bytes, from, at));
      count += 1;
      from = at + 1;
      value = 0;
    }
    return count;
  }

  #add(index: number, value: number): void {
    if (index === this.#values.length) {
      const larger = new Float64Array(index * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[index] = value;
  }
}

/** Returns a number, or a percentage as its share. */
function numberIn(bytes: Uint8Array, start: number, end: number): number {
  const isPercentage = end - start > 1 && bytes[end - 1] === percent;
  const value = decimal(bytes, start, isPercentage ? end - 1 : end);
  // By its decimal digits: 33.33 / 100 is not the number nearest to 0.3333.
  const share = isPercentage ? Number(`${value}e-2`) : value;
  return share >= 0 && share < Number.POSITIVE_INFINITY ? share : Number.NaN;
}
