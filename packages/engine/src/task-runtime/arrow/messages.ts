import { Builder, type Offset } from 'flatbuffers';
import type { ResultType } from '../../result-type.ts';
import type { FileColumn } from '../select-columns.ts';

/**
 * Metadata of an Arrow IPC stream (Arrow columnar format 1.5, "Serialization and Interprocess Communication"; the numbers are those of
 * `Schema.fbs` and `Message.fbs`).
 */
const version = 4;
const header = { schema: 1, recordBatch: 3 } as const;
const typeIds = {
  ...{ int: 2, float: 3, binary: 4, utf8: 5, bool: 6, decimal: 7, date: 8, time: 9, timestamp: 10 },
  ...{ list: 12, struct: 13, map: 17 },
} as const;
const units = { second: 0, millisecond: 1, microsecond: 2, nanosecond: 3 } as const;

/** Rows and NULLs of a column in a batch, nested columns behind the one that holds them. */
export interface FieldNode {
  rows: number;
  nulls: number;
}

/** Place of a buffer in the body of a batch. */
export interface BufferPlace {
  offset: number;
  size: number;
}

/** Ends a stream: a message without metadata. */
export const endOfStream: Uint8Array = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);

/** Describes the columns of a stream: its first message. */
export function schemaMessage(columns: readonly FileColumn[]): Uint8Array {
  const builder = new Builder(1024);
  const fields = vectorOf(
    builder,
    columns.map((column) => field(builder, column.header, column.type)),
  );
  builder.startObject(4);
  builder.addFieldOffset(1, fields, 0);
  return message(builder, header.schema, builder.endObject(), 0);
}

/** Describes the body of a batch of rows, which follows it. */
export function batchMessage(
  rows: number,
  nodes: readonly FieldNode[],
  buffers: readonly BufferPlace[],
  bodySize: number,
): Uint8Array {
  const builder = new Builder(1024);
  const nodePairs = pairs(
    builder,
    nodes.map((node) => [node.rows, node.nulls]),
  );
  const bufferPairs = pairs(
    builder,
    buffers.map((buffer) => [buffer.offset, buffer.size]),
  );
  builder.startObject(4);
  builder.addFieldInt64(0, BigInt(rows), 0n);
  builder.addFieldOffset(1, nodePairs, 0);
  builder.addFieldOffset(2, bufferPairs, 0);
  return message(builder, header.recordBatch, builder.endObject(), bodySize);
}

/** Frames a message: continuation mark, length, metadata, and zeros up to a multiple of 8 bytes. */
function message(builder: Builder, kind: number, content: Offset, bodySize: number): Uint8Array {
  builder.startObject(5);
  builder.addFieldInt16(0, version, 0);
  builder.addFieldInt8(1, kind, 0);
  builder.addFieldOffset(2, content, 0);
  builder.addFieldInt64(3, BigInt(bodySize), 0n);
  builder.finish(builder.endObject());
  const metadata = builder.asUint8Array();
  const size = Math.ceil(metadata.length / 8) * 8;
  const framed = Buffer.alloc(8 + size);
  framed.writeUInt32LE(0xffffffff, 0);
  framed.writeInt32LE(size, 4);
  framed.set(metadata, 8);
  return framed;
}

function field(builder: Builder, name: string, type: ResultType, nullable = true): Offset {
  const children = vectorOf(builder, childFields(builder, type));
  const text = builder.createString(name);
  const [typeId, typeTable] = typeOf(builder, type);
  builder.startObject(7);
  builder.addFieldOffset(0, text, 0);
  builder.addFieldInt8(1, Number(nullable), 0);
  builder.addFieldInt8(2, typeId, 0);
  builder.addFieldOffset(3, typeTable, 0);
  builder.addFieldOffset(5, children, 0);
  return builder.endObject();
}

function childFields(builder: Builder, type: ResultType): Offset[] {
  switch (type.kind) {
    case 'list':
      return [field(builder, 'item', type.item)];
    case 'struct':
      return type.fields.map((one) => field(builder, one.name, one.type));
    case 'map': {
      const entry = entriesOf(type);
      const children = vectorOf(builder, [
        field(builder, 'key', type.key, false),
        field(builder, 'value', type.item),
      ]);
      const name = builder.createString('entries');
      const [typeId, typeTable] = typeOf(builder, entry);
      builder.startObject(7);
      builder.addFieldOffset(0, name, 0);
      builder.addFieldInt8(2, typeId, 0);
      builder.addFieldOffset(3, typeTable, 0);
      builder.addFieldOffset(5, children, 0);
      return [builder.endObject()];
    }
    case 'plain':
    case 'other':
      return [];
  }
}

/** Returns the struct of a key and a value, of which a map is a list. */
export function entriesOf({ key, item }: Extract<ResultType, { kind: 'map' }>): ResultType {
  const fields = [
    { name: 'key', type: key },
    { name: 'value', type: item },
  ];
  return { kind: 'struct', name: '', fields };
}

/** Returns the number of a type, and the table with its parameters. */
function typeOf(builder: Builder, type: ResultType): [number, Offset] {
  const table = (...fields: (() => void)[]): Offset => {
    builder.startObject(3);
    for (const add of fields) add();
    return builder.endObject();
  };
  const int16 =
    (slot: number, value: number, otherwise = 0) =>
    () =>
      builder.addFieldInt16(slot, value, otherwise);
  const int32 = (slot: number, value: number) => () => builder.addFieldInt32(slot, value, 0);
  if (type.kind === 'list') return [typeIds.list, table()];
  if (type.kind === 'struct') return [typeIds.struct, table()];
  if (type.kind === 'map') return [typeIds.map, table()];
  const integer = integers.get(type.name);
  if (integer !== undefined)
    return [
      typeIds.int,
      table(int32(0, integer.bits), () => builder.addFieldInt8(1, Number(integer.signed), 0)),
    ];
  const decimal = decimalOf(type.name);
  if (decimal)
    return [typeIds.decimal, table(int32(0, decimal.precision), int32(1, decimal.scale), int32(2, 128))];
  const unit = timestampUnits.get(type.name);
  if (unit !== undefined) {
    const zone = type.name === 'TIMESTAMP WITH TIME ZONE' ? builder.createString('UTC') : 0;
    return [typeIds.timestamp, table(int16(0, unit), () => builder.addFieldOffset(1, zone, 0))];
  }
  switch (type.name) {
    case 'BOOLEAN':
      return [typeIds.bool, table()];
    case 'FLOAT':
      return [typeIds.float, table(int16(0, 1))];
    case 'DOUBLE':
      return [typeIds.float, table(int16(0, 2))];
    case 'DATE':
      // Days; the default is milliseconds.
      return [typeIds.date, table(int16(0, 0, 1))];
    case 'TIME':
      return [typeIds.time, table(int16(0, units.microsecond, units.millisecond), int32(1, 64))];
    case 'BLOB':
      return [typeIds.binary, table()];
    case 'VARCHAR':
      return [typeIds.utf8, table()];
    default:
      throw new Error(`Arrow has no form for ${type.name}`);
  }
}

/** Integer types of the engine that Arrow stores in the same bytes. */
export const integers: ReadonlyMap<string, { bits: number; signed: boolean }> = new Map(
  [8, 16, 32, 64].flatMap((bits, index) =>
    ['', 'U'].map((prefix) => [
      `${prefix}${['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT'][index]}`,
      { bits, signed: prefix === '' },
    ]),
  ),
);

/** Timestamps of the engine, all of 64 bits, and their units. */
export const timestampUnits: ReadonlyMap<string, number> = new Map([
  ['TIMESTAMP_S', units.second],
  ['TIMESTAMP_MS', units.millisecond],
  ['TIMESTAMP', units.microsecond],
  ['TIMESTAMP WITH TIME ZONE', units.microsecond],
  ['TIMESTAMP_NS', units.nanosecond],
]);

/** Reads `DECIMAL(18,3)`. */
export function decimalOf(name: string): { precision: number; scale: number } | undefined {
  const [, precision, scale] = /^DECIMAL\((\d+),(\d+)\)$/.exec(name) ?? [];
  return precision === undefined ? undefined : { precision: Number(precision), scale: Number(scale) };
}

function vectorOf(builder: Builder, offsets: readonly Offset[]): Offset {
  builder.startVector(4, offsets.length, 4);
  for (const offset of offsets.toReversed()) builder.addOffset(offset);
  return builder.endVector();
}

/** Returns a vector of structs of two 64-bit numbers. It is built backwards. */
function pairs(builder: Builder, items: readonly (readonly [number, number])[]): Offset {
  builder.startVector(16, items.length, 8);
  for (const [first, second] of items.toReversed()) {
    builder.addInt64(BigInt(second));
    builder.addInt64(BigInt(first));
  }
  return builder.endVector();
}
