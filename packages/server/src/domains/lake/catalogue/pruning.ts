import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Condition, TableConditions } from '@ploidy/engine';
import {
  annotatedColumns,
  type BoundForm,
  type Bounds,
  boundForm,
  digestLength,
  tables,
} from '@ploidy/formats/tables';
import type { RowAccess } from '../views/row-access.ts';
import type { LakeFile } from './lake-files.ts';

/** Files whose bounds are read in one turn of the event loop: 10,000 at once took it for 0.1 to 0.3 s. */
const filesPerTurn = 250;

/** Columns that annotations may fill when rows are read: files do not have all of their values. */
const filled = new Set(annotatedColumns.flat());

/**
 * Returns the conditions by which files may be left out for a caller; undefined if all must be read. A caller of some rows has
 * no conditions: the time of a statement would depend on hidden rows. Nor has one of small counts. For masked rows only
 * unmasked columns count.
 */
export function usableConditions(
  conditions: TableConditions | undefined,
  { real, masked, countsMin }: RowAccess,
): TableConditions | undefined {
  const isReal = real === true;
  const isMasked = real === false && masked === true && countsMin === 0;
  if (!conditions || !(isReal || isMasked)) return undefined;
  const usable = Object.entries(conditions).flatMap(([table, places]): [string, Condition[][]][] => {
    const known = tables.get(table);
    // A sample is composed from all files, and codings of a Medication are those of resources in other files.
    if (!known || table === 'sequence' || table === 'coding') return [];
    const columns = new Set(
      known.columns.flatMap(({ name, mask }) =>
        (isReal || mask === 'none') && !(table === 'variant' && filled.has(name)) ? [name] : [],
      ),
    );
    const some = places.map((place) => place.filter(({ column }) => columns.has(column)));
    return some.every(({ length }) => length > 0) ? [[table, some]] : [];
  });
  return usable.length > 0 ? Object.fromEntries(usable) : undefined;
}

/**
 * Leaves out files of which no row can matter. Of each table one remains, which has its columns.
 * `tableOf`: table that a file is read as.
 */
export async function withoutNeedless(
  files: LakeFile[],
  conditions: TableConditions,
  tableOf: (file: LakeFile) => string,
): Promise<LakeFile[]> {
  const tests = new Map(
    Object.entries(conditions).map(([table, places]) => [
      table,
      places.map((place) => place.map((one) => testOf(table, one))),
    ]),
  );
  const mayMatter = (file: LakeFile): boolean => {
    const places = tests.get(tableOf(file));
    if (!places || file.bounds === undefined) return true;
    const bounds = JSON.parse(file.bounds) as Bounds;
    return places.some((place) => place.every((mayHold) => mayHold(bounds)));
  };
  const kept: LakeFile[] = [];
  for (const [at, file] of files.entries()) {
    if (at % filesPerTurn === filesPerTurn - 1) await nextTurn();
    if (mayMatter(file)) kept.push(file);
  }
  const there = new Set(kept.map(tableOf));
  const missing = files.filter((file) => !there.has(tableOf(file)));
  const first = [...new Map(missing.toReversed().map((file) => [tableOf(file), file])).values()];
  return [...kept, ...first];
}

/** Returns a test whether a file of a table with these bounds may hold rows under a condition. */
function testOf(table: string, condition: Condition): (bounds: Bounds) => boolean {
  const { column } = condition;
  const form = boundForm(table, column);
  if (!form) return () => true;
  if ('among' in condition) {
    const wanted = new Set(condition.among.map((value) => boundValue(form, value)));
    return (bounds) => {
      const bound = bounds[column];
      return !bound || !('among' in bound) || bound.among.some((value) => wanted.has(value));
    };
  }
  const { from = -Infinity, to = Infinity } = condition;
  return (bounds) => {
    const bound = bounds[column];
    return !bound || 'among' in bound || (from <= bound.to && to >= bound.from);
  };
}

/** Returns a value as the list of a column has it. */
function boundValue(form: BoundForm, value: string): string {
  return form === 'digests' ? createHash('sha256').update(value).digest('hex').slice(0, digestLength) : value;
}
