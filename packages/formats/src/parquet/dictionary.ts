import { ByteWriter, equal, grown } from '../bytes.ts';

const firstSlots = 1024;
/** Of the texts looked up so far; with more new ones it is not worth while to look. */
const newShareMax = 0.8;

/**
 * The texts of a column, each once, as Parquet writes them: length, then bytes. While nearly all of them turn out to differ, it stops
 * looking for equal ones, so that some may stand in it several times.
 */
export class Dictionary {
  readonly #values = new ByteWriter(1 << 12);
  /** Of its texts. */
  count = 0;
  /** Whether no text stands in it twice. */
  isExact = true;
  /** Bytes of the text that ended last. */
  lastSize = 0;
  /** Where each text's length stands. */
  #starts = new Int32Array(256);
  #hashes = new Int32Array(256);
  #slots = new Int32Array(firstSlots);
  #lookedUp = 0;
  /** Where the texts end: what is written behind it is one that has begun. */
  #start = 0;
  /** The last one that was found: texts often repeat at once. */
  #known = 0;

  /** What is written to the writer until `end` is one text. */
  begin(): ByteWriter {
    const values = this.#values;
    // Room for its length.
    if (values.length + 4 > values.bytes.length) values.reserve(4);
    values.length += 4;
    return values;
  }

  /** The number of the text since `begin`, from 0; -1 when nothing was written. */
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
    const known = this.isExact ? this.#find(bytes, start + 4, length) : -1;
    if (known < 0) return this.#add(size);
    values.length = start;
    return known;
  }

  /** The number of a text that stands elsewhere; -1 when it is empty. A text that is known is not copied. */
  take(source: Uint8Array, start: number, end: number): number {
    const size = end - start;
    this.lastSize = size;
    // Below 0 it would write over the texts before it.
    if (size <= 0) return -1;
    const known = this.isExact ? this.#find(source, start, end) : -1;
    if (known >= 0) return known;
    this.begin().slice(source, start, end);
    return this.#add(size);
  }

  /** Bytes of all texts. */
  get size(): number {
    return this.#values.length;
  }

  /** All texts as Parquet writes them, until there is another one. */
  get written(): Uint8Array {
    return this.#values.written;
  }

  /** The bytes of a text. */
  at(place: number): Uint8Array {
    return this.#values.bytes.subarray(this.startOf(place), this.endOf(place));
  }

  /** Where a text starts in `written`. */
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
    if (this.#slots.length > firstSlots) this.#slots = new Int32Array(firstSlots);
    else this.#slots.fill(0);
  }

  #isAt(place: number, source: Uint8Array, start: number, end: number): boolean {
    return equal(source, start, end, this.#values.bytes, this.startOf(place), this.endOf(place));
  }

  /** -1: it is new. */
  #find(source: Uint8Array, start: number, end: number): number {
    this.#lookedUp += 1;
    if (this.count > 0 && this.#isAt(this.#known, source, start, end)) return this.#known;
    const hash = hashOf(source, start, end);
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const place = (this.#slots[slot] as number) - 1;
      if (place < 0) {
        this.#slots[slot] = this.count + 1;
        this.#hashes[this.count] = hash;
        return -1;
      }
      if (this.#hashes[place] === hash && this.#isAt(place, source, start, end)) {
        this.#known = place;
        return place;
      }
    }
  }

  /** The text that was written since `begin`. */
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
    this.#slots = new Int32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let place = 0; place < this.count; place += 1) {
      let slot = (this.#hashes[place] as number) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = place + 1;
    }
  }
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0;
  for (let at = start; at < end; at += 1) hash = (Math.imul(hash, 0x01000193) ^ (bytes[at] as number)) | 0;
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
}
