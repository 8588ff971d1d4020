import { join } from 'node:path';
import type { Column, Row } from '@ploidy/formats';
import type { ConversionTask, ConvertedTable, Sql } from '../../../platform/engine/conversion.ts';
import { literal } from '../../../platform/engine/worker/quote.ts';
import { columnsOf, sortedBy } from '../tables/catalogue.ts';
import { TableFile } from '../tables/table-file.ts';

/** What says which rows are of the same fusion, and in which order they came. */
const internalColumns: readonly Column[] = [
  { name: '_joint', type: 'string', mask: 'none' },
  { name: '_order', type: 'int', mask: 'none' },
];

/** The rows that structural records of a VCF give other tables; a table without rows is not made. */
export class StructuralFiles {
  readonly #task: ConversionTask;
  #copies: TableFile | undefined;
  #fusions: TableFile | undefined;

  constructor(task: ConversionTask) {
    this.#task = task;
  }

  /** Of both tables so far; fusions that two records tell of count twice until the end. */
  get rowCount(): number {
    return (this.#copies?.rowCount ?? 0) + (this.#fusions?.rowCount ?? 0);
  }

  addCopyNumber(row: Row): void {
    this.#copies ??= new TableFile(
      this.#pathOf('copynumber'),
      columnsOf('copynumber'),
      sortedBy['copynumber'] ?? [],
    );
    this.#copies.add({ ...row, copy_number_set_id: this.#task.setId });
  }

  addFusion(row: Row): void {
    this.#fusions ??= new TableFile(
      this.#pathOf('fusion-ends'),
      [...columnsOf('fusion'), ...internalColumns],
      [],
    );
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

  /** Of the rows of one fusion in one sample the first counts; what it does not know the others tell. */
  async #joined(endsPath: string, sql: Sql): Promise<ConvertedTable> {
    const path = this.#pathOf('fusion');
    const columns = columnsOf('fusion').map(({ name }) =>
      name === 'sample_id' ? name : `arg_min(${name}, _order) AS ${name}`,
    );
    const rows = `SELECT ${columns.join(', ')} FROM read_parquet(${literal(endsPath)}) GROUP BY sample_id, _joint
      ORDER BY ${sortedBy['fusion']?.join(', ')}, min(_order)`;
    await sql.run(
      `COPY (${rows}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`,
    );
    return { table: 'fusion', path, rows: await sql.count(`read_parquet(${literal(path)})`) };
  }

  #pathOf(name: string): string {
    return join(this.#task.outputFolder, `${name}.parquet`);
  }
}
