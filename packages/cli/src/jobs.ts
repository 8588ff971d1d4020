import { positiveNumber } from './input.ts';

/** Option of commands that work on several items at once. */
export const jobsOption = ['--jobs <n>', 'items to work on at once', positiveNumber, 4] as const;

/**
 * Runs work on items, at most `jobs` at once; results are in the order of the items. After the first failure no further one begins,
 * and those under way end before the failure is thrown.
 */
export async function inJobs<T, R>(
  items: readonly T[],
  jobs: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length && failures.length === 0) {
      const index = next++;
      try {
        results[index] = await work(items[index] as T);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
  return results;
}
