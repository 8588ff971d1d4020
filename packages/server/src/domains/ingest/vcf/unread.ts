import { annotationKeys } from '@ploidy/formats';
import type { Reporter } from '../../../platform/engine/conversion.ts';

/** INFO keys of annotators whose form is not read, and what writes them (docs/formats/vcf.md). */
const unreadAnnotators: readonly (readonly [key: RegExp, annotator: string])[] = [
  [/^BCSQ$/, 'bcftools csq'],
  [/^FUNCOTATION$/, 'GATK Funcotator'],
  [/^Gene\.(refGene|refGeneWithVer|ensGene|knownGene|wgEncodeGencode\w*)$/, 'ANNOVAR'],
];

/** Of genes and effects that the file has only in a form that is not read. `seen`: the INFO keys of the first records. */
export function warnOfUnread(seen: ReadonlyMap<string, string>, report: Reporter): void {
  if (annotationKeys.some((key) => seen.has(key))) return;
  for (const [key, annotator] of unreadAnnotators) {
    const found = [...seen.keys()].find((name) => key.test(name));
    if (found === undefined) continue;
    report.warn({
      message: `The annotations of ${annotator} (INFO ${found}) are not read, so that variants have no gene and no effect. Annotate the file with VEP or SnpEff.`,
    });
  }
}
