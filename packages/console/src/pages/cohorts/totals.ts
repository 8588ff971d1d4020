/** A count of a cohort in one project. */
export interface Count {
  project: string;
  count: number;
  /** ISO 8601 */
  countedTime: string;
}

/** Adds up the counts of all projects at each time at which one changed, the oldest first. */
export function totals(counts: readonly Count[]): { time: Date; subjects: number }[] {
  const present = new Map<string, number>();
  const sums = new Map<string, number>();
  for (const { project, count, countedTime } of counts.toReversed()) {
    present.set(project, count);
    sums.set(
      countedTime,
      [...present.values()].reduce((sum, one) => sum + one, 0),
    );
  }
  return [...sums].map(([time, subjects]) => ({ time: new Date(time), subjects }));
}
