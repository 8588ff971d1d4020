/** Rows of a result, by the names of their columns. */
export type Rows = Record<string, unknown>[];

/** Measures of the rows that have one place in a chart; `none` draws each row. */
export const measures = ['none', 'count', 'sum', 'mean', 'median', 'min', 'max'] as const;
export type Measure = (typeof measures)[number];

/** Columns of a chart. `value`: measured one; `by`: those that place it. */
interface Measured {
  value: string;
  by: string[];
  measure: Measure;
}

/** Heading of a measured value. */
export function headingOf(measure: Measure, value: string): string {
  if (measure === 'none') return value;
  return measure === 'count' ? 'rows' : `${measure} of ${value}`;
}

/** Measures the rows of each place, in the order in which the places appear. Rows without a number count for `count` alone. */
export function measured(rows: Rows, { value, by, measure }: Measured): Rows {
  if (measure === 'none') return rows;
  const places = new Map<string, Rows>();
  for (const row of rows) {
    const key = JSON.stringify(by.map((name) => row[name] ?? null));
    const place = places.get(key);
    if (place) place.push(row);
    else places.set(key, [row]);
  }
  const heading = headingOf(measure, value);
  return [...places.values()].flatMap((place) => {
    const numbers = place.map((row) => row[value]).filter((one) => typeof one === 'number');
    if (measure !== 'count' && numbers.length === 0) return [];
    const where = Object.fromEntries(by.map((name) => [name, place[0]?.[name]]));
    return [{ ...where, [heading]: measure === 'count' ? place.length : computed(measure, numbers) }];
  });
}

function computed(measure: Exclude<Measure, 'none' | 'count'>, numbers: number[]): number {
  const sum = (): number => numbers.reduce((total, one) => total + one, 0);
  if (measure === 'sum') return sum();
  if (measure === 'mean') return sum() / numbers.length;
  const sorted = numbers.toSorted((one, other) => one - other);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  if (measure === 'min') return at(0);
  if (measure === 'max') return at(sorted.length - 1);
  const middle = (sorted.length - 1) / 2;
  return (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2;
}

/** Name of the groups that have no colour of their own. */
const otherGroups = 'other';

/** Returns the groups of a column, the largest first. Beyond `groupsMax` the smallest are one group, `other`, also in the rows. */
export function grouped(rows: Rows, column: string, groupsMax: number): { rows: Rows; groups: string[] } {
  const sizes = new Map<string, number>();
  for (const row of rows) sizes.set(nameOf(row[column]), (sizes.get(nameOf(row[column])) ?? 0) + 1);
  const names = [...sizes].toSorted(([, one], [, other]) => other - one).map(([name]) => name);
  const kept = names.length > groupsMax ? names.slice(0, groupsMax - 1) : names;
  const isKept = new Set(kept);
  return {
    rows: rows.map((row) => {
      const name = nameOf(row[column]);
      return { ...row, [column]: isKept.has(name) ? name : otherGroups };
    }),
    groups: names.length > groupsMax ? [...kept, otherGroups] : kept,
  };
}

const nameOf = (value: unknown): string =>
  value === null || value === undefined ? 'no value' : String(value);
