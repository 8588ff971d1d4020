import { join } from 'node:path';
import type { ConversionTask, Convert, ConvertedTable, Reporter, Sql } from '@ploidy/engine';
import {
  faultOfNames,
  type GenomeBuild,
  InputError,
  type RecognisedFile,
  type RecordFault,
  RecordReader,
  type RecordTaker,
  type StoredTable,
  sampleNameOfFile,
  storedTable,
  type TabularType,
  tableOfType,
} from '@ploidy/formats';
import { readSource, requireEnd } from '../decompressed-source.ts';
import { driverFile, studyTables } from '../tables/alterations.ts';
import { buildOf, onBuild, warnOfBeyond } from '../tables/genome-build.ts';
import { RowChecks } from '../tables/row-checks.ts';
import { RowValues } from '../tables/row-values.ts';
import { namedSamples, severalSamples, writeSequence } from '../tables/samples.ts';
import { checkUnits, refuseManyNames, repeatsIn, withoutColumns } from '../tables/table-checks.ts';
import { TableFile } from '../tables/table-file.ts';
import { warnIfEmpty } from '../tables/warn-if-empty.ts';
import { ColumnAccount } from './column-account.ts';
import { openFile } from './open-file.ts';

/** Converts MAF, copy number, fusions or expression, plain or gzipped, into the table of each and `sequence` (docs/formats/omic.md). */
export const convertTabular: Convert = async (task, sql, report) => {
  const { tables, names, build } = await readTabular(task, sql, report);
  const named = namedSamples(names, task.options, report);
  const sequence = await writeSequence(task, sql, named);
  const study = await studyTables(task, sql, tables, { samples: named.ids });
  const made = [...tables.filter(({ table }) => table !== driverFile), sequence, ...study];
  await warnOfBeyond(made, build, sql, report);
  return onBuild(made, build);
};

/** Rows of a file, before its samples are named. */
interface TabularRows {
  tables: ConvertedTable[];
  /** Samples, as the file names them. */
  names: string[];
  build: GenomeBuild | undefined;
}

/** Reads a file into the tables of its type, with the judgements of its mutations in an internal one. */
export async function readTabular(task: ConversionTask, sql: Sql, report: Reporter): Promise<TabularRows> {
  await requireEnd(task, report);
  const recognised = await openFile(task, task.type as TabularType);
  const { file, format } = recognised;
  const names = [
    tableOfType[format.type].table,
    ...(file.hasCalls && task.options.variantCalls !== false ? ['variant_call'] : []),
    ...(file.hasDrivers ? [driverFile] : []),
  ];
  const files = names.map((name) => {
    const { columns, orderBy } = name === driverFile ? drivers : storedTable(name);
    return new TableFile(join(task.outputFolder, `${name}.parquet`), { columns, orderBy });
  });
  try {
    const samples = samplesBefore(task, recognised);
    const taker = new RowTaker(task, recognised, samples, files, report);
    const reader = new RecordReader(recognised.delimiter, recognised.linesBefore, taker);
    const rowCount = (): number => files[0]?.rowCount ?? 0;
    const onRead = (bytes: number): void => report.progress(bytes, rowCount());
    for await (const chunk of readSource(task.sourcePath, { onRead })) reader.add(chunk);
    reader.end();
    const { genes, chromosomes } = taker.checks;
    const columns = file.samples && recognised.header?.names;
    const fault = faultOfNames({ samples: samples.names, genes, chromosomes, columns }) ?? taker.checks.fault;
    if (fault !== undefined) throw new InputError(fault);
    const build = buildOf(task, file.genomeBuild?.());
    remark(task, recognised, report);
    if (samples.isGuess) report.warn({ message: guessedSample });
    for (const message of [...taker.checks.remarks, ...taker.values.remarks, ...taker.columns.remarks])
      report.warn({ message });
    if (rowCount() === 0) warnIfEmpty(taker.recordCount, report);
    const tables: ConvertedTable[] = [];
    for (const [place, name] of names.entries()) {
      const made = files[place] as TableFile;
      await made.end(sql);
      tables.push({ table: name, path: made.path, rows: made.rowCount });
    }
    for (const message of await checked(recognised, taker, sql, tables)) report.warn({ message });
    report.progress(task.sourceSize, rowCount());
    report.account(taker.columns.account(taker.recordCount));
    return { tables, names: samples.names, build };
  } finally {
    for (const one of files) one.close();
  }
}

const guessedSample =
  'The file names no sample, so sample_id is the name of the file without known endings, with a dot in it. If the sample has another name, remove the file and set sampleId.';

/** Judgements of mutations, which become a column of `alteration`. */
const drivers: Pick<StoredTable, 'columns' | 'orderBy'> = {
  columns: ['variant_id', 'sample_id', 'driver'].map((name) => ({ name, type: 'string', about: '' })),
  orderBy: [],
};

async function checked(
  { file, format }: RecognisedFile,
  { columns }: RowTaker,
  sql: Sql,
  tables: readonly ConvertedTable[],
): Promise<string[]> {
  const { table } = tableOfType[format.type];
  const pathOf = (name: string): string | undefined => tables.find((made) => made.table === name)?.path;
  const path = pathOf(table) ?? '';
  const advice = file.isOneSample ? columns.adviceOfSamples : '';
  const remarks = await repeatsIn(sql, table, path, { advice, areSegments: format.type === 'copynumber' });
  for (const doubt of file.doubts?.() ?? []) {
    const { table: doubted = table, columns: names } = doubt;
    const doubtedPath = pathOf(doubted);
    if (doubtedPath !== undefined) await withoutColumns(sql, doubted, doubtedPath, names);
    remarks.push(doubt.message);
  }
  const isGuess = file.isGuess?.() ?? false;
  if (format.type !== 'expression') return remarks;
  await refuseManyNames(sql, path);
  return [...remarks, ...(await checkUnits(sql, path, isGuess))];
}

/** Samples known before the first record: the only one, or those of the header. */
function samplesBefore(task: ConversionTask, { file, format }: RecognisedFile): FileSamples {
  const samples = new FileSamples(task, format.name);
  if (file.isOneSample) samples.idOf(undefined);
  const names = file.samples ?? [];
  // The names are not repeated here: they may identify people.
  if (new Set(names).size < names.length)
    throw new InputError('Two samples have the same name.', { line: 1 });
  for (const name of names) samples.idOf(name);
  return samples;
}

function remark(task: ConversionTask, { file, format }: RecognisedFile, report: Reporter): void {
  for (const message of file.remarks?.() ?? []) report.warn({ message });
  if (task.options.passOnly && !file.hasFilter)
    report.warn({
      message: `passOnly was ignored: this file (${format.name}) does not say which records passed.`,
    });
}

/** Records → rows with their sample and set. */
class RowTaker implements RecordTaker {
  /** Records, including those that are left out. */
  recordCount = 0;
  readonly checks = new RowChecks();
  readonly values = new RowValues();
  readonly columns: ColumnAccount;
  readonly #task: ConversionTask;
  readonly #recognised: RecognisedFile;
  readonly #samples: FileSamples;
  readonly #files: readonly TableFile[];
  readonly #report: Reporter;
  readonly #setColumn: string;

  constructor(
    task: ConversionTask,
    recognised: RecognisedFile,
    samples: FileSamples,
    files: readonly TableFile[],
    report: Reporter,
  ) {
    this.#task = task;
    this.#recognised = recognised;
    this.#samples = samples;
    this.#files = files;
    this.#report = report;
    this.#setColumn = tableOfType[recognised.format.type].setColumn;
    this.columns = new ColumnAccount(recognised);
  }

  record(fields: string[], line: number): void {
    const { file, header } = this.#recognised;
    const { setId, options } = this.#task;
    if (header?.isRepeatedBy(fields)) this.#endAt(line);
    const rows = file.rows(fields);
    this.recordCount += 1;
    this.columns.record(fields, rows.length > 0, line);
    // The rows of a record are of the same genes, at the same place.
    if (rows[0]) this.checks.read(rows[0], fields);
    for (const row of rows) {
      this.values.keep(row);
      row['sample_id'] = this.#samples.idOf(row['sample_id'] as string | undefined);
      row[this.#setColumn] = setId;
      row['sequence_type'] ??= options.sequenceType ?? file.sequenceType;
      for (const one of this.#files) one.add(row);
    }
  }

  fault({ message, column, isOfFile }: RecordFault, line: number): void {
    const reason = column === undefined ? message : `column ${column}: ${message}`;
    const what = `not a valid record (${this.#recognised.format.name}): ${reason}`;
    if (isOfFile || this.#task.options.onError !== 'skip')
      throw new InputError(`Line ${line} is ${what}.`, { line, ...(column !== undefined && { column }) });
    this.recordCount += 1;
    this.columns.book.leave(`broken: ${message}`, 1, line);
    this.#report.warn({ line, message: `Skipped, it is ${what}.` });
  }

  #endAt(line: number): never {
    throw new InputError(
      `Line ${line} is a second header: files were put behind each other, perhaps with other columns or samples. Ingest them one by one.`,
      { line },
    );
  }
}

/** The samples that turn up in a file while it is read. */
class FileSamples {
  readonly #task: ConversionTask;
  readonly #program: string;
  readonly #names = new Set<string>();
  /** True if the sample has the name of the file, with a dot in it: perhaps an ending that is none of its name. */
  isGuess = false;

  constructor(task: ConversionTask, program: string) {
    this.#task = task;
    this.#program = program;
  }

  /** Names in the file, each once, in their order. */
  get names(): string[] {
    return [...this.#names];
  }

  /** The name in the lake of a sample that the file calls so; without a name, of the only sample that it is of. */
  idOf(name: string | undefined): string {
    const { sampleId, sampleIds } = this.#task.options;
    const known = name ?? sampleId ?? this.#nameOfFile();
    if (!this.#names.has(known)) this.#names.add(known);
    if (sampleId !== undefined && this.#names.size > 1) throw severalSamples('several');
    return sampleId ?? sampleIds?.[known] ?? known;
  }

  #nameOfFile(): string {
    const name = sampleNameOfFile(this.#task.sourceName, this.#program);
    this.isGuess = name?.includes('.') === true;
    if (name !== undefined) return name;
    throw new InputError('Neither the file nor its name identifies the sample: set sampleId.');
  }
}
