import type { Reporter } from '@ploidy/engine';

/** Warns of records without rows: the file may be of another format. A file without records is valid (no fusion was found). */
export function warnIfEmpty(recordCount: number, report: Reporter): void {
  if (recordCount === 0) return;
  report.warn({ message: `None of the ${recordCount} records gave a row: the file adds no data.` });
}
