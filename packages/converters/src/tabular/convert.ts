import { join } from 'node:path';
import type { ConversionTask, Convert, Reporter } from '@ploidy/engine';
import {
  InputError,
  type RecognisedFile,
  type RecordFault,
  RecordReader,
  type RecordTaker,
  sampleNameOfFile,
  storedTable,
  type TabularType,
  tableOfType,
} from '@ploidy/formats';
import { readSource, requireEnd } from '../decompressed-source.ts';
import { buildOf, onBuild, warnOfBeyond } from '../tables/genome-build.ts';
import { namedSamples, severalSamples, writeSequence } from '../tables/samples.ts';
import { TableFile } from '../tables/table-file.ts';
import { warnIfEmpty } from '../tables/warn-if-empty.ts';
import { openFile } from './open-file.ts';
import { NumberedChromosomes, SpreadsheetNames } from './spreadsheet-names.ts';

/** Converts MAF, copy number, fusions or expression, plain or gzipped, into the table of each and `sequence` (docs/formats/omic.md). */
export const convertTabular: Convert = async (task, sql, report) => {
  await requireEnd(task, report);
  const recognised = await openFile(task, task.type as TabularType);
  const { table } = tableOfType[recognised.format.type];
  const path = join(task.outputFolder, `${table}.parquet`);
  const rows = new TableFile(path, storedTable(table));
  try {
    const samples = samplesBefore(task, recognised);
    const taker = new RowTaker(task, recognised, samples, rows, report);
    const reader = new RecordReader(recognised.delimiter, recognised.linesBefore, taker);
    const onRead = (bytes: number): void => report.progress(bytes, rows.rowCount);
    for await (const chunk of readSource(task.sourcePath, { onRead })) reader.add(chunk);
    reader.end();
    const build = buildOf(task, recognised.file.genomeBuild?.());
    remark(task, recognised, report);
    for (const message of [...taker.names.remarks, ...taker.chromosomes.remarks]) report.warn({ message });
    if (rows.rowCount === 0) warnIfEmpty(taker.recordCount, report);
    await rows.end(sql);
    const sequence = await writeSequence(task, sql, namedSamples(samples.names, task.options, report));
    report.progress(task.sourceSize, rows.rowCount);
    const tables = [{ table, path, rows: rows.rowCount }, sequence];
    await warnOfBeyond(tables, build, sql, report);
    return onBuild(tables, build);
  } finally {
    rows.close();
  }
};

/** Samples known before the first record: the only one, or those of the header. */
function samplesBefore(task: ConversionTask, { file }: RecognisedFile): FileSamples {
  const samples = new FileSamples(task);
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

/** Maps records to rows with their sample and set. */
class RowTaker implements RecordTaker {
  /** Records without the broken ones. */
  recordCount = 0;
  readonly names = new SpreadsheetNames();
  readonly chromosomes = new NumberedChromosomes();
  readonly #task: ConversionTask;
  readonly #recognised: RecognisedFile;
  readonly #samples: FileSamples;
  readonly #rows: TableFile;
  readonly #report: Reporter;
  readonly #setColumn: string;

  constructor(
    task: ConversionTask,
    recognised: RecognisedFile,
    samples: FileSamples,
    rows: TableFile,
    report: Reporter,
  ) {
    this.#task = task;
    this.#recognised = recognised;
    this.#samples = samples;
    this.#rows = rows;
    this.#report = report;
    this.#setColumn = tableOfType[recognised.format.type].setColumn;
  }

  record(fields: string[]): void {
    const { file } = this.#recognised;
    const { setId, options } = this.#task;
    const rows = file.rows(fields);
    this.recordCount += 1;
    // The rows of a record have the same genes and place.
    if (rows[0]) {
      this.names.read(rows[0]);
      this.chromosomes.read(rows[0]);
    }
    for (const row of rows) {
      row['sample_id'] = this.#samples.idOf(row['sample_id'] as string | undefined);
      row[this.#setColumn] = setId;
      row['sequence_type'] ??= options.sequenceType ?? file.sequenceType;
      this.#rows.add(row);
    }
  }

  fault({ message, column, isOfFile }: RecordFault, line: number): void {
    const reason = column === undefined ? message : `column ${column}: ${message}`;
    const what = `not a valid record (${this.#recognised.format.name}): ${reason}`;
    if (isOfFile || this.#task.options.onError !== 'skip')
      throw new InputError(`Line ${line} is ${what}.`, { line, ...(column !== undefined && { column }) });
    this.#report.warn({ line, message: `Skipped, it is ${what}.` });
  }
}

/** The samples that turn up in a file while it is read. */
class FileSamples {
  readonly #task: ConversionTask;
  readonly #names = new Set<string>();

  constructor(task: ConversionTask) {
    this.#task = task;
  }

  /** Names in the file, each once, in their order. */
  get names(): string[] {
    return [...this.#names];
  }

  /** The name in the lake of a sample that the file calls so; without a name, of the only sample that it is of. */
  idOf(name: string | undefined): string {
    const { sampleId } = this.#task.options;
    const known = name ?? sampleId ?? this.#nameOfFile();
    if (!this.#names.has(known)) this.#names.add(known);
    if (sampleId !== undefined && this.#names.size > 1) throw severalSamples('several');
    return sampleId ?? known;
  }

  #nameOfFile(): string {
    const name = sampleNameOfFile(this.#task.sourceName);
    if (name !== undefined) return name;
    throw new InputError('Neither the file nor its name identifies the sample: set sampleId.');
  }
}
