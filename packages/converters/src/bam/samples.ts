import type { ConversionOptions, Reporter } from '@ploidy/engine';
import { type GroupSummary, InputError, type ReadsSummary } from '@ploidy/formats';

/** Checks what the request says of samples against those of the read groups (`SM`), and gives the only one its name. */
export function nameSamples(
  summary: ReadsSummary,
  options: ConversionOptions,
  report: Reporter,
): ReadsSummary {
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
