import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { RecordMapper } from '@ploidy/formats';
import type { ConversionTask, Reporter, Sql } from '../../../platform/engine/conversion.ts';
import { type Beginning, brokenCompression } from './beginning.ts';
import { RowStream } from './row-stream.ts';
import type { FileSamples } from './samples.ts';
import { literal } from './sql-text.ts';
import type { VariantFile } from './variant-file.ts';

export interface Copying {
  task: ConversionTask;
  sql: Sql;
  report: Reporter;
  beginning: Beginning;
  samples: FileSamples;
  mapper: RecordMapper;
  file: VariantFile;
  /** Of the Parquet file to write. */
  path: string;
}

const progressEveryMs = 250;

/**
 * Records → Parquet. zlib inflates on threads of its own and checks every CRC (the engine's inflater takes a truncated file for complete);
 * this thread maps and encodes. Only what does not come in order is sorted by the engine.
 */
export async function copyRecords({
  task,
  sql,
  report,
  beginning,
  samples,
  mapper,
  file,
  path,
}: Copying): Promise<void> {
  const source = createReadStream(task.sourcePath, { highWaterMark: 1 << 20 });
  const rows = new RowStream({
    mapper,
    file,
    headerLineCount: beginning.header.lineCount,
    sampleCount: samples.columnCount,
    onError: task.options.onError ?? 'fail',
    report,
  });
  const inflating = beginning.compressed ? [createGunzip({ chunkSize: 1 << 20 })] : [];
  const timer = setInterval(() => report.progress(source.bytesRead, mapper.rowCount), progressEveryMs);
  try {
    await pipeline([source, ...inflating, rows, createWriteStream(path)]);
  } catch (error) {
    throw brokenCompression(error);
  } finally {
    clearInterval(timer);
  }
  if (!file.isSorted) await sort(sql, path, join(task.outputFolder, 'unsorted.parquet'));
}

/** With one thread: two hold twice the rows in memory and spend half as much again on spilling. */
async function sort(sql: Sql, path: string, unsortedPath: string): Promise<void> {
  await rename(path, unsortedPath);
  const rows = `SELECT * FROM read_parquet(${literal(unsortedPath)}) ORDER BY chromosome, position`;
  await sql.run('SET threads = 1');
  await sql.run(`COPY (${rows}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`);
  await rm(unsortedPath);
}
