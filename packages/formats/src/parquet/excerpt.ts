import { type CompactFields, CompactReader, type CompactValue, NoParquet } from './compact-reader.ts';
import { footerBytes, parquetTailBytes } from './footer.ts';

/** Ends of the values of a column in a row group, as its footer has them: texts and whole numbers. Absent: not known. */
export interface ColumnEnds {
  least: Buffer;
  greatest: Buffer;
}

/** Returns the ends of a column of a row group. */
type EndsOf = (column: string) => ColumnEnds | undefined;

/** Part of a Parquet file with some of its row groups, which stay where they are. Readers need no bytes before these. */
export interface Excerpt {
  /** Bytes to keep, `[start, end)`. */
  ranges: Range[];
  /** Place of the footer, and its bytes up to the end of the file. */
  footer: { start: number; bytes: Buffer };
}

const magic = Buffer.from('PAR1');

/** Ids of fields (parquet-format, `parquet.thrift`). */
const file = { rows: 3, rowGroups: 4 } as const;
const group = { columns: 1, rows: 3 } as const;
const chunk = { metadata: 3, offsetIndex: 4, offsetLength: 5, columnIndex: 6, columnLength: 7 } as const;
const column = {
  path: 3,
  compressedSize: 7,
  dataAt: 9,
  indexAt: 10,
  dictionaryAt: 11,
  statistics: 12,
} as const;
const bloom = { at: 14, length: 15 } as const;
const statistics = { greatest: 5, least: 6 } as const;

/**
 * Chooses row groups of a Parquet file by its end. `size`: bytes of the file; `tail`: its last bytes. Returns the number of last
 * bytes that it needs, where `tail` is too short.
 */
export function excerptOf(size: number, tail: Buffer, keeps: (endsOf: EndsOf) => boolean): Excerpt | number {
  const length = footerBytes(tail, size) + parquetTailBytes;
  if (length > tail.length) return length;
  const footer = tail.subarray(tail.length - length, tail.length - parquetTailBytes);
  const { rows, groups } = placesIn(footer);
  const kept = groupsIn(footer, groups.start).filter(({ fields }) => {
    const columns = columnsOf(fields);
    return keeps((name) => endsIn(columns, name));
  });
  const rowCount = kept.reduce((sum, { fields }) => sum + numberAt(fields, group.rows), 0);
  const written = Buffer.concat([
    footer.subarray(0, rows.start),
    varint(rowCount * 2),
    footer.subarray(rows.end, groups.start),
    listHead(kept.length),
    ...kept.map(({ start, end }) => footer.subarray(start, end)),
    footer.subarray(groups.end),
  ]);
  const trailer = Buffer.alloc(4);
  trailer.writeUInt32LE(written.length);
  return {
    ranges: kept.flatMap(({ fields }) => rangesOf(fields)),
    footer: { start: size - length, bytes: Buffer.concat([written, trailer, magic]) },
  };
}

type Range = { start: number; end: number };

/** Returns the places of the values that change. */
function placesIn(footer: Buffer): { rows: Range; groups: Range } {
  const reader = new CompactReader(footer);
  const places = new Map<number, Range>();
  for (const { id, type } of reader.fields()) {
    const start = reader.at;
    reader.value(type);
    places.set(id, { start, end: reader.at });
  }
  const [rows, groups] = [places.get(file.rows), places.get(file.rowGroups)];
  if (!rows || !groups) throw new NoParquet('its footer lacks row groups');
  return { rows, groups };
}

function groupsIn(footer: Buffer, at: number): (Range & { fields: CompactFields })[] {
  const reader = new CompactReader(footer, at);
  const { length } = reader.listHead();
  return Array.from({ length }, () => {
    const start = reader.at;
    const fields = reader.struct();
    return { start, end: reader.at, fields };
  });
}

const columnsOf = (fields: CompactFields): CompactFields[] => fields.get(group.columns) as CompactFields[];

const metadataOf = (one: CompactFields): CompactFields => one.get(chunk.metadata) as CompactFields;

const numberAt = (fields: CompactFields, id: number): number => Number(fields.get(id));

function endsIn(columns: readonly CompactFields[], name: string): ColumnEnds | undefined {
  const isNamed = (one: CompactFields): boolean => {
    const path = metadataOf(one).get(column.path) as Buffer[];
    return path.length === 1 && String(path[0]) === name;
  };
  const found = columns.find(isNamed);
  const known = found && (metadataOf(found).get(column.statistics) as CompactFields | undefined);
  const [least, greatest] = [statistics.least, statistics.greatest].map((id) => known?.get(id));
  return Buffer.isBuffer(least) && Buffer.isBuffer(greatest) ? { least, greatest } : undefined;
}

/** Lists the bytes that the metadata of a row group point to. */
function rangesOf(fields: CompactFields): Range[] {
  return columnsOf(fields).flatMap((one) => {
    const metadata = metadataOf(one);
    const pages = [column.dataAt, column.indexAt, column.dictionaryAt].flatMap(
      (id) => metadata.get(id) ?? [],
    );
    // Readers before 2018 wrote 0 for no dictionary.
    const start = Math.min(...pages.map(Number).filter((at) => at > 0));
    const range = { start, end: start + numberAt(metadata, column.compressedSize) };
    return [
      range,
      ...extent(metadata.get(bloom.at), metadata.get(bloom.length)),
      ...extent(one.get(chunk.offsetIndex), one.get(chunk.offsetLength)),
      ...extent(one.get(chunk.columnIndex), one.get(chunk.columnLength)),
    ];
  });
}

function extent(at: CompactValue | undefined, length: CompactValue | undefined): Range[] {
  if (at === undefined) return [];
  if (length === undefined) throw new NoParquet('its footer states no length of an index');
  return [{ start: Number(at), end: Number(at) + Number(length) }];
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

/** Head of a list of structs. */
const listHead = (length: number): Buffer =>
  length < 15 ? Buffer.of((length << 4) | 12) : Buffer.concat([Buffer.of(0xfc), varint(length)]);
