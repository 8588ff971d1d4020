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
import { type StretchPlan, stretchPlan } from './stretch-plan.ts';
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
  /** Instead of the one that follows from the size of the file. */
  plan?: StretchPlan | undefined;
}

const progressEveryMs = 250;
/** Of inflated text; more at once would only be more garbage. */
const chunkBytes = 128 << 10;

/**
 * Records → Parquet. zlib inflates on threads of its own and checks every CRC (the engine's inflater takes a truncated file for complete);
 * the lines are mapped and encoded stretch by stretch, those of a large file on several threads (adr/0011). Only what does not come in order is
 * sorted by the engine.
 */
export async function copyRecords(copying: Copying): Promise<MappedRows> {
  const { task, sql, report, beginning, settings, otherRows, path } = copying;
  const file = new VariantFile(path, settings.columns);
  const rows = new MappedRows(copying, file);
  const tell = () => report.progress(rows.sourceBytes, rows.rowCount + otherRows());
  const timer = setInterval(tell, progressEveryMs);
  const { stretchBytes, threadCount } =
    copying.plan ?? stretchPlan(task.sourceSize, beginning.compressed, await engineThreads(sql));
  const cutter = new StretchCutter(stretchBytes, beginning.header.lineCount);
  const mapping = new FileMapping({
    settings: { ...settings, endsAtBroken: task.options.onError !== 'skip' },
    threadCount,
    waitingBytesMax: stretchBytes * (2 * threadCount + 1),
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
  const inflating = beginning.compressed ? [createGunzip({ chunkSize: chunkBytes })] : [];
  const map = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of chunks) {
      for (const cut of cutter.add(chunk, source.bytesRead)) await mapping.give(cut);
      release(chunk);
    }
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

/**
 * Gives the memory of a chunk back at once, where it is the last of its buffer: hundreds of them would have the collector of garbage go through
 * everything again and again.
 */
function release({ buffer, byteOffset, byteLength }: Buffer): void {
  const isLast = byteOffset + byteLength === buffer.byteLength;
  // Smaller ones may be of the pool that all of Node shares.
  if (isLast && buffer.byteLength >= chunkBytes && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/** How many threads the engine may use (PLOIDY_THREADS). */
async function engineThreads(sql: Sql): Promise<number> {
  const [setting] = await sql.rows("SELECT current_setting('threads') AS threads");
  return Number(setting?.['threads'] ?? 1);
}
