import { RecordFault, textAt } from '../delimited/index.ts';

/** What the column `attributes` of our own formats holds: a JSON object. Throws `RecordFault` for anything else. */
export function givenAttributes(fields: readonly string[], place: number): Record<string, unknown> {
  const text = textAt(fields, place);
  if (text === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined; // Told below: it is no object either.
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RecordFault('attributes has to be a JSON object', place + 1);
  return { ...value };
}
