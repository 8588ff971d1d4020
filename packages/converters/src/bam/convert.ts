import { open, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConversionTask, ConvertGenomics, Reporter } from '@ploidy/engine';
import {
  BamScan,
  foreignFormat,
  InputError,
  isCram,
  isGzipStart,
  isIndexOf,
  type ScannedBam,
} from '@ploidy/formats';
import { hasEnd } from '../decompressed-source.ts';
import { readBlocks } from './blocks.ts';
import { describedReads } from './described-reads.ts';

/** Bytes that are read to recognise the format of another file. */
const headBytes = 64 * 1024;
/** Largest index file that is compared; a larger one is ignored. */
const foreignIndexBytesMax = 256 * 1024 * 1024;

/** Converts a BAM into its index, counts and header, in one pass (SAM spec §4 and §5). */
export const convertBam: ConvertGenomics = async (task, report) => {
  await refuseForeign(task.sourcePath);
  const scanned = await scan(task, report);
  const path = join(task.outputFolder, 'index.bai');
  await writeFile(path, [scanned.index, scanned.extents]);
  await compareIndex(task, scanned.index, report);
  const described = await describedReads(task, scanned, report);
  return { kind: 'reads', format: 'BAM', needsReference: false, path, ...described };
};

/** Refuses files of other formats that are uploaded as BAM, with advice. */
async function refuseForeign(path: string): Promise<void> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(headBytes), 0, headBytes, 0);
    if (bytesRead === 0) throw new InputError('The file is empty: there is nothing to ingest.');
    if (isCram(buffer)) throw new InputError('This is a CRAM: ingest it with the type cram.');
    // A BAM is gzip itself, which the extensions of other formats suggest as a second layer.
    if (isGzipStart(buffer)) return;
    throw new InputError(foreignFormat(buffer.subarray(0, bytesRead)) ?? 'The file is not a BAM.');
  } finally {
    await file.close();
  }
}

async function scan(task: ConversionTask, report: Reporter): Promise<ScannedBam> {
  const scan = new BamScan();
  for await (const { content, blocks, nextStart } of readBlocks(task.sourcePath)) {
    scan.take(content, blocks, nextStart);
    report.progress(nextStart, scan.records);
  }
  const scanned = scan.finish();
  if (!(await hasEnd(task.sourcePath))) {
    const message =
      'The BAM has no end-of-file block: it may be truncated, and reads at its end may be missing.';
    report.warn({ message });
  }
  return scanned;
}

/** Warns of an uploaded index of another file: it is never used here, but may be elsewhere. */
async function compareIndex(task: ConversionTask, built: Uint8Array, report: Reporter): Promise<void> {
  const { indexPath } = task;
  if (indexPath === undefined) return;
  const isSmall = (await stat(indexPath)).size <= foreignIndexBytesMax;
  if (isSmall && isIndexOf(await readFile(indexPath), built)) return;
  const message =
    'The index beside the BAM belongs to another file, or is damaged. It is not used: a new one was built from the BAM.';
  report.warn({ message });
}
