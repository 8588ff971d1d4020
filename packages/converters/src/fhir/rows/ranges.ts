import type { RowSource } from './row-cursor.ts';
import type { Section } from './row-file.ts';

/** Target weight of a row group, in the unit of `Section.weight`. */
const groupWeight = 12 * 1024 * 1024;

/** Rows of a table between two keys, which become one row group. */
export interface RowRange {
  sources: RowSource[];
  /** First key, one character a byte. */
  from: string | undefined;
  /** First key of the next range. */
  to: string | undefined;
}

/** Cuts the sorted rows of a table into row groups. They depend on the sections only, so that every run makes the same ones. */
export function rangesOf(sections: readonly Section[]): RowRange[] {
  const keys = boundaries(sections);
  const ranges = [undefined, ...keys].map((from, index) => {
    const to = keys[index];
    const sources = sections
      .map((section) => within(section, from, to))
      .filter(({ start, end }) => start < end);
    return { sources, from, to };
  });
  return ranges.filter(({ sources }) => sources.length > 0);
}

/** Chooses keys that divide the rows evenly, from the marks of all sections. */
function boundaries(sections: readonly Section[]): string[] {
  const whole = sections.reduce((sum, { weight }) => sum + weight, 0);
  const count = Math.ceil(whole / groupWeight);
  if (count <= 1) return [];
  const steps = sections.flatMap(({ marks, weight }) =>
    marks.map((mark, index) => ({
      key: mark.key,
      weight: (marks[index + 1]?.weight ?? weight) - mark.weight,
    })),
  );
  steps.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const keys: string[] = [];
  let passed = 0;
  for (const { key, weight } of steps) {
    if (passed >= ((keys.length + 1) * whole) / count && key !== keys.at(-1)) keys.push(key);
    passed += weight;
  }
  return keys;
}

/** Returns the part of a section that may hold rows of a range. */
function within(
  { path, start, end, marks }: Section,
  from: string | undefined,
  to: string | undefined,
): RowSource {
  // Rows before a mark may have its key, too.
  const first = from === undefined ? undefined : marks.findLast(({ key }) => key < from);
  const last = to === undefined ? undefined : marks.find(({ key }) => key >= to);
  return { path, start: first?.offset ?? start, end: last?.offset ?? end };
}
