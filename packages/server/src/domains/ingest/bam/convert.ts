import { open, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  BamScan,
  foreignFormat,
  InputError,
  isGzipStart,
  isIndexOf,
  type ScannedBam,
  summariseReads,
} from '@ploidy/formats';
import type { ConversionTask, ConvertGenomics, Reporter } from '../../../platform/engine/conversion.ts';
import { hasEnd, readBlocks } from './blocks.ts';
import { nameSamples } from './samples.ts';
import { writeSequences } from './sequences.ts';

/** How much is looked at to tell what a file is that is no BAM. */
const headBytes = 64 * 1024;
/** More read groups are no file that a person made. */
const groupsMax = 10_000;
/** Nor is more text of them and of `@HD`: a set is answered as a whole, and held in memory for it. */
const groupCharactersMax = 16 * 1024 * 1024;
/** A larger index of somebody else is not looked at. */
const foreignIndexBytesMax = 256 * 1024 * 1024;

/** A BAM into its index, counts and header, in one pass (SAM spec §4 and §5). */
export const convertBam: ConvertGenomics = async (task, report) => {
  await refuseForeign(task.sourcePath);
  const scanned = await scan(task, report);
  const summary = summariseReads(scanned);
  if (summary.groups.length > groupsMax) {
    throw new InputError(`The header has more than ${groupsMax} read groups.`);
  }
  if (JSON.stringify([summary.groups, summary.attributes]).length > groupCharactersMax) {
    throw new InputError('The header and its read groups have more than 16 MiB of text.');
  }
  warnOfUngrouped(scanned, report);
  const path = join(task.outputFolder, 'index.bai');
  await writeFile(path, [scanned.index, scanned.extents]);
  await compareIndex(task, scanned.index, report);
  const { listPath, ...told } = await writeSequences(task.outputFolder, scanned);
  report.progress(task.sourceSize, scanned.records);
  return {
    kind: 'reads',
    path,
    ...(listPath !== undefined && { listPath }),
    ...told,
    summary: nameSamples(summary, task.options, report),
  };
};

/** Says of files that people mistake for a BAM what to do with them. */
async function refuseForeign(path: string): Promise<void> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(headBytes), 0, headBytes, 0);
    if (bytesRead === 0) throw new InputError('The file is empty: there is nothing to ingest.');
    const advice = foreignFormat(buffer.subarray(0, bytesRead));
    if (advice !== undefined) throw new InputError(advice);
    if (!isGzipStart(buffer)) throw new InputError('The file is no BAM.');
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
    const message = 'The file does not end with the block that ends a BAM: reads at its end may be missing.';
    report.warn({ message });
  }
  return scanned;
}

function warnOfUngrouped({ counts }: ScannedBam, report: Reporter): void {
  const reads = counts.ungrouped.aligned + counts.ungrouped.unaligned;
  if (reads === 0) return;
  report.warn({ message: `${reads} reads are in no read group of the header; they count in the set alone.` });
}

/** An index that was uploaded is never used; who uses it elsewhere should know that it is of another file. */
async function compareIndex(task: ConversionTask, built: Uint8Array, report: Reporter): Promise<void> {
  const { indexPath } = task;
  if (indexPath === undefined) return;
  const isSmall = (await stat(indexPath)).size <= foreignIndexBytesMax;
  if (isSmall && isIndexOf(await readFile(indexPath), built)) return;
  const message =
    'The index that lies beside the BAM is of other bytes, or damaged. It is not used here: one was built of the BAM itself.';
  report.warn({ message });
}
