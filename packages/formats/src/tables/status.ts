import type { Table } from './table.ts';

/**
 * Statuses of clinical rows (R4 and R5), and whether what the row names is so. What was ruled out, not done, only intended or
 * recorded by mistake is not.
 */
export const statusHolds = {
  ...{ 'entered-in-error': false, unknown: true },
  ...{
    unconfirmed: true,
    presumed: true,
    provisional: true,
    differential: true,
    confirmed: true,
    refuted: false,
  },
  ...{ draft: false, intended: false, planned: false, preparation: false, registered: false },
  ...{ 'specimen-in-process': false, 'cannot-be-obtained': false, cancelled: false, declined: false },
  ...{ 'do-not-perform': false, 'not-done': false, 'not-taken': false },
  ...{ active: true, recorded: true, ended: true, partial: true, 'health-unknown': true },
  ...{ arrived: true, triaged: true, onleave: true, discharged: true, finished: true, discontinued: true },
  ...{ 'in-progress': true, 'on-hold': true, suspended: true, stopped: true, aborted: true, completed: true },
  ...{ preliminary: true, final: true, amended: true, corrected: true, appended: true },
  ...{ available: true, unavailable: true, unsatisfactory: true },
} as const satisfies Record<string, boolean>;

const denying = Object.entries(statusHolds).flatMap(([status, holds]) => (holds ? [] : [`'${status}'`]));

/**
 * Returns the SQL condition on a table's rows that what they name is so, by their status; `true` for tables without one. Counts
 * of people use it; statements read all rows.
 */
export function holdsSql(table: Table | undefined, alias?: string): string {
  const status = table?.columns.find(({ name }) => name === 'status' || name === 'verification_status');
  if (table?.area !== 'clinical' || !status) return 'true';
  return `coalesce(${alias ? `${alias}.` : ''}"${status.name}", '') NOT IN (${denying.join(', ')})`;
}
