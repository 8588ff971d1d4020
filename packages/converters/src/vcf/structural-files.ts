import { join } from 'node:path';
import type { ConversionTask, ConvertedTable, Sql } from '@ploidy/engine';
import { literal } from '@ploidy/engine/task-runtime';
import { type Row, type StoredColumn, storedTable } from '@ploidy/formats';
import { TableFile } from '../tables/table-file.ts';

/** Columns that identify the fusion of a row, and its order in the source. */
const internalColumns: readonly StoredColumn[] = [
  { name: '_joint', type: 'string', about: 'Fusion that the row is about.' },
  { name: '_order', type: 'int', about: 'Index of the row in the source.' },
];

/** Rows that structural records of a VCF have in other tables; a table without rows is not written. */
export class StructuralFiles {
  readonly #task: ConversionTask;
  #copies: TableFile | undefined;
  #fusions: TableFile | undefined;

  constructor(task: ConversionTask) {
    this.#task = task;
  }

  /** Rows of both tables so far; fusions of two records count twice until the end. */
  get rowCount(): number {
    return (this.#copies?.rowCount ?? 0) + (this.#fusions?.rowCount ?? 0);
  }

  addCopyNumber(row: Row): void {
    this.#copies ??= new TableFile(this.#pathOf('copynumber'), storedTable('copynumber'));
    this.#copies.add({ ...row, copy_number_set_id: this.#task.setId });
  }

  addFusion(row: Row): void {
    this.#fusions ??= new TableFile(this.#pathOf('fusion-ends'), {
      columns: [...storedTable('fusion').columns, ...internalColumns],
      orderBy: [],
    });
    this.#fusions.add({
      ...row,
      sequence_type: this.#task.options.sequenceType,
      fusion_set_id: this.#task.setId,
      _order: this.#fusions.rowCount,
    });
  }

  async end(sql: Sql): Promise<ConvertedTable[]> {
    const tables: ConvertedTable[] = [];
    if (this.#copies) {
      await this.#copies.end(sql);
      tables.push({ table: 'copynumber', path: this.#copies.path, rows: this.#copies.rowCount });
    }
    if (this.#fusions) {
      await this.#fusions.end(sql);
      tables.push(await this.#joined(this.#fusions.path, sql));
    }
    return tables;
  }

  close(): void {
    this.#copies?.close();
    this.#fusions?.close();
  }

  /** Merges the rows of one fusion in one sample: the first row counts, others fill its gaps. */
  async #joined(endsPath: string, sql: Sql): Promise<ConvertedTable> {
    const path = this.#pathOf('fusion');
    const { columns, orderBy } = storedTable('fusion');
    const merged = columns.map(({ name }) =>
      name === 'sample_id' ? name : `arg_min(${name}, _order) AS ${name}`,
    );
    const rows = `SELECT ${merged.join(', ')} FROM read_parquet(${literal(endsPath)}) GROUP BY sample_id, _joint
      ORDER BY ${orderBy.join(', ')}, min(_order)`;
    await sql.run(
      `COPY (${rows}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`,
    );
    return { table: 'fusion', path, rows: await sql.count(`read_parquet(${literal(path)})`) };
  }

  #pathOf(name: string): string {
    return join(this.#task.outputFolder, `${name}.parquet`);
  }
}
