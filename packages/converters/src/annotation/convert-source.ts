import { join } from 'node:path';
import type { ConversionTask, ConvertedTable, Reporter, Sql } from '@ploidy/engine';
import {
  AccountBook,
  annotation,
  annotationValue,
  type Delimiter,
  type GenomeBuild,
  InputError,
  type LeftOut,
  listedReader,
  type RecordFault,
  RecordReader,
  type Release,
  rowBuildOf,
  type SourceKind,
  type SourceReader,
  type SourceRows,
  sourceReader,
  type VcfKind,
} from '@ploidy/formats';
import { readSource } from '../decompressed-source.ts';
import { buildOf, onBuild, warnOfBeyond, warnOfContradiction } from '../tables/genome-build.ts';
import { TableFile } from '../tables/table-file.ts';
import type { Beginning } from '../vcf/beginning.ts';
import { leaveOutRepeated } from '../vcf/convert-annotation.ts';
import { readVcfText } from '../vcf/vcf-text.ts';
import type { OpenedTable } from './open-source.ts';

/** Converts a table or list. */
export async function convertTable(
  layout: OpenedTable,
  release: Release,
  task: ConversionTask,
  sql: Sql,
  report: Reporter,
): Promise<ConvertedTable[]> {
  const build = buildOf(task, rowBuildOf(layout, task.options.genomeBuild));
  const reader = sourceReader(layout, build, release.source);
  const text = (onRead: (bytes: number) => void) => readSource(task.sourcePath, { onRead });
  const { delimiter, linesBefore, header } = layout;
  const { kind } = layout;
  const matchedBy = kind.form === 'table' ? { matchedBy: kind.matchedBy } : {};
  return new SourceTables({ task, sql, report, release, build, ...matchedBy }).read({
    ...{ reader, delimiter, linesBefore, text },
    columns: header.names,
  });
}

/** Converts a VCF whose values are lists in a key of INFO. */
export async function convertListed(
  {
    beginning,
    listed,
    release,
  }: { beginning: Beginning; listed: NonNullable<VcfKind['listed']>; release: Release },
  task: ConversionTask,
  sql: Sql,
  report: Reporter,
): Promise<ConvertedTable[]> {
  const build = buildOf(task, beginning.header.genomeBuild);
  warnOfContradiction(beginning.headerLines, build, report);
  const text = (onRead: (bytes: number) => void) => readVcfText(task.sourcePath, { onRead });
  return new SourceTables({ task, sql, report, release, build }).read({
    ...{ reader: listedReader(listed), delimiter: '\t', linesBefore: beginning.header.lineCount, text },
    columns: [`INFO/${listed.key}`],
  });
}

interface Reading {
  reader: SourceReader;
  delimiter: Delimiter;
  linesBefore: number;
  columns: readonly string[];
  text(onRead: (bytes: number) => void): AsyncIterable<Uint8Array>;
}

interface Destination {
  task: ConversionTask;
  sql: Sql;
  report: Reporter;
  release: Release;
  build: GenomeBuild | undefined;
  /** Set for a table, whose rows may repeat values of a gene. */
  matchedBy?: SourceKind['matchedBy'];
}

const reasons: Readonly<Record<LeftOut, string>> = {
  otherBuild: 'positions on another genome build',
  noKey: 'no allele, region or gene that could be matched',
  noValue: 'no value',
  without: 'evidence that is not accepted, or does not support its conclusion',
};

/** Rows of a source in their files: alleles that fill columns of `variant`, and values. */
class SourceTables {
  readonly #to: Destination;
  readonly #alleles: TableFile;
  readonly #values: TableFile;
  readonly #book = new AccountBook();
  #records = 0;
  #otherBuild = 0;
  /** Values of genes so far, for a table that repeats them: a file of OncoKB has a row for each sample. */
  readonly #known = new Set<string>();

  constructor(to: Destination) {
    this.#to = to;
    const at = (table: string): string => join(to.task.outputFolder, `${table}.parquet`);
    this.#alleles = new TableFile(at(annotation.name), {
      ...annotation,
      orderBy: ['chromosome', 'position'],
    });
    this.#values = new TableFile(at(annotationValue.name), annotationValue);
  }

  async read(reading: Reading): Promise<ConvertedTable[]> {
    const { report, sql, task, build } = this.#to;
    try {
      await this.#readRecords(reading);
      await this.#alleles.end(sql);
      await this.#values.end(sql);
    } finally {
      this.#alleles.close();
      this.#values.close();
    }
    if (this.#otherBuild > 0)
      report.warn({
        message: `${this.#otherBuild} records are on another genome build than ${build ?? 'that of the file'}: ingest a copy of the file with that genomeBuild to use them.`,
      });
    const repeated = this.#alleles.rowCount > 0 ? await leaveOutRepeated(task, sql, this.#alleles.path) : 0;
    if (repeated > 0)
      report.warn({
        message: `${repeated} records repeat the allele of an earlier record: the first one is used.`,
      });
    for (const name of reading.columns) this.#book.name('read', name, this.#records);
    report.account(this.#book.account(this.#records));
    const tables = [
      { table: annotation.name, path: this.#alleles.path, rows: this.#alleles.rowCount - repeated },
      { table: annotationValue.name, path: this.#values.path, rows: this.#values.rowCount },
    ].filter(({ rows }) => rows > 0);
    report.progress(task.sourceSize, this.#values.rowCount);
    await warnOfBeyond(tables, build, sql, report);
    return onBuild(tables, build);
  }

  async #readRecords({ reader, delimiter, linesBefore, text }: Reading): Promise<void> {
    const { report } = this.#to;
    const records = new RecordReader(delimiter, linesBefore, {
      record: (fields, line) => {
        if (fields[0]?.startsWith('#')) return;
        this.#records += 1;
        this.#add(reader(fields), line);
      },
      fault: (fault, line) => this.#fault(fault, line),
    });
    let read = 0;
    for await (const chunk of text((bytes) => {
      read = bytes;
    })) {
      records.add(chunk);
      report.progress(read, this.#values.rowCount);
    }
    records.end();
  }

  #add(rows: ReturnType<SourceReader>, line: number): void {
    if (typeof rows === 'string') {
      if (rows === 'otherBuild') this.#otherBuild += 1;
      this.#book.leave(reasons[rows], 1, line);
      return;
    }
    const { release, task } = this.#to;
    this.#book.gave();
    if (rows.allele) this.#alleles.add(rows.allele);
    for (const row of rows.values.filter((one) => this.#isNew(one)))
      this.#values.add({ ...row, source_id: task.setId, source: release.source, version: release.version });
  }

  #isNew(row: SourceRows['values'][number]): boolean {
    // Alleles and sets of genes are too many to be kept, and repeat nothing.
    if (this.#to.matchedBy !== 'gene') return true;
    const key = JSON.stringify(row);
    if (this.#known.has(key)) return false;
    this.#known.add(key);
    return true;
  }

  #fault({ message, column, isOfFile }: RecordFault, line: number): void {
    const { task, report } = this.#to;
    const reason = column === undefined ? message : `column ${column}: ${message}`;
    if (isOfFile || task.options.onError !== 'skip')
      throw new InputError(`Line ${line} cannot be read: ${reason}.`, {
        line,
        ...(column !== undefined && { column }),
      });
    report.warn({ line, message: `Skipped, it cannot be read: ${reason}.` });
    this.#book.leave('broken lines (onError skip)', 1, line);
  }
}
