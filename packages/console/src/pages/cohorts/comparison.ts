import { adjusted, fisherExact } from '@ploidy/statistics';
import type { Bucket } from '../../api/ask.ts';

/** A value and the subjects of each cohort that have it. */
export interface Compared {
  value: string;
  subjects: number[];
  /** Two-sided p-value of Fisher's exact test, of two cohorts only. */
  p?: number;
  /** Adjusted for the number of values. */
  q?: number;
}

/** Compares how many subjects of each cohort have each value of a field. */
export function compared(field: string, sizes: readonly number[], lists: readonly Bucket[][]): Compared[] {
  const counts = new Map<string, number[]>();
  for (const [at, list] of lists.entries())
    for (const { key, metrics } of list) {
      if (key[field] === null) continue;
      const value = String(key[field]);
      const subjects = counts.get(value) ?? sizes.map(() => 0);
      subjects[at] = Number(metrics?.[0]?.value ?? 0);
      counts.set(value, subjects);
    }
  const rows = [...counts].map(([value, subjects]): Compared => ({ value, subjects }));
  const [first = 0, second = 0] = sizes;
  if (sizes.length === 2) {
    const values = rows.map(({ subjects: [a = 0, c = 0] }) => fisherExact([a, first - a, c, second - c]));
    const corrected = adjusted(values);
    for (const [at, row] of rows.entries()) Object.assign(row, { p: values[at], q: corrected[at] });
  }
  const weight = ({ p, subjects }: Compared): number => p ?? -Math.max(...subjects);
  return rows.sort((one, other) => weight(one) - weight(other));
}
