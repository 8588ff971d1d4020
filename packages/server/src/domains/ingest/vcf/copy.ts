import { rm } from 'node:fs/promises';
import { InputError } from '@ploidy/formats';
import type { ConversionTask, Reporter, Sql } from '../../../platform/engine/conversion.ts';
import { symbolicCounter } from './alternates-sql.ts';
import type { Beginning } from './beginning.ts';
import { withoutGenotypeCounter } from './genotypes-sql.ts';
import { checkLastLine, LineLengths, LongLine } from './line-lengths.ts';
import { lineBytesMax, RecordLines } from './record-lines.ts';
import { brokenLine, literal } from './sql-text.ts';
import { type StatementInput, variantRows } from './statement.ts';
import { openText, type Text } from './text.ts';

export interface Copying {
  task: ConversionTask;
  sql: Sql;
  report: Reporter;
  beginning: Beginning;
  statement: Omit<StatementInput, 'lines'>;
  /** Of the Parquet file to write. */
  path: string;
}

const progressEveryMs = 250;

/**
 * Records → Parquet in one statement. The engine checks every line on the way, but cannot say which one is broken; only then the file is
 * read once more, line by line.
 */
export async function copyRecords(copying: Copying): Promise<void> {
  const { beginning, task } = copying;
  if (beginning.records.length === 0) {
    await runCopy(copying, '(SELECT NULL::VARCHAR AS line WHERE false)');
    return;
  }
  if (beginning.evenLineEnds) {
    try {
      const lineBytes = lineBytesLikely(beginning);
      if (!beginning.compressed) await checkLastLine(task.sourcePath, lineBytes);
      const step = beginning.compressed ? { step: new LineLengths(lineBytes) } : {};
      const text = await openText(
        { path: task.sourcePath, compressed: beginning.compressed, ...step },
        task.outputFolder,
      );
      return await copyText(copying, text, beginning.header.lineCount, lineBytes);
    } catch (error) {
      if (!isAboutALine(error)) throw error;
    }
  }
  const step = new RecordLines({
    headerLineCount: beginning.header.lineCount,
    sampleCount: copying.statement.sampleCount,
    onError: task.options.onError ?? 'fail',
    report: copying.report,
  });
  const text = await openText(
    { path: task.sourcePath, compressed: beginning.compressed, step },
    task.outputFolder,
  );
  await copyText(copying, text, 0, lineBytesMax);
}

async function copyText(copying: Copying, text: Text, skip: number, lineBytes: number): Promise<void> {
  const { task, sql, report } = copying;
  const timer = setInterval(() => {
    report.progress(text.bytesRead?.() ?? Math.round((sql.progress() ?? 0) * task.sourceSize), 0);
  }, progressEveryMs);
  const copied = runCopy(copying, readLines(text.path, skip, lineBytes)).catch(async (error: unknown) => {
    await text.stop();
    throw error;
  });
  // A source that breaks ends the text early, which the engine may take for its end: its error counts first.
  const [copyResult, textResult] = await Promise.allSettled([copied, text.handedOver]);
  clearInterval(timer);
  if (text.bytesRead) await rm(text.path, { force: true });
  if (textResult.status === 'rejected' && isOfTheText(textResult.reason)) throw textResult.reason;
  if (copyResult.status === 'rejected') throw copyResult.reason;
  if (textResult.status === 'rejected') throw textResult.reason;
}

async function runCopy({ sql, statement, path }: Copying, lines: string): Promise<void> {
  for (const counter of [symbolicCounter, withoutGenotypeCounter])
    await sql.run(`CREATE OR REPLACE SEQUENCE ${counter}`);
  await sql.run(
    `COPY (${variantRows({ ...statement, lines })}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd)`,
  );
}

/** Every line as one text: U+0001 stands in no VCF, so that nothing is split, quoted or taken for a comment. */
function readLines(path: string, skip: number, lineBytes: number): string {
  const bufferBytes = Math.max(4 << 20, Math.ceil(lineBytes * 1.25));
  return `read_csv(${literal(path)}, delim = chr(1), header = false, skip = ${skip}, quote = '', escape = '', comment = '', auto_detect = false,
    columns = {'line': 'VARCHAR'}, compression = 'none', max_line_size = ${lineBytes}, buffer_size = ${bufferBytes})`;
}

/** Lines of one file are alike; a longer one is found by the engine and taken on the second way. */
function lineBytesLikely({ records }: Beginning): number {
  const longest = records.reduce((most, record) => Math.max(most, Buffer.byteLength(record)), 0);
  return Math.min(lineBytesMax, Math.max(2 << 20, longest * 4));
}

const isOfTheText = (error: unknown): boolean => error instanceof InputError || error instanceof LongLine;

/** Whether the engine's error may come from a line's content: our own mark, or its reader's complaints. */
function isAboutALine(error: unknown): boolean {
  if (error instanceof LongLine) return true;
  return (
    error instanceof Error &&
    (error.message.includes(brokenLine) || /\bCSV\b|unicode|line size/i.test(error.message))
  );
}
