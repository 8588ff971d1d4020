import { ByteWriter, bytesOf } from '../bytes.ts';
import type { ColumnPages, ParquetType } from './column-pages.ts';
import { type CompactStruct, type Fields, writeStruct } from './compact-struct.ts';
import { keptBytesMax, type NotedColumn, WrittenValues } from './written-values.ts';

/** Numbers of the format (parquet.thrift). */
const physicalTypes: Record<ParquetType, number> = {
  boolean: 0,
  date: 1,
  int: 2,
  timestamp: 2,
  float: 5,
  string: 6,
};
const convertedTypes: Partial<Record<ParquetType, number>> = { string: 0, date: 6, int: 18 };
const [plain, runs, dictionaryEncoding] = [0, 3, 8];
const [dataPage, dictionaryPage] = [0, 2];
const codecs = { none: 0, zstd: 6 } as const;

const magic = bytesOf('PAR1');
/** Minimum length for compression: shorter columns save a few bytes, and each call needs 20 µs before it begins. */
const compressedBytesMin = 2048;

/** Compresses bytes; the caller owns the result. */
export type Compress = (bytes: Uint8Array) => Uint8Array;
/** Minimum of a buffer that is not shared; shared ones are smaller. */
const ownBytesMin = 128 << 10;

interface WrittenColumn extends NotedColumn {
  codec: number;
  /** Undefined without a dictionary. */
  dictionaryOffset: number | undefined;
  dataOffset: number;
  size: number;
  compressedSize: number;
}

/** A column of a file. */
export interface ParquetColumn {
  name: string;
  type: ParquetType;
}

/** Content of a file from one row group. */
export interface WrittenGroup {
  rowCount: number;
  size: number;
  columns: WrittenColumn[];
}

/** Bytes of a row group, with the places of its columns in them. Plain data, so that threads can transfer it. */
export interface EncodedGroup {
  bytes: Uint8Array;
  group: WrittenGroup;
}

/** Row group with its place in a file, as in the footer. */
export interface PlacedGroup {
  rowCount: number;
  footer: Uint8Array;
}

/**
 * Encodes a row group for any file of these columns. `columns`: in the order of the table; each is encoded before the next is
 * requested. A number is the index of an equal column of `other`, which is copied.
 */
export function encodeGroup(
  columns: Iterable<ColumnPages | number>,
  compress: Compress,
  other?: EncodedGroup,
): EncodedGroup {
  const target = new ByteWriter(1 << 16);
  const written = Array.from(columns, (pages) =>
    typeof pages === 'number' ? copyColumn(target, pages, other) : writeColumn(target, pages, compress),
  );
  const size = written.reduce((sum, column) => sum + column.size, 0);
  return { bytes: target.written, group: { rowCount: written[0]?.rowCount ?? 0, size, columns: written } };
}

/** Encodes a Parquet file, one row group after the other, the footer last. The caller writes the results in that order. */
export class ParquetFile {
  readonly #columns: readonly ParquetColumn[];
  readonly #compress: Compress;
  /** Values of the row groups so far. */
  readonly values = new WrittenValues();
  /** Rows of the row groups so far. */
  rowCount = 0;
  #offset = 0;

  constructor(columns: readonly ParquetColumn[], compress: Compress) {
    this.#columns = columns;
    this.#compress = compress;
  }

  begin(): Uint8Array {
    this.#offset = magic.length;
    return magic;
  }

  /** `columns`: as for `encodeGroup`. */
  group(columns: Iterable<ColumnPages>): { bytes: Uint8Array; group: PlacedGroup } {
    const { bytes, group } = encodeGroup(columns, this.#compress);
    return { bytes, group: this.place(group, bytes.length) };
  }

  /**
   * Adds a row group that was encoded elsewhere; its `byteCount` bytes are written next. Its part of the footer is encoded now:
   * at the end all together would last as long as many groups.
   */
  place(group: WrittenGroup, byteCount: number): PlacedGroup {
    const base = this.#offset;
    this.#offset += byteCount;
    this.rowCount += group.rowCount;
    for (const [at, { name, type }] of this.#columns.entries()) {
      const column = group.columns[at];
      if (column) this.values.add(name, type, column);
    }
    const columns = group.columns.map((column) => ({
      ...column,
      dataOffset: column.dataOffset + base,
      dictionaryOffset: column.dictionaryOffset === undefined ? undefined : column.dictionaryOffset + base,
    }));
    const target = new ByteWriter(1 << 12);
    writeStruct(target, (fields) => this.#groupFields(fields, { ...group, columns }));
    return { rowCount: group.rowCount, footer: target.written };
  }

  /** Ends the file. The groups may be in another order than that in which they were written; readers follow this one. */
  end(groups: readonly PlacedGroup[]): Uint8Array {
    const target = new ByteWriter(1 << 16);
    writeStruct(target, (file) => {
      file.int32(1, 1);
      file.structs(2, [undefined, ...this.#columns], (column) => schemaElement(column, this.#columns.length));
      file.int64(
        3,
        groups.reduce((sum, { rowCount }) => sum + rowCount, 0),
      );
      file.writtenStructs(
        4,
        groups.map(({ footer }) => footer),
      );
      file.binary(6, bytesOf('ploidy'));
      // Bounds are ordered as the types define.
      file.structs(7, this.#columns, () => (order) => order.struct(1, () => undefined));
    });
    target.uint32(target.length);
    target.slice(magic, 0, magic.length);
    return target.bytes.subarray(0, target.length);
  }

  #groupFields(fields: CompactStruct, { rowCount, size, columns }: WrittenGroup): void {
    const all = columns.map((column, index) => ({ column, name: this.#columns[index] as ParquetColumn }));
    fields.structs(1, all, ({ column, name }) => (chunk) => {
      chunk.int64(2, 0);
      chunk.struct(3, (metadata) => columnMetadata(metadata, name, column));
    });
    fields.int64(2, size);
    fields.int64(3, rowCount);
  }
}

function writeColumn(target: ByteWriter, pages: ColumnPages, compress: Compress): WrittenColumn {
  const { dictionary, data, rowCount, nullCount, range } = pages;
  const isLong = data.length + (dictionary?.bytes.length ?? 0) >= compressedBytesMin;
  const start = target.length;
  let size = 0;
  const page = (bytes: Uint8Array, type: number, header: Fields): void => {
    const packed = isLong ? compress(bytes) : bytes;
    const from = target.length;
    writeStruct(target, (fields) => {
      fields.int32(1, type);
      fields.int32(2, bytes.length);
      fields.int32(3, packed.length);
      fields.struct(type === dataPage ? 5 : 7, header);
    });
    size += target.length - from + bytes.length;
    target.slice(packed, 0, packed.length);
    if (packed !== bytes) release(packed);
  };
  if (dictionary)
    page(dictionary.bytes, dictionaryPage, (fields) => {
      fields.int32(1, dictionary.count);
      fields.int32(2, plain);
    });
  const dataOffset = target.length;
  page(data, dataPage, (fields) => {
    fields.int32(1, rowCount);
    fields.int32(2, dictionary ? dictionaryEncoding : plain);
    fields.int32(3, runs);
    fields.int32(4, runs);
  });
  return {
    ...{ rowCount, nullCount, range },
    codec: isLong ? codecs.zstd : codecs.none,
    dictionaryOffset: dictionary && start,
    dataOffset,
    size,
    compressedSize: target.length - start,
    dictionary: dictionary && dictionary.bytes.length <= keptBytesMax ? dictionary.bytes.slice() : undefined,
  };
}

function copyColumn(target: ByteWriter, place: number, other: EncodedGroup | undefined): WrittenColumn {
  const column = other?.group.columns[place];
  if (!other || !column) throw new Error(`There is no column ${place} to copy`);
  const start = column.dictionaryOffset ?? column.dataOffset;
  const moved = target.length - start;
  target.slice(other.bytes, start, start + column.compressedSize);
  const dictionaryOffset = column.dictionaryOffset === undefined ? undefined : start + moved;
  return { ...column, dictionaryOffset, dataOffset: column.dataOffset + moved };
}

/** Releases the memory of compressed input: the garbage collector frees it too late. Smaller pieces may be part of shared memory. */
function release({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= ownBytesMin) buffer.transfer(0);
}

/** Builds an element of the schema, whose first is the root. */
function schemaElement(column: ParquetColumn | undefined, columnCount: number): Fields {
  return (fields) => {
    if (!column) {
      fields.binary(4, bytesOf('root'));
      fields.int32(5, columnCount);
      return;
    }
    fields.int32(1, physicalTypes[column.type]);
    fields.int32(3, 1); // Every column may be NULL.
    fields.binary(4, bytesOf(column.name));
    const converted = convertedTypes[column.type];
    if (converted !== undefined) fields.int32(6, converted);
    if (column.type === 'timestamp') fields.struct(10, localMicroseconds);
  };
}

/** The logical type that the engine writes: TIMESTAMP (8) in microseconds (2), not adjusted to UTC (1). */
const localMicroseconds: Fields = (logical) =>
  logical.struct(8, (timestamp) => {
    timestamp.false(1);
    timestamp.struct(2, (unit) => unit.struct(2, () => undefined));
  });

function columnMetadata(fields: CompactStruct, { name, type }: ParquetColumn, written: WrittenColumn): void {
  const { range, nullCount, rowCount, dictionaryOffset } = written;
  fields.int32(1, physicalTypes[type]);
  fields.int32s(2, [runs, plain, ...(dictionaryOffset === undefined ? [] : [dictionaryEncoding])]);
  fields.texts(3, [name]);
  fields.int32(4, written.codec);
  fields.int64(5, rowCount);
  fields.int64(6, written.size);
  fields.int64(7, written.compressedSize);
  fields.int64(9, written.dataOffset);
  if (dictionaryOffset !== undefined) fields.int64(11, dictionaryOffset);
  fields.struct(12, (statistics) => {
    statistics.int64(3, nullCount);
    if (!range) return;
    statistics.binary(5, range.greatest);
    statistics.binary(6, range.least);
  });
  // Readers skip a group by its dictionary only where all its pages use it.
  const pages =
    dictionaryOffset === undefined
      ? [[dataPage, plain]]
      : [
          [dictionaryPage, plain],
          [dataPage, dictionaryEncoding],
        ];
  fields.structs(13, pages, ([type = 0, encoding = 0]) => (page) => {
    page.int32(1, type);
    page.int32(2, encoding);
    page.int32(3, 1);
  });
}
