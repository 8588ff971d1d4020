import type { Reporter } from '../../../platform/engine/conversion.ts';

/** A file of another kind than it seems gives no rows either; that it has no records at all is no fault (no fusion was found). */
export function warnOfNothing(recordCount: number, report: Reporter): void {
  if (recordCount === 0) return;
  report.warn({ message: `None of the ${recordCount} records gave a row: nothing of the file can be seen.` });
}
