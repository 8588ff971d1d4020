import type { Table } from './table.ts';

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/**
 * Statuses of clinical rows (R4 and R5), by whether what the row names is so. What was ruled out, not done, only intended or
 * recorded by mistake is not.
 */
export const statuses = {
  holding: words(
    `unknown unconfirmed presumed provisional differential confirmed active recorded ended partial health-unknown arrived triaged onleave discharged finished discontinued in-progress on-hold suspended stopped aborted completed preliminary final amended corrected appended available unavailable unsatisfactory`,
  ),
  denying: words(
    'entered-in-error refuted draft intended planned preparation registered specimen-in-process cannot-be-obtained cancelled declined do-not-perform not-done not-taken',
  ),
} as const;

/** Returns whether what a row with this status names is so; a status that is not known denies nothing. */
export const holdsWith = (status: unknown): boolean => !statuses.denying.has(String(status));

const denying = [...statuses.denying].map((status) => `'${status}'`).join(', ');

/**
 * Returns the SQL condition on a table's rows that what they name is so, by their status; `true` for tables without one. Counts
 * of people use it; statements read all rows.
 */
export function holdsSql(table: Table | undefined, alias?: string): string {
  const status = table?.columns.find(({ name }) => name === 'status' || name === 'verification_status');
  if (table?.area !== 'clinical' || !status) return 'true';
  return `coalesce(${alias ? `${alias}.` : ''}"${status.name}", '') NOT IN (${denying})`;
}
