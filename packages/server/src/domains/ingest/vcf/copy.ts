import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { ConversionTask, Reporter, Sql } from '../../../platform/engine/conversion.ts';
import { sortedBy } from '../tables/catalogue.ts';
import { sortRows } from '../tables/table-file.ts';
import { type Beginning, brokenCompression } from './beginning.ts';
import { FileMapping } from './file-mapping.ts';
import { MappedRows } from './mapped-rows.ts';
import { LineTooLong, StretchCutter } from './stretch-cutter.ts';
import type { StretchSettings } from './stretch-mapper.ts';
import { VariantFile } from './variant-file.ts';

export interface Copying {
  task: ConversionTask;
  sql: Sql;
  report: Reporter;
  beginning: Beginning;
  settings: Omit<StretchSettings, 'endsAtBroken'>;
  /** Takes the text of each record that has a symbolic alternate or a breakend, in the order of the file. */
  onStructural: (line: string) => void;
  /** Rows of other tables so far. */
  otherRows: () => number;
  /** Of the Parquet file to write. */
  path: string;
}

const progressEveryMs = 250;

/** Of text, about, that is mapped at a time: a thirty-second of the file, so that all threads have something to do up to its end. */
const stretchesOfFile = 32;
const [stretchBytesMin, stretchBytesMax] = [1 << 20, 8 << 20];
/** Text that gzip makes of a byte, about. */
const inflation = 6;
/** Less text is mapped before another thread has started. */
const threadedBytesMin = 32 << 20;
/** One thread inflates as fast as so many map. */
const threadsMax = 4;

/**
 * Records → Parquet. zlib inflates on threads of its own and checks every CRC (the engine's inflater takes a truncated file for complete);
 * the lines are mapped and encoded stretch by stretch, those of a large file on several threads (adr/0022). Only what does not come in order is
 * sorted by the engine.
 */
export async function copyRecords(copying: Copying): Promise<MappedRows> {
  const { task, sql, report, beginning, settings, otherRows, path } = copying;
  const file = new VariantFile(path, settings.columns);
  const rows = new MappedRows(copying, file);
  const tell = () => report.progress(rows.sourceBytes, rows.rowCount + otherRows());
  const timer = setInterval(tell, progressEveryMs);
  const textBytes = task.sourceSize * (beginning.compressed ? inflation : 1);
  const stretchBytes =
    Math.min(Math.max(textBytes / stretchesOfFile, stretchBytesMin), stretchBytesMax) & -4096;
  const threadCount = textBytes < threadedBytesMin ? 0 : (await engineThreads(sql)) - 1;
  const cutter = new StretchCutter(stretchBytes, beginning.header.lineCount);
  const mapping = new FileMapping({
    settings: { ...settings, endsAtBroken: task.options.onError !== 'skip' },
    threadCount,
    waitingBytesMax: stretchBytes * (2 * threadCount + 2),
    take: (mapped, cut) => {
      rows.take(mapped, cut);
      cutter.reuse(cut.stretch);
    },
  });
  try {
    await mapText(copying, cutter, mapping, rows);
    file.end();
  } finally {
    clearInterval(timer);
    mapping.close();
    file.close();
  }
  if (!file.isSorted) await sortRows(sql, path, sortedBy['variant'] ?? []);
  return rows;
}

async function mapText(
  { task, beginning }: Copying,
  cutter: StretchCutter,
  mapping: FileMapping,
  rows: MappedRows,
): Promise<void> {
  const source = createReadStream(task.sourcePath, { highWaterMark: 1 << 20 });
  const inflating = beginning.compressed ? [createGunzip({ chunkSize: 1 << 20 })] : [];
  const map = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of chunks)
      for (const cut of cutter.add(chunk, source.bytesRead)) await mapping.give(cut);
    for (const cut of cutter.end(source.bytesRead)) await mapping.give(cut);
  };
  try {
    await pipeline([source, ...inflating, map]);
  } catch (error) {
    const known = error instanceof LineTooLong ? error : brokenCompression(error);
    if (known === error && !(error instanceof LineTooLong)) throw error;
    // What is wrong further up is told first.
    await mapping.end();
    throw error instanceof LineTooLong ? error.at(rows.lineCount + 1) : known;
  }
  await mapping.end();
}

/** How many threads the engine may use (PLOIDY_THREADS). */
async function engineThreads(sql: Sql): Promise<number> {
  const [setting] = await sql.rows("SELECT current_setting('threads') AS threads");
  return Math.min(Number(setting?.['threads'] ?? 1), threadsMax);
}
