import type { ConversionTask, ConvertedReads, Reporter } from '@ploidy/engine';
import { InputError, type ScannedReads, summariseReads } from '@ploidy/formats';
import { nameSamples } from './samples.ts';
import { writeSequences } from './sequences.ts';

/** More read groups are no file that a person made. */
const groupsMax = 10_000;
/** Maximum text of the groups and of `@HD`: a set is answered as a whole, and held in memory for it. */
const groupCharactersMax = 16 * 1024 * 1024;

type Described = Pick<ConvertedReads, 'checksumCount' | 'listPath' | 'sequences' | 'summary'>;

/** Describes the reads of a file from its header and counts. */
export async function describedReads(
  task: ConversionTask,
  scanned: ScannedReads,
  report: Reporter,
): Promise<Described> {
  const summary = summariseReads(scanned);
  if (summary.groups.length > groupsMax) {
    throw new InputError(`The header has more than ${groupsMax} read groups.`);
  }
  if (JSON.stringify([summary.groups, summary.attributes]).length > groupCharactersMax) {
    throw new InputError('The header and its read groups have more than 16 MiB of text.');
  }
  warnOfUngrouped(scanned, report);
  const { listPath, ...sequences } = await writeSequences(task.outputFolder, scanned);
  report.progress(task.sourceSize, scanned.records);
  return {
    ...(listPath !== undefined && { listPath }),
    ...sequences,
    summary: nameSamples(summary, task.options, report),
  };
}

function warnOfUngrouped({ counts }: ScannedReads, report: Reporter): void {
  const reads = counts.ungrouped.aligned + counts.ungrouped.unaligned;
  if (reads === 0) return;
  report.warn({ message: `${reads} reads are in no read group of the header; they count in the set alone.` });
}
