import type { Bucket } from '../api/ask.ts';

/** Returns a value with its name and the number of its subjects, where known. */
export function choiceOf(value: string, name: string, subjects: number | undefined) {
  return { value, label: subjects === undefined ? name : `${name} (${subjects.toLocaleString()})` };
}

/** Values by their subjects, the most frequent first; missing ones are no choice. */
export function sorted(list: Bucket[], field: string): { value: string; subjects: number }[] {
  return list
    .filter(({ key }) => key[field] !== null)
    .map(({ key, metrics }) => ({ value: String(key[field]), subjects: Number(metrics?.[0]?.value ?? 0) }))
    .sort((one, other) => other.subjects - one.subjects);
}
