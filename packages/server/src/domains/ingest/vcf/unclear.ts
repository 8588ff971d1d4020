import type { Reporter } from '../../../platform/engine/conversion.ts';

/** Of alternates whose record was split or written otherwise after it was annotated. */
export function warnOfUnclear(count: number, report: Reporter): void {
  if (count === 0) return;
  report.warn({
    message: `The annotations of ${count} alternates were left out: they name several alleles, or others than the record has, so that nothing says which are theirs. Annotate after records are split and normalised.`,
  });
}
