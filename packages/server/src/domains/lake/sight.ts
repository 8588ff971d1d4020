import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../access/caller.ts';
import type { ResourceAttributes } from '../../access/resource.ts';
import type { Rows } from '../../access/rows.ts';

/** Which rows of a project's tables somebody sees, and how. What he sees as it is he does not see masked as well. */
export interface Sight {
  /** Rows as they are. */
  real: Rows;
  /** Of the others, those that he sees masked. */
  masked: Rows;
  /** Answers about fewer patients than this are left out of what is masked; 0: none. */
  countsMin: number;
}

/** Everything, as it is or masked. */
export const wholeSight = (how: 'real' | 'masked'): Sight => ({
  real: how === 'real',
  masked: how === 'masked',
  countsMin: 0,
});

/**
 * What the policies let a caller see now. Where small counts are left out, whoever sees some rows as they are sees only
 * those: single rows and counts of the others in one answer could be subtracted from each other.
 */
export function sightOf(caller: Caller, tables: ResourceAttributes, countsMin: number): Sight {
  const real = caller.rows('lake.read', tables);
  if (real === true || (real !== false && countsMin > 0)) return { real, masked: false, countsMin: 0 };
  return { real, masked: caller.rows('lake.readMasked', tables), countsMin };
}

/** The same when nothing may be seen as it is, for a statement that was accepted so. */
export function maskedSight(caller: Caller, tables: ResourceAttributes, countsMin: number): Sight {
  return { real: false, masked: caller.rows('lake.readMasked', tables), countsMin };
}

/** Whether anything is seen. */
export const seesRows = ({ real, masked }: Sight): boolean => real !== false || masked !== false;

/** Whether somebody's rows may be seen masked: those of a test that opens none as they are. */
export function masksRows({ real, masked }: Sight): boolean {
  if (typeof real === 'boolean' || typeof masked === 'boolean') return real !== true && masked !== false;
  return masked.some((test) => !real.some((open) => isDeepStrictEqual(open, test)));
}

/** Whether the patient of each row has to be known: a table of which nobody can tell him is then not there. */
export const needsPatients = ({ real, masked, countsMin }: Sight): boolean =>
  real !== true && (masked !== true || countsMin > 0);
