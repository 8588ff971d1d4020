/**
 * Bound of the values of a column in a file: all of them, or the minimum and the maximum. Other values do not occur; those
 * within may. NULL is ignored.
 */
export type Bound = { among: string[] } | { from: number; to: number };

/** Bounds of a file by column; a column without bounds may hold anything. */
export type Bounds = Record<string, Bound>;

/** Form of the bounds of a column. Ids of patients are not in the catalogue: it has their digests. */
export type BoundForm = 'list' | 'range' | 'digests';

/** Maximum values of a list; a column with more has no bounds. */
export const boundValuesMax = 256;

/** Characters of a digest: the first of SHA-256 in hexadecimal. */
export const digestLength = 16;

const forms: ReadonlyMap<string, BoundForm> = new Map([
  ['chromosome', 'list'],
  ['gene', 'list'],
  ['position', 'range'],
  ['start_position', 'range'],
  ['end_position', 'range'],
  ['patient_id', 'digests'],
]);

/** Returns the form in which the bounds of a column are kept; undefined if it has none. */
export const boundForm = (column: string): BoundForm | undefined => forms.get(column);
