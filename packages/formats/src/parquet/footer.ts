/** Bytes at the end of every Parquet file: the length of the footer (4 bytes, little endian), and `PAR1`. */
export const parquetTailBytes = 8;
const magic = 'PAR1';

/** Reads the size of the footer from the last bytes of a file. Throws `NoParquet` for another format. */
export function footerBytes(tail: Uint8Array, fileBytes: number): number {
  const end = tail.subarray(-parquetTailBytes);
  const word = String.fromCharCode(...end.subarray(4));
  if (end.length < parquetTailBytes || word !== magic)
    throw new NoParquet('it does not end as a Parquet file');
  const length = new DataView(end.buffer, end.byteOffset, 4).getUint32(0, true);
  if (length + parquetTailBytes + magic.length > fileBytes)
    throw new NoParquet('its footer is longer than the file');
  return length;
}

/** Rows of a file by its footer (parquet.thrift, FileMetaData: 1 version, 2 schema, 3 num_rows). Throws `NoParquet`. */
export function rowsInFooter(footer: Uint8Array): number {
  const reader = new CompactReader(footer);
  const rows = reader.numberOf(3);
  if (rows === undefined) throw new NoParquet('its footer does not state the number of rows');
  return rows;
}

/** Signals bytes that are no Parquet file. */
export class NoParquet extends Error {}

/** Types of Thrift's compact protocol. */
const types = {
  true: 1,
  false: 2,
  byte: 3,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12,
} as const;
const depthMax = 32;

/** Reads a struct in Thrift's compact protocol as far as one number in it. */
class CompactReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Returns the number in the field of this id at the top; undefined without one. */
  numberOf(wanted: number): number | undefined {
    for (let field = this.#field(0); field; field = this.#field(field.id)) {
      if (field.id === wanted && (field.type === 5 || field.type === 6)) return this.#number();
      this.#skip(field.type, 0);
    }
    return undefined;
  }

  #field(lastId: number): { id: number; type: number } | undefined {
    const head = this.#byte();
    if (head === 0) return undefined;
    const step = head >> 4;
    return { id: step === 0 ? this.#number() : lastId + step, type: head & 15 };
  }

  #skip(type: number, depth: number): void {
    if (depth > depthMax) throw new NoParquet('its footer is nested too deeply');
    if (type === types.true || type === types.false) return;
    if (type === types.byte) this.#move(1);
    else if (type >= 4 && type <= 6) this.#variable();
    else if (type === types.double) this.#move(8);
    else if (type === types.binary) this.#move(this.#variable());
    else if (type === types.list || type === types.set) this.#skipList(depth);
    else if (type === types.struct) this.#skipStruct(depth);
    else throw new NoParquet('its footer holds an unknown type');
  }

  #skipList(depth: number): void {
    const head = this.#byte();
    const count = head >> 4 === 15 ? this.#variable() : head >> 4;
    const type = head & 15;
    // In a list a boolean has a byte.
    for (let item = 0; item < count; item += 1)
      this.#skip(type <= types.false ? types.byte : type, depth + 1);
  }

  #skipStruct(depth: number): void {
    for (let field = this.#field(0); field; field = this.#field(field.id)) this.#skip(field.type, depth + 1);
  }

  /** Zigzag: signed numbers are doubled. */
  #number(): number {
    const value = this.#variable();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
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

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new NoParquet('its footer is cut off');
    this.#at += 1;
    return byte;
  }

  #move(bytes: number): void {
    this.#at += bytes;
    if (this.#at > this.#bytes.length) throw new NoParquet('its footer is cut off');
  }
}
