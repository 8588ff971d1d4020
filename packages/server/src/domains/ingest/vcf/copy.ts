import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { InputError, type RecordMapper } from '@ploidy/formats';
import type { ConversionTask, Reporter, Sql } from '../../../platform/engine/conversion.ts';
import { type Beginning, brokenCompression } from './beginning.ts';
import { handOver } from './pipe.ts';
import { RowStream } from './row-stream.ts';
import type { FileSamples } from './samples.ts';
import { literal } from './sql-text.ts';
import { variantRows } from './statement.ts';

export interface Copying {
  task: ConversionTask;
  sql: Sql;
  report: Reporter;
  beginning: Beginning;
  samples: FileSamples;
  mapper: RecordMapper;
  /** Of the Parquet file to write. */
  path: string;
}

const progressEveryMs = 250;

/**
 * Records → Parquet: this thread inflates (zlib checks every CRC; the engine's inflater takes a truncated file for complete), maps and
 * hands the rows over, while the engine's threads read, sort and write them.
 */
export async function copyRecords(copying: Copying): Promise<void> {
  const { task, report, beginning, mapper } = copying;
  const rowsPath = join(task.outputFolder, 'rows.tsv');
  const file = createReadStream(task.sourcePath, { highWaterMark: 1 << 20 });
  const stream = new RowStream({
    mapper,
    headerLineCount: beginning.header.lineCount,
    sampleCount: copying.samples.columnCount,
    onError: task.options.onError ?? 'fail',
    report,
  });
  const steps = beginning.compressed ? [createGunzip({ chunkSize: 1 << 20 }), stream] : [stream];
  const timer = setInterval(() => report.progress(file.bytesRead, mapper.rowCount), progressEveryMs);
  try {
    const handing = await handOver(rowsPath, file, steps);
    const copied = copy(copying, rowsPath).catch(async (error: unknown) => {
      await handing.stop();
      throw error;
    });
    const [handed, written] = await Promise.allSettled([handing.handedOver, copied]);
    // Steps that fail end the pipe early, which the engine takes for its end: their error counts first.
    const error = handed.status === 'rejected' ? brokenCompression(handed.reason) : undefined;
    if (error instanceof InputError) throw error;
    if (written.status === 'rejected') throw written.reason;
    if (error !== undefined) throw error;
  } catch (error) {
    throw brokenCompression(error);
  } finally {
    clearInterval(timer);
    await rm(rowsPath, { force: true });
  }
}

async function copy({ task, sql, samples, mapper, path }: Copying, rowsPath: string): Promise<void> {
  const rows = variantRows({
    rowsPath,
    details: mapper.details,
    setId: task.setId,
    sampleCount: samples.columnCount,
    sampleIds: samples.ids,
  });
  await sql.run(`COPY (${rows}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`);
}
