import { join } from 'node:path';
import type { Convert, ConvertedTable, Reporter } from '@ploidy/engine';
import {
  type Account,
  AccountBook,
  absentWords,
  ColumnSniffer,
  faultOfOwnName,
  foreignFormat,
  InputError,
  KeyNotes,
  keyColumns,
  type OwnColumn,
  type OwnTableRequest,
  ownTable,
  planColumns,
  type RecordFault,
  type Row,
  settleColumn,
  tableNameOfFile,
  typedValue,
} from '@ploidy/formats';
import { readSource, requireEnd } from '../decompressed-source.ts';
import { TableFile } from '../tables/table-file.ts';
import { refuseLoneReturns } from '../tabular/open-file.ts';
import { DelimitedSource } from './delimited-source.ts';
import { NdjsonSource } from './ndjson-source.ts';
import { isParquet, writeParquetTable } from './parquet-table.ts';
import type { RowSource, RowTaker } from './row-source.ts';

/** Converts CSV, TSV, NDJSON or Parquet into a table of the project's own (docs/formats/tables.md). */
export const convertOwnTable: Convert = async (task, sql, report) => {
  const request = task.options.table ?? {};
  const name = nameOf(request, task.sourceName);
  const path = join(task.outputFolder, `${name}.parquet`);
  const table = (await isParquet(task.sourcePath))
    ? await writeParquetTable({ sql, sourcePath: task.sourcePath, path, request, report })
    : await writeRows();
  if (table.rows === 0) report.warn({ message: 'The file has no rows, so the table is not listed.' });
  if (!keyColumns.some((key) => table.columns.some((column) => column.name === key)))
    report.warn({
      message:
        'The table has neither patient_id nor sample_id: users who may read only some patients do not see it. Name the column in table.patientColumn or table.sampleColumn.',
    });
  report.progress(task.sourceSize, table.rows);
  return [{ table: name, path, rows: table.rows, ownColumns: table.columns } satisfies ConvertedTable];

  async function writeRows(): Promise<{ rows: number; columns: OwnColumn[] }> {
    await requireEnd(task, report);
    const source = await openRows(task.sourcePath);
    const reading = new Reading(source, request, task.options.onError === 'skip' ? report : undefined);
    const half = (bytes: number): number => Math.floor(bytes / 2);
    await reading.sniff((bytes) => report.progress(half(bytes), 0));
    const columns = reading.columns(report);
    const rows = new TableFile(path, ownTable(name, columns));
    try {
      await reading.write(columns, rows, (bytes) =>
        report.progress(half(task.sourceSize + bytes), rows.rowCount),
      );
      await rows.end(sql);
    } finally {
      rows.close();
    }
    reading.remark(report);
    report.account(reading.account(columns, rows.rowCount));
    return { rows: rows.rowCount, columns };
  }
};

function nameOf({ name }: OwnTableRequest, fileName: string): string {
  if (name !== undefined) {
    const fault = faultOfOwnName(name);
    if (fault !== undefined) throw new InputError(`The name of the table ${fault} (table.name).`);
    return name;
  }
  const derived = tableNameOfFile(fileName);
  // The name is not repeated: callers may see the outcome of an ingestion without access to its file.
  if (faultOfOwnName(derived) !== undefined)
    throw new InputError('No table name can be derived from the file name: set table.name.');
  return derived;
}

/** Reads a source twice: first for the types, then for the rows. */
class Reading {
  readonly #source: RowSource;
  readonly #request: OwnTableRequest;
  readonly #nulls: ReadonlySet<string>;
  /** Set if broken lines are left out. */
  readonly #skips: Reporter | undefined;
  readonly #sniffers: ColumnSniffer[] = [];
  #empty = { count: 0, line: 0 };
  #withoutKey = { count: 0, line: 0 };
  #broken = { count: 0, line: 0 };
  readonly #keyNotes = new KeyNotes();

  constructor(source: RowSource, request: OwnTableRequest, skips: Reporter | undefined) {
    this.#source = source;
    this.#request = request;
    this.#nulls = new Set(request.nulls);
    this.#skips = skips;
  }

  async sniff(onRead: (bytes: number) => void): Promise<void> {
    const taker: RowTaker = {
      row: (cells, line) => {
        for (const [place, cell] of cells.entries()) {
          if (!this.#isValue(cell)) continue;
          this.#sniffers[place] ??= new ColumnSniffer();
          this.#sniffers[place].add(cell, line);
        }
      },
      fault: (fault, line) => this.#fault(fault, line, true),
    };
    await this.#source.read(taker, onRead);
  }

  /** Decides the columns; warns of those that remain text although they look otherwise. */
  columns(report: Reporter): OwnColumn[] {
    const { titles, textColumns } = this.#source;
    return planColumns(titles, this.#request).map((planned, place) => {
      const isText = planned.type !== undefined || textColumns.has(place);
      const { type, advice } = (!isText && this.#sniffers[place]?.result()) || { type: 'string' as const };
      if (advice)
        report.warn({ line: advice.line, message: `The column ${planned.name} ${advice.message}.` });
      return settleColumn(planned, type);
    });
  }

  async write(columns: OwnColumn[], rows: TableFile, onRead: (bytes: number) => void): Promise<void> {
    const keys = columns.flatMap(({ name }, place) =>
      keyColumns.some((key) => key === name) ? [place] : [],
    );
    // A patient called NA would have all rows without a patient.
    const isId = (cell: string | undefined): cell is string => this.#isValue(cell) && !absentWords.has(cell);
    const faultAt = (place: number) => (reason: string) => new FaultOfValue(reason, place + 1);
    const taker: RowTaker = {
      row: (cells, line) => {
        if (!cells.some((cell) => this.#isValue(cell))) return count(this.#empty, line);
        const row: Row = {};
        try {
          for (const [place, { name, type }] of columns.entries()) {
            const cell = cells[place];
            if (keys.includes(place) ? isId(cell) : this.#isValue(cell))
              row[name] = typedValue(type, cell as string, faultAt(place));
          }
        } catch (error) {
          if (!(error instanceof FaultOfValue)) throw error;
          return this.#fault(error, line, true);
        }
        if (keys.length > 0 && !keys.some((place) => isId(cells[place]))) count(this.#withoutKey, line);
        for (const place of keys) this.#keyNotes.add(columns[place]?.name ?? '', cells[place] ?? '', line);
        rows.add(row);
      },
      fault: (fault, line) => this.#fault(fault, line, false),
    };
    await this.#source.read(taker, onRead);
  }

  /** Accounts for the lines and columns: every column is read. */
  account(columns: readonly OwnColumn[], rowCount: number): Account {
    const book = new AccountBook();
    book.gave(rowCount);
    book.leave('lines without a value', this.#empty.count, this.#empty.line);
    book.leave('broken lines (onError skip)', this.#broken.count, this.#broken.line);
    for (const { name } of columns) book.name('read', name, rowCount);
    return book.account(rowCount + this.#empty.count + this.#broken.count);
  }

  /** Warns of lines without values, and of rows without a key or with one that looks changed. */
  remark(report: Reporter): void {
    const { count, line } = this.#empty;
    if (count > 0) report.warn({ line, message: `Lines without a value were left out: ${count}.` });
    for (const warning of this.#keyNotes.warnings) report.warn(warning);
    const missing = this.#withoutKey;
    if (missing.count > 0)
      report.warn({
        line: missing.line,
        message: `Rows without a patient and a sample: ${missing.count}. Users who may read only some patients do not see them.`,
      });
  }

  #isValue(cell: string | undefined): cell is string {
    return cell !== undefined && !this.#nulls.has(cell);
  }

  /** `isNew`: false in the second reading of a line that was reported in the first. */
  #fault(
    { message, column, isOfFile = false }: Pick<RecordFault, 'message' | 'column'> & Partial<RecordFault>,
    line: number,
    isNew: boolean,
  ): void {
    const reason = column === undefined ? message : `column ${column}: ${message}`;
    if (!this.#skips || isOfFile)
      throw new InputError(`Line ${line} cannot be read: ${reason}.${remedyOf(message)}`, {
        line,
        ...(column !== undefined && { column }),
      });
    if (isNew) count(this.#broken, line);
    if (isNew) this.#skips.warn({ line, message: `Skipped, it cannot be read: ${reason}.` });
  }
}

/** Creates the fault for a value that is not of the type that the request declares for its column. */
class FaultOfValue extends Error {
  readonly column: number;

  constructor(reason: string, column: number) {
    super(reason);
    this.column = column;
  }
}

function count(seen: { count: number; line: number }, line: number): void {
  if (seen.count === 0) seen.line = line;
  seen.count += 1;
}

const remedies: readonly [RegExp, string][] = [
  [/UTF-8/, ' Save the file as UTF-8.'],
  [/columns, but/, ' Quote values that contain the separator, or leave such lines out with onError skip.'],
  [/repeats the titles/, ' Remove the line, or leave such lines out with onError skip.'],
  [/key is repeated/, ' Rename one of them.'],
  [/needed/, ' Correct it, add its word to table.nulls, or choose another type.'],
];

const remedyOf = (message: string): string => remedies.find(([pattern]) => pattern.test(message))?.[1] ?? '';

/** Bytes in which the titles and the comments above them are looked for. */
const headBytes = 1 << 20;

/** Opens a text file of records by its beginning. Rejects with `InputError` for one of another kind. */
async function openRows(path: string): Promise<RowSource> {
  const bytes = await headOf(path);
  const advice = foreignFormat(bytes);
  if (advice !== undefined) throw new InputError(advice);
  if (['fffe', 'feff'].includes(bytes.subarray(0, 2).toString('hex')))
    throw new InputError('The file is UTF-16: save it as UTF-8.');
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  const [first] = text.trimStart();
  if (first === undefined) throw new InputError('The file is empty: there is nothing to ingest.');
  if (first === '[')
    throw new InputError('The file is a JSON list: write one object per line (jq -c ".[]").', { line: 1 });
  refuseLoneReturns(text);
  return first === '{' ? new NdjsonSource(path) : new DelimitedSource(path, text);
}

async function headOf(path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of readSource(path, { chunkBytes: headBytes })) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= headBytes) break;
  }
  return Buffer.concat(chunks);
}
