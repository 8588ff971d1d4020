import type { Reporter } from '@ploidy/engine';
import type { AnnotationLayout } from '@ploidy/formats';

/** INFO keys of annotators with unsupported forms, the annotator, and the reason (docs/formats/vcf.md). */
const unreadAnnotators: readonly (readonly [key: RegExp, annotator: string, reason: string])[] = [
  [/^FUNCOTATION$/, 'GATK Funcotator', 'the header does not name their fields'],
  [/^Gene\.(?!.*\.)\w+$/, 'ANNOVAR', 'their gene table is unknown'],
];

/** Warns if a file has genes and effects only in an unsupported form. `seen`: INFO keys of the first records. */
export function warnUnsupportedAnnotator(
  seen: ReadonlyMap<string, string>,
  layouts: readonly AnnotationLayout[],
  report: Reporter,
): void {
  if (layouts.some(({ key }) => seen.has(key))) return;
  for (const [key, annotator, reason] of unreadAnnotators) {
    const found = [...seen.keys()].find((name) => key.test(name));
    if (found === undefined) continue;
    report.warn({
      message: `The annotations of ${annotator} (INFO ${found}) are not read, because ${reason}. Variants have no gene and no effect. Annotate the file with VEP or SnpEff.`,
    });
  }
}

/** Warns of alternates whose record was split or rewritten after annotation. */
export function warnAmbiguousAnnotations(count: number, report: Reporter): void {
  if (count === 0) return;
  report.warn({
    message: `The annotations of ${count} alternates were left out, because it is unclear to which allele they belong. Their allele is ambiguous or not in the record, their number differs from the alternates, or a value is not a number. Split and normalise the records (bcftools norm -m -), then annotate them.`,
  });
}
