import { CompactReader, NoParquet } from './compact-reader.ts';

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
  for (const { id, type } of reader.fields()) {
    const value = reader.value(type);
    if (id === 3 && typeof value === 'number') return value;
  }
  throw new NoParquet('its footer does not state the number of rows');
}
