import { rename, rm } from 'node:fs/promises';
import type { Sql } from '@ploidy/engine';
import { literal } from '@ploidy/engine/task-runtime';
import {
  compareGroupKeys,
  type GroupKey,
  ParquetFile,
  type PlacedGroup,
  type Row,
  type StoredTable,
  TableGroup,
  type WrittenValues,
} from '@ploidy/formats';
import { compressPage } from './compress-page.ts';
import { DigestedFile } from './digested-file.ts';

/** Rows of a group: the engine's default. */
const groupRowsMax = 122_880;
/** Bytes of the texts of a group. */
const groupBytesMax = 32 << 20;

/**
 * Writes rows of any table to its Parquet file. A row group is written when it is full, so that memory stays flat; groups are
 * sorted one by one and listed in order.
 */
export class TableFile {
  readonly path: string;
  rowCount = 0;
  readonly #orderBy: readonly string[];
  readonly #group: TableGroup;
  readonly #parquet: ParquetFile;
  readonly #groups: { first: GroupKey; last: GroupKey; written: PlacedGroup }[] = [];
  readonly #file: DigestedFile;

  constructor(path: string, { columns, orderBy }: Pick<StoredTable, 'columns' | 'orderBy'>) {
    this.path = path;
    this.#orderBy = orderBy;
    this.#group = new TableGroup(columns, orderBy);
    this.#parquet = new ParquetFile(columns, compressPage);
    this.#file = new DigestedFile(path);
    this.#file.write(this.#parquet.begin());
  }

  add(row: Row): void {
    this.#group.add(row);
    this.rowCount += 1;
    if (this.#group.rowCount >= groupRowsMax || this.#group.size > groupBytesMax) this.#endGroup();
  }

  /** Ends the file; the engine sorts rows that arrived out of order. */
  async end(sql: Sql): Promise<void> {
    if (this.#group.rowCount > 0) this.#endGroup();
    this.#groups.sort((left, right) => compareGroupKeys(left.first, right.first));
    this.#file.write(this.#parquet.end(this.#groups.map(({ written }) => written)));
    await this.#file.end();
    const { rowCount } = this.#parquet;
    const written = this.#isSorted ? rowCount : await sortRows(sql, this.path, this.#orderBy);
    // A row that is missing in the file is lost.
    if (written !== this.rowCount) throw new Error(`${this.rowCount} rows were mapped, ${written} written`);
  }

  /** Closes the file, also an abandoned one. */
  close(): void {
    this.#file.close();
  }

  /** Values of its columns. */
  get values(): WrittenValues {
    return this.#parquet.values;
  }

  get #isSorted(): boolean {
    return this.#groups.every(({ first }, place) => {
      const before = this.#groups[place - 1];
      return before === undefined || compareGroupKeys(before.last, first) <= 0;
    });
  }

  #endGroup(): void {
    const { columns, first, last } = this.#group.sorted();
    const { bytes, group: written } = this.#parquet.group(columns);
    this.#groups.push({ first, last, written });
    this.#file.write(bytes);
    this.#group.clear();
  }
}

/**
 * Sorts a Parquet file in its place, with one thread: two hold twice the rows in memory and spend half as much again on
 * spilling. `isStable`: rows with the same key keep their order. Returns the number of written rows.
 */
export async function sortRows(
  sql: Sql,
  path: string,
  orderBy: readonly string[],
  { isStable = false } = {},
): Promise<number> {
  const unsortedPath = `${path}.unsorted`;
  await rename(path, unsortedPath);
  const file = literal(unsortedPath);
  const rows = isStable
    ? `SELECT * EXCLUDE (file_row_number) FROM read_parquet(${file}, file_row_number = true) ORDER BY ${orderBy.join(', ')}, file_row_number`
    : `SELECT * FROM read_parquet(${file}) ORDER BY ${orderBy.join(', ')}`;
  await sql.run('SET threads = 1');
  const written = await sql.run(
    `COPY (${rows}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`,
  );
  await rm(unsortedPath);
  return written;
}
