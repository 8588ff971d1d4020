import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { RecordMapper } from '@ploidy/formats';
import type { ConversionTask, Reporter, Sql } from '../../../platform/engine/conversion.ts';
import { sortedBy } from '../tables/catalogue.ts';
import { sortRows } from '../tables/table-file.ts';
import { type Beginning, brokenCompression } from './beginning.ts';
import { RowStream } from './row-stream.ts';
import type { VariantFile } from './variant-file.ts';

export interface Copying {
  task: ConversionTask;
  sql: Sql;
  report: Reporter;
  beginning: Beginning;
  /** Sample columns of the file that are read. */
  columnCount: number;
  mapper: RecordMapper;
  file: VariantFile;
  /** Rows of other tables so far. */
  otherRows: () => number;
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
  columnCount,
  mapper,
  file,
  otherRows,
  path,
}: Copying): Promise<void> {
  const source = createReadStream(task.sourcePath, { highWaterMark: 1 << 20 });
  const rows = new RowStream({
    mapper,
    file,
    headerLineCount: beginning.header.lineCount,
    sampleCount: columnCount,
    onError: task.options.onError ?? 'fail',
    report,
  });
  const inflating = beginning.compressed ? [createGunzip({ chunkSize: 1 << 20 })] : [];
  const tell = () => report.progress(source.bytesRead, mapper.rowCount + otherRows());
  const timer = setInterval(tell, progressEveryMs);
  try {
    await pipeline([source, ...inflating, rows, createWriteStream(path)]);
  } catch (error) {
    throw brokenCompression(error);
  } finally {
    clearInterval(timer);
  }
  if (!file.isSorted) await sortRows(sql, path, sortedBy['variant'] ?? []);
}
