import { type ByteWriter, bytesOf } from '../bytes.ts';

const types = { false: 2, int32: 5, int64: 6, binary: 8, list: 9, struct: 12 } as const;

/** Adds the fields of a struct, in the order of their ids. */
export type Fields = (struct: CompactStruct) => void;

/** Struct in Thrift's compact protocol, in which Parquet writes its headers and footers. Numbers are never negative there. */
export function writeStruct(target: ByteWriter, fields: Fields): void {
  fields(new CompactStruct(target));
  target.byte(0);
}

/** The fields of one struct. */
export class CompactStruct {
  readonly #target: ByteWriter;
  #lastId = 0;

  constructor(target: ByteWriter) {
    this.#target = target;
  }

  /** Writes a boolean, whose type is its value. */
  false(id: number): void {
    this.#field(id, types.false);
  }

  int32(id: number, value: number): void {
    this.#field(id, types.int32);
    this.#number(value);
  }

  int64(id: number, value: number): void {
    this.#field(id, types.int64);
    this.#number(value);
  }

  binary(id: number, value: Uint8Array): void {
    this.#field(id, types.binary);
    this.#bytes(value);
  }

  struct(id: number, fields: Fields): void {
    this.#field(id, types.struct);
    writeStruct(this.#target, fields);
  }

  structs<T>(id: number, items: readonly T[], fieldsOf: (item: T) => Fields): void {
    this.#list(id, types.struct, items.length);
    for (const item of items) writeStruct(this.#target, fieldsOf(item));
  }

  /** Writes a list of structs that were encoded before. */
  writtenStructs(id: number, structs: readonly Uint8Array[]): void {
    this.#list(id, types.struct, structs.length);
    for (const struct of structs) this.#target.slice(struct, 0, struct.length);
  }

  int32s(id: number, values: readonly number[]): void {
    this.#list(id, types.int32, values.length);
    for (const value of values) this.#number(value);
  }

  texts(id: number, values: readonly string[]): void {
    this.#list(id, types.binary, values.length);
    for (const value of values) this.#bytes(bytesOf(value));
  }

  #field(id: number, type: number): void {
    this.#target.byte(((id - this.#lastId) << 4) | type);
    this.#lastId = id;
  }

  #list(id: number, type: number, count: number): void {
    this.#field(id, types.list);
    this.#target.byte((Math.min(count, 15) << 4) | type);
    if (count >= 15) this.#target.variable(count);
  }

  /** Zigzag: signed numbers are doubled. */
  #number(value: number): void {
    this.#target.variable(value * 2);
  }

  #bytes(value: Uint8Array): void {
    this.#target.variable(value.length);
    this.#target.slice(value, 0, value.length);
  }
}
