import { join } from 'node:path';
import type { ConvertedTable, Sql } from '@ploidy/engine';
import { literal } from '@ploidy/engine/task-runtime';
import { ParquetFile, type PlacedGroup } from '@ploidy/formats';
import { compressPage } from '../tables/compress-page.ts';
import { DigestedFile } from '../tables/digested-file.ts';
import type { Given, Threads } from '../threads.ts';
import { type FileTable, fileTables, tableOf } from './file-tables.ts';
import type { SourceRows } from './read/read-source.ts';
import { rangesOf } from './rows/ranges.ts';
import { noneRefused, RefusedVersions } from './rows/refused-versions.ts';
import type { GroupOutcome, GroupTask, Task } from './work.ts';

/** Writes the rows of a source into one Parquet file a table, except tables without rows. */
export class TableWriting {
  readonly #threads: Threads<Task>;
  readonly #folder: string;
  readonly #onRows: (rows: number) => void;
  readonly #written: ConvertedTable[] = [];
  #rows = 0;

  constructor(threads: Threads<Task>, folder: string, onRows: (rows: number) => void) {
    this.#threads = threads;
    this.#folder = folder;
    this.#onRows = onRows;
  }

  async write(rows: SourceRows, sql: Sql): Promise<ConvertedTable[]> {
    const [versions, ...others] = fileTables.values();
    const lost = await this.#writeAll(versions ? [versions] : [], rows, noneRefused);
    await this.#writeAll(others, rows, RefusedVersions.of(lost, rows.counts));
    for (const table of this.#written) await checkRows(sql, table);
    return this.#written;
  }

  /** Writes row groups in order, made by all threads. Returns the older versions. */
  async #writeAll(
    written: readonly FileTable[],
    { sections }: SourceRows,
    { bits, before }: RefusedVersions,
  ): Promise<Float64Array[]> {
    const tasks = written.flatMap(({ name }) =>
      rangesOf(sections.filter(({ table }) => table === name)).map(
        (range): Given<GroupTask> => ({
          task: { kind: 'group', table: name, range, refused: { bits, before } },
          moved: [],
        }),
      ),
    );
    const lost: Float64Array[] = [];
    let file: ParquetTable | undefined;
    try {
      for await (const outcome of this.#threads.inOrder<GroupOutcome>(tasks)) {
        if (file?.table.name !== outcome.table) {
          await this.#end(file);
          file = new ParquetTable(outcome.table, this.#folder);
        }
        file.add(outcome);
        lost.push(outcome.lost);
        this.#rows += outcome.encoded.group.rowCount;
        this.#onRows(this.#rows);
      }
      await this.#end(file);
    } finally {
      file?.close();
    }
    return lost;
  }

  async #end(file: ParquetTable | undefined): Promise<void> {
    const made = await file?.end();
    if (made) this.#written.push(made);
  }
}

/** Parquet file of a table, created with its first row. */
class ParquetTable {
  readonly table: FileTable;
  readonly #path: string;
  readonly #parquet: ParquetFile;
  readonly #groups: PlacedGroup[] = [];
  #file: DigestedFile | undefined;

  constructor(name: string, folder: string) {
    this.table = tableOf(name);
    this.#path = join(folder, `${name}.parquet`);
    this.#parquet = new ParquetFile(this.table.columns, compressPage);
  }

  add({ encoded: { bytes, group } }: GroupOutcome): void {
    if (group.rowCount === 0) return;
    if (this.#file === undefined) {
      this.#file = new DigestedFile(this.#path);
      this.#file.write(this.#parquet.begin());
    }
    this.#groups.push(this.#parquet.place(group, bytes.length));
    this.#file.write(bytes);
  }

  /** Ends the file; returns nothing for a table without rows. */
  async end(): Promise<ConvertedTable | undefined> {
    if (this.#file === undefined) return undefined;
    this.#file.write(this.#parquet.end(this.#groups));
    const digest = await this.#file.end();
    const rows = this.#groups.reduce((sum, { rowCount }) => sum + rowCount, 0);
    return { table: this.table.name, path: this.#path, rows, digest };
  }

  close(): void {
    this.#file?.close();
  }
}

/** Checks that the engine finds all written rows. */
async function checkRows(sql: Sql, { path, rows, table }: ConvertedTable): Promise<void> {
  const read = await sql.count(`read_parquet(${literal(path)})`);
  if (read !== rows) throw new Error(`${rows} rows of ${table} were written, ${read} are read`);
}
