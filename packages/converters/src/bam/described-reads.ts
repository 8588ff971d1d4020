import type { ConversionOptions, ConversionTask, ConvertedReads, Reporter } from '@ploidy/engine';
import {
  type GroupSummary,
  InputError,
  type ReadsSummary,
  type ScannedReads,
  summariseReads,
  wholeAccount,
} from '@ploidy/formats';
import { differingLengths, writeSequences } from './sequences.ts';

/** Maximum read groups, more than any real file has. */
const groupsMax = 10_000;
/** Maximum text of the groups and of `@HD`: a set is returned as a whole, and held in memory for it. */
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
  checkGroupIds(scanned, report);
  warnOfLengths(scanned, report);
  const { listPath, ...sequences } = await writeSequences(task.outputFolder, scanned);
  report.progress(task.sourceSize, scanned.records);
  report.account(wholeAccount(scanned.records));
  return {
    ...(listPath !== undefined && { listPath }),
    ...sequences,
    summary: nameSamples(summary, task.options, report),
  };
}

function warnOfUngrouped({ counts }: ScannedReads, report: Reporter): void {
  const reads = counts.ungrouped.aligned + counts.ungrouped.unaligned;
  if (reads === 0) return;
  report.warn({
    message: `${reads} reads belong to no read group of the header. They are counted in the read set only.`,
  });
}

/** Checks that ids of groups differ (SAM spec §1.3): reads name their group by it alone, and the group names the sample. */
function checkGroupIds({ sam }: ScannedReads, report: Reporter): void {
  const samples = new Map<string | undefined, string | undefined>();
  let repeated = 0;
  for (const tags of sam.readGroups) {
    const [id, sample] = [tags.get('ID'), tags.get('SM')];
    if (id === undefined) continue;
    if (samples.has(id) && samples.get(id) !== sample)
      throw new InputError(
        'Two read groups of different samples (SM) have the same ID, so their reads cannot be assigned. Give each its own ID (samtools reheader, samtools addreplacerg), then ingest the file.',
      );
    if (samples.has(id)) repeated += 1;
    samples.set(id, sample);
  }
  if (repeated === 0) return;
  const message = `${repeated} read groups of the header repeat the ID of an earlier one. Their reads are counted in the first.`;
  report.warn({ message });
}

function warnOfLengths(scanned: ScannedReads, report: Reporter): void {
  const differing = differingLengths(scanned);
  if (differing > 0) {
    const message = `${differing} sequences have one length in their @SQ line (LN) and another in the reference list. The list is used; other tags of these lines are ignored.`;
    report.warn({ message });
  }
  if (scanned.beyondCount === 0) return;
  const message = `${scanned.beyondCount} reads extend beyond the end of their sequence: they may be aligned to another reference than the header describes.`;
  report.warn({ message });
}

/** Compares the samples of the request with those of the read groups (`SM`), and names the only one. */
function nameSamples(summary: ReadsSummary, options: ConversionOptions, report: Reporter): ReadsSummary {
  const names = new Set(summary.groups.flatMap(({ sampleName }) => sampleName ?? []));
  if (options.sampleId !== undefined && names.size > 1) {
    throw new InputError(
      `sampleId is for files with one sample, but this file has ${names.size}: name them with sampleIds.`,
    );
  }
  if ((options.patientId ?? options.specimenId) !== undefined && names.size > 1) {
    throw new InputError(
      `patientId and specimenId are for files with one sample, but this file has ${names.size}: use samples instead.`,
    );
  }
  const { sampleId, sampleIds = {} } = options;
  const rename = (group: GroupSummary): GroupSummary => {
    const name = sampleId ?? sampleIds[group.sampleName ?? ''];
    return name === undefined ? group : { ...group, sampleName: name };
  };
  const groups = summary.groups.map(rename);
  warnOfUnknown(new Set(groups.flatMap(({ sampleName }) => sampleName ?? [])), options, report);
  return { ...summary, groups };
}

function warnOfUnknown(names: Set<string>, options: ConversionOptions, report: Reporter): void {
  for (const { sampleId } of options.samples ?? []) {
    if (names.has(sampleId)) continue;
    report.warn({ message: 'A sample that the request links to a patient is not in the file.' });
  }
}
