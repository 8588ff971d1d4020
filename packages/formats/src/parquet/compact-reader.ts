/** Value of Thrift's compact protocol: numbers, booleans, bytes, lists, and structs by the ids of their fields. */
export type CompactValue = number | boolean | Buffer | CompactValue[] | CompactFields;

/** Fields of a struct by id. */
export type CompactFields = Map<number, CompactValue>;

/** Signals bytes that are no Parquet file. */
export class NoParquet extends Error {}

const depthMax = 32;
const longList = 15;

/** Reads values of Thrift's compact protocol. Throws `NoParquet`. */
export class CompactReader {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  /** Yields the fields of a struct. The caller reads the value of each before the next. */
  *fields(): Generator<{ id: number; type: number }> {
    for (let id = 0; ; ) {
      const head = this.#byte();
      if (head === 0) return;
      id = head >> 4 === 0 ? this.#zigzag() : id + (head >> 4);
      yield { id, type: head & 15 };
    }
  }

  /** Reads the head of a list: the type of its elements, and their number. */
  listHead(): { type: number; length: number } {
    const head = this.#byte();
    return { type: head & 15, length: head >> 4 === longList ? this.#variable() : head >> 4 };
  }

  struct(depth = 0): CompactFields {
    const fields: CompactFields = new Map();
    for (const { id, type } of this.fields()) fields.set(id, this.value(type, depth + 1));
    return fields;
  }

  /** Reads a value of a type of the protocol. */
  value(type: number, depth = 0): CompactValue {
    if (depth > depthMax) throw new NoParquet('its footer is nested too deeply');
    switch (type) {
      case 1:
      case 2:
        return type === 1;
      case 3:
        return this.#byte();
      case 4:
      case 5:
      case 6:
        return this.#zigzag();
      case 7:
        return this.#take(8);
      case 8:
        return this.#take(this.#variable());
      case 9:
      case 10:
        return this.#list(depth);
      case 12:
        return this.struct(depth);
      default:
        throw new NoParquet('its footer holds an unknown type');
    }
  }

  #list(depth: number): CompactValue[] {
    const { type, length } = this.listHead();
    const values: CompactValue[] = [];
    // In a list a boolean has a byte.
    for (let at = 0; at < length; at += 1) values.push(this.value(type <= 2 ? 3 : type, depth + 1));
    return values;
  }

  #byte(): number {
    const byte = this.#bytes[this.at];
    if (byte === undefined) throw new NoParquet('its footer is cut off');
    this.at += 1;
    return byte;
  }

  #take(length: number): Buffer {
    const start = this.at;
    this.at += length;
    if (this.at > this.#bytes.length) throw new NoParquet('its footer is cut off');
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + start, length);
  }

  #variable(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      if (factor > 2 ** 56) throw new NoParquet('its footer holds a number that is too long');
    }
  }

  /** Signed numbers are doubled. */
  #zigzag(): number {
    const value = this.#variable();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}
