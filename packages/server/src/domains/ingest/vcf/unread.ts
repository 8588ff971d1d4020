import type { AnnotationLayout } from '@ploidy/formats';
import type { Reporter } from '../../../platform/engine/conversion.ts';

/** INFO keys of annotators whose form may be one that is not understood, what writes them, and why (docs/formats/vcf.md). */
const unreadAnnotators: readonly (readonly [key: RegExp, annotator: string, reason: string])[] = [
  [/^FUNCOTATION$/, 'GATK Funcotator', 'the header does not name their fields'],
  [/^Gene\.(?!.*\.)\w+$/, 'ANNOVAR', 'they are of a table that is not known'],
];

/** Of genes and effects that the file has only in a form that is not read. `seen`: the INFO keys of the first records. */
export function warnOfUnread(
  seen: ReadonlyMap<string, string>,
  layouts: readonly AnnotationLayout[],
  report: Reporter,
): void {
  if (layouts.some(({ key }) => seen.has(key))) return;
  for (const [key, annotator, reason] of unreadAnnotators) {
    const found = [...seen.keys()].find((name) => key.test(name));
    if (found === undefined) continue;
    report.warn({
      message: `The annotations of ${annotator} (INFO ${found}) are not read, because ${reason}; so variants have no gene and no effect. Annotate the file with VEP or SnpEff.`,
    });
  }
}
