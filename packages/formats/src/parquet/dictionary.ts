import { ByteWriter, grown, textOf } from '../bytes.ts';
import { areEqual, hashOf, roomOf, viewOf } from './words.ts';

const firstSlotBits = 10;
/** Maximum share of new texts among those looked up; above it a lookup is not worth its cost, and indexes are no shorter. */
const newShareMax = 0.5;

/**
 * Texts of a column, each once, as Parquet writes them: length, then bytes. Once most of them differ, it stops looking for
 * equal ones, so that some may occur several times.
 */
export class Dictionary {
  readonly #values = new ByteWriter(1 << 12);
  /** Number of its texts. */
  count = 0;
  /** Set if no text occurs twice. */
  isExact = true;
  /** Bytes of the last complete text. */
  lastSize = 0;
  /** Places of the lengths of the texts. */
  #starts = new Int32Array(256);
  #hashes = new Int32Array(256);
  #slots = new Int32Array(1 << firstSlotBits);
  /** Shift of a hash: its highest bits are its slot. */
  #slotShift = 32 - firstSlotBits;
  #lookedUp = 0;
  /** End of the texts: bytes after it belong to an unfinished one. */
  #start = 0;
  /** Text that was found last: texts often repeat at once. */
  #known = 0;
  /** Views of the texts, and of the last searched bytes. */
  #viewed: Uint8Array;
  #view: DataView;
  #source: Uint8Array;
  #sourceView: DataView;

  constructor() {
    this.#viewed = this.#values.bytes;
    this.#view = viewOf(this.#viewed);
    this.#source = this.#viewed;
    this.#sourceView = this.#view;
  }

  /** Starts a text: bytes written to the writer until `end` belong to it. */
  begin(): ByteWriter {
    const values = this.#values;
    // Room for its length.
    if (values.length + 4 > values.bytes.length) values.reserve(4);
    values.length += 4;
    return values;
  }

  /** Ends the text since `begin` and returns its number, from 0; -1 when nothing was written. */
  end(): number {
    const values = this.#values;
    const { bytes, length } = values;
    const start = this.#start;
    const size = length - start - 4;
    this.lastSize = size;
    if (size <= 0) {
      values.length = start;
      return -1;
    }
    const known = this.isExact ? this.#find(bytes, start + 4, size) : -1;
    if (known < 0) return this.#add(size);
    values.length = start;
    return known;
  }

  /** Returns the number of a text of another buffer; -1 when it is empty. A known text is not copied. */
  take(source: Uint8Array, start: number, end: number): number {
    const size = end - start;
    this.lastSize = size;
    // Below 0 it would overwrite the texts before it.
    if (size <= 0) return -1;
    const known = this.isExact ? this.#find(source, start, size) : -1;
    if (known >= 0) return known;
    this.begin().slice(source, start, end);
    return this.#add(size);
  }

  /** Bytes of all texts. */
  get size(): number {
    return this.#values.length;
  }

  /** Returns all texts as Parquet writes them, valid until the next one. */
  get written(): Uint8Array {
    return this.#values.written;
  }

  /** Returns the bytes of a text. */
  at(place: number): Uint8Array {
    return this.#values.bytes.subarray(this.startOf(place), this.endOf(place));
  }

  /** Returns the start of a text in `written`. */
  startOf(place: number): number {
    return (this.#starts[place] as number) + 4;
  }

  endOf(place: number): number {
    return place + 1 < this.count ? (this.#starts[place + 1] as number) : this.#start;
  }

  clear(): void {
    this.#values.length = 0;
    this.#start = 0;
    this.count = 0;
    this.isExact = true;
    this.#lookedUp = 0;
    this.#known = 0;
    if (this.#slots.length > 1 << firstSlotBits) this.#makeSlots(firstSlotBits);
    else this.#slots.fill(0);
  }

  /** Frees the memory of the texts. The dictionary is not used again. */
  release(): void {
    this.#values.release();
  }

  #isAt(place: number, source: DataView, start: number, size: number): boolean {
    const from = this.startOf(place);
    return this.endOf(place) - from === size && areEqual(source, start, this.#view, from, size);
  }

  #sourceViewOf(source: Uint8Array): DataView {
    const { bytes } = this.#values;
    if (bytes !== this.#viewed) {
      this.#viewed = bytes;
      this.#view = viewOf(bytes);
    }
    if (source === bytes) return this.#view;
    if (source !== this.#source) {
      this.#source = source;
      this.#sourceView = roomOf(source, this.#sourceView);
    }
    return this.#sourceView;
  }

  /** -1: the text is new. */
  #find(source: Uint8Array, start: number, size: number): number {
    const view = this.#sourceViewOf(source);
    this.#lookedUp += 1;
    if (this.count > 0 && this.#isAt(this.#known, view, start, size)) return this.#known;
    const hash = hashOf(view, start, size);
    const mask = this.#slots.length - 1;
    for (let slot = hash >>> this.#slotShift; ; slot = (slot + 1) & mask) {
      const place = (this.#slots[slot] as number) - 1;
      if (place < 0) {
        this.#slots[slot] = this.count + 1;
        this.#hashes[this.count] = hash;
        return -1;
      }
      if (this.#hashes[place] === hash && this.#isAt(place, view, start, size)) {
        this.#known = place;
        return place;
      }
    }
  }

  /** Returns the text that was written since `begin`. */
  #add(size: number): number {
    const { bytes, length } = this.#values;
    const start = this.#start;
    bytes[start] = size;
    bytes[start + 1] = size >>> 8;
    bytes[start + 2] = size >>> 16;
    bytes[start + 3] = size >>> 24;
    this.#start = length;
    const place = this.count;
    this.#known = place;
    this.#starts[place] = start;
    this.count += 1;
    if (this.count === this.#starts.length) {
      this.#starts = grown(this.#starts);
      this.#hashes = grown(this.#hashes);
    }
    if (this.isExact && this.count * 2 > this.#slots.length) this.#enlarge();
    return place;
  }

  #enlarge(): void {
    if (this.count > this.#lookedUp * newShareMax) {
      this.isExact = false;
      return;
    }
    this.#makeSlots(33 - this.#slotShift);
    const mask = this.#slots.length - 1;
    for (let place = 0; place < this.count; place += 1) {
      let slot = (this.#hashes[place] as number) >>> this.#slotShift;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = place + 1;
    }
  }

  #makeSlots(bits: number): void {
    this.#slots = new Int32Array(2 ** bits);
    this.#slotShift = 32 - bits;
  }
}

const dayMs = 86_400_000;

/** Days as numbers from 1970 (4 bytes), instants as microseconds from then (8 bytes), the least significant byte first. */
export function bytesOfTimes(type: 'date' | 'timestamp', texts: Dictionary): Uint8Array {
  const valueBytes = type === 'date' ? 4 : 8;
  const view = new DataView(new ArrayBuffer(texts.count * valueBytes));
  for (let place = 0; place < texts.count; place += 1) {
    const bytes = texts.at(place);
    const text = textOf(bytes, 0, bytes.length);
    if (type === 'date') view.setInt32(place * 4, Date.parse(`${text}T00:00:00Z`) / dayMs, true);
    else view.setBigInt64(place * 8, microseconds(text), true);
  }
  return new Uint8Array(view.buffer);
}

/** Parses `YYYY-MM-DD HH:MM:SS.ffffff`. After the year 2255 a plain number would lose digits. */
function microseconds(text: string): bigint {
  const seconds = Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}Z`) / 1000;
  return BigInt(seconds) * 1_000_000n + BigInt(text.slice(20));
}
