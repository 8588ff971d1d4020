import type { RowSource } from './row-cursor.ts';
import type { Section } from './row-file.ts';

/** What a row group should hold, as sections weigh their rows. */
const groupWeight = 12 * 1024 * 1024;

/** The rows of a table from one key to another, which are one row group. */
export interface RowRange {
  sources: RowSource[];
  /** One character a byte; the first row is not before it. */
  from: string | undefined;
  /** Rows with this key are of the next range. */
  to: string | undefined;
}

/** Cuts the sorted rows of a table into row groups. It depends on the sections only, so that every run gives the same ones. */
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

/** Keys between which lie about as many rows, told by the marks of all sections. */
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

/** The part of a section in which the rows of a range lie. */
function within(
  { path, start, end, marks }: Section,
  from: string | undefined,
  to: string | undefined,
): RowSource {
  // Rows with the key of a mark may stand before it, too.
  const first = from === undefined ? undefined : marks.findLast(({ key }) => key < from);
  const last = to === undefined ? undefined : marks.find(({ key }) => key >= to);
  return { path, start: first?.offset ?? start, end: last?.offset ?? end };
}
