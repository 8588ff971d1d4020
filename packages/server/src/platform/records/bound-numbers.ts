import type { CompiledQuery } from 'kysely';
import { SparseWarning } from '../log/sparse-warning.ts';
import type { PlatformLog } from './log.ts';

/** Beyond it a JavaScript number is not exact: such an integer cannot be read back. */
export const exactMax = Number.MAX_SAFE_INTEGER;

/**
 * Refuses a query that binds a number which the records cannot give back: NaN, an infinity, an integer beyond 2^53. All queries pass
 * here before they reach a store.
 */
export function requireExact(query: CompiledQuery): void {
  const at = query.parameters.findIndex((value) => !isExact(value));
  if (at >= 0) throw new RangeError(`A number for ${placeOf(query, at)} is too large to be exact, or none.`);
}

function isExact(value: unknown): boolean {
  if (typeof value === 'bigint') return value <= BigInt(exactMax) && value >= -BigInt(exactMax);
  return typeof value !== 'number' || Math.abs(value) <= exactMax;
}

/** Returns a number that was read, as near as JavaScript has it. */
export function nearest(value: bigint | number): number {
  const number = Number(value);
  return Number.isNaN(number) ? exactMax : Math.max(-exactMax, Math.min(exactMax, number));
}

/** Warns of numbers that were read as the nearest one. */
export function inexactWarning(log: PlatformLog): SparseWarning {
  return new SparseWarning(
    log,
    'a number of the records is too large to be exact: it is read as the nearest one',
  );
}

/** Names the table and column of a parameter, as far as the text of the query names them: values stay out of errors. */
function placeOf({ sql }: CompiledQuery, parameter: number): string {
  const places = [...sql.matchAll(/\?|\$\d+/g)];
  const table = /\b(?:into|update|from)\s+"(\w+)"/i.exec(sql)?.[1] ?? 'the records';
  const inserted = /^\s*insert\s+into\s+"\w+"\s*\(([^)]*)\)/i.exec(sql)?.[1]?.match(/\w+/g) ?? [];
  const compared = /"(\w+)"\s*\S{1,2}\s*$/.exec(sql.slice(0, places[parameter]?.index ?? 0))?.[1];
  const column = compared ?? (inserted.length > 0 ? inserted[parameter % inserted.length] : undefined);
  return column === undefined ? `parameter ${parameter + 1} of ${table}` : `${table}.${column}`;
}
