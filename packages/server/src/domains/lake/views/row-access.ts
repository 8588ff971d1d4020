import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../../access/caller.ts';
import type { ResourceAttributes } from '../../../access/resource.ts';
import type { Rows } from '../../../access/rows.ts';

/** Access of a caller to the rows of a project's tables. Rows with full access are not also shown masked. */
export interface RowAccess {
  /** Rows shown in full. */
  real: Rows;
  /** Other rows that are shown masked. */
  masked: Rows;
  /** Minimum number of patients of a masked answer; 0: any. */
  countsMin: number;
}

/** Access to all rows, in full or masked. */
export const fullAccess = (how: 'real' | 'masked'): RowAccess => ({
  real: how === 'real',
  masked: how === 'masked',
  countsMin: 0,
});

/**
 * Derives the access from the caller's policies. With small counts on, a caller with full access to some rows
 * sees only those: single rows and counts of the rest in one answer could be subtracted.
 */
export function rowAccessOf(caller: Caller, tables: ResourceAttributes, countsMin: number): RowAccess {
  const real = caller.rows('lake.read', tables);
  if (real === true || (real !== false && countsMin > 0)) return { real, masked: false, countsMin: 0 };
  return { real, masked: caller.rows('lake.readMasked', tables), countsMin };
}

/** Derives masked access only, for a statement that was accepted as masked. */
export function maskedAccess(caller: Caller, tables: ResourceAttributes, countsMin: number): RowAccess {
  return { real: false, masked: caller.rows('lake.readMasked', tables), countsMin };
}

/** Reports whether any row is accessible. */
export const hasRowAccess = ({ real, masked }: RowAccess): boolean => real !== false || masked !== false;

/** Reports whether a row with this access can be masked. */
export function masksRows({ real, masked }: RowAccess): boolean {
  if (typeof real === 'boolean' || typeof masked === 'boolean') return real !== true && masked !== false;
  return masked.some((test) => !real.some((open) => isDeepStrictEqual(open, test)));
}

/** Returns the minimum of a masked answer, 0 for any; undefined if no row is masked. */
export const countsMinOf = (access: RowAccess): number | undefined =>
  masksRows(access) ? access.countsMin : undefined;

/** Reports whether access depends on the patient of a row. Tables without a patient are then hidden. */
export const needsPatients = ({ real, masked, countsMin }: RowAccess): boolean =>
  real !== true && (masked !== true || countsMin > 0);
