import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Condition, ConditionSource, TableConditions } from '@ploidy/engine';
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

/** Tables whose rows depend on other files: a sample has its patient from lists, and codings of a Medication are of resources. */
const composed = new Set(['sequence', 'coding']);

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
    const some = places.map((place) => usableOn(table, place, isReal));
    return some.every(({ length }) => length > 0) ? [[table, some]] : [];
  });
  return usable.length > 0 ? Object.fromEntries(usable) : undefined;
}

/** Returns the conditions on columns of which files have the values that the reader sees. */
function usableOn(table: string, place: readonly Condition[], isReal: boolean): Condition[] {
  const isSeen = (of: string, column: string): boolean => {
    const found = composed.has(of) ? undefined : tables.get(of)?.columns.find(({ name }) => name === column);
    const isMasked = !isReal && found?.mask !== 'none';
    return found !== undefined && !isMasked && !(of === 'variant' && filled.has(column));
  };
  return place.flatMap((condition): Condition[] => {
    if (!isSeen(table, condition.column)) return [];
    if (!('of' in condition)) return [condition];
    const { table: source, column, where } = condition.of;
    const of = { table: source, column, where: usableOn(source, where, isReal) };
    return isSeen(source, column) ? [{ ...condition, of }] : [];
  });
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
  const byTable = Map.groupBy(files, tableOf);
  const tests = new Map<string, Test[][]>();
  for (const [table, places] of Object.entries(conditions)) {
    const ofPlaces: Test[][] = [];
    for (const place of places) ofPlaces.push(await testsOf(table, place, byTable));
    tests.set(table, ofPlaces);
  }
  const mayMatter = (file: LakeFile): boolean => {
    const places = tests.get(tableOf(file));
    if (!places || file.bounds === undefined) return true;
    const bounds = boundsOf(file);
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

const boundsOf = ({ bounds = '{}' }: LakeFile): Bounds => JSON.parse(bounds) as Bounds;

/** Test whether a file with these bounds may hold rows under a condition. */
type Test = (bounds: Bounds) => boolean;

type FilesByTable = ReadonlyMap<string, readonly LakeFile[]>;

async function testsOf(table: string, place: readonly Condition[], files: FilesByTable): Promise<Test[]> {
  const tests: Test[] = [];
  for (const condition of place) tests.push(await testOf(table, condition, files));
  return tests;
}

async function testOf(table: string, condition: Condition, files: FilesByTable): Promise<Test> {
  const { column } = condition;
  const form = boundForm(table, column);
  if (!form) return () => true;
  if ('among' in condition)
    return isAmong(
      column,
      condition.among.map((value) => boundValue(form, value)),
    );
  if ('of' in condition) {
    const values = await valuesOf(form, condition.of, files);
    return values ? isAmong(column, values) : () => true;
  }
  const { from = -Infinity, to = Infinity } = condition;
  return (bounds) => {
    const bound = bounds[column];
    return !bound || 'among' in bound || (from <= bound.to && to >= bound.from);
  };
}

/** `values`: as lists have them. */
function isAmong(column: string, values: readonly string[]): Test {
  const wanted = new Set(values);
  return (bounds) => {
    const bound = bounds[column];
    return !bound || !('among' in bound) || bound.among.some((value) => wanted.has(value));
  };
}

/**
 * Lists the values of a column in the files that may hold rows under conditions, as bounds have them. Undefined if one of the
 * files lists none.
 */
async function valuesOf(
  form: BoundForm,
  { table, column, where }: ConditionSource,
  files: FilesByTable,
): Promise<string[] | undefined> {
  if (boundForm(table, column) !== form) return undefined;
  const tests = await testsOf(table, where, files);
  const values: string[] = [];
  for (const [at, file] of (files.get(table) ?? []).entries()) {
    if (at % filesPerTurn === filesPerTurn - 1) await nextTurn();
    const bounds = boundsOf(file);
    if (!tests.every((mayHold) => mayHold(bounds))) continue;
    const bound = bounds[column];
    if (!bound || !('among' in bound)) return undefined;
    values.push(...bound.among);
  }
  return values;
}

/** Returns a value as the list of a column has it. */
function boundValue(form: BoundForm, value: string): string {
  return form === 'digests' ? createHash('sha256').update(value).digest('hex').slice(0, digestLength) : value;
}
