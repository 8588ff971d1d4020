import { RecordFault, textAt } from '../delimited/index.ts';
import { parseJson } from '../fhir/index.ts';

/** Reads the column `attributes` of our own formats: a JSON object. Throws `RecordFault` for anything else. */
export function givenAttributes(fields: readonly string[], place: number): Record<string, unknown> {
  const text = textAt(fields, place);
  if (text === undefined) return {};
  let value: unknown;
  try {
    value = parseJson(text, keepDigits);
  } catch {
    value = undefined; // Reported below: it is no object either.
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RecordFault('attributes has to be a JSON object whose keys need no backslash', place + 1);
  return { ...value };
}

/** Keeps numbers as written, for `JSON.parse`: long ones would lose digits as JavaScript numbers. */
export function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined ? JSON.rawJSON(source) : value;
}
