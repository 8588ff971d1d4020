import type { Value } from '@ploidy/formats';

/**
 * The text files between the reader and the engine: columns end with the ASCII unit separator and rows with a line feed.
 * Compact JSON holds neither, so documents are written as they are; a text with a line break is put between record
 * separators. An empty field is NULL (FHIR has no empty texts).
 */
export const separator = '\x1f';
export const quote = '\x1e';

const control = /[\0-\x1f]/;
const unwritable = /[\0-\x08\x0b\x0c\x0e-\x1f]/g;

/** One field; `mayHoldControls` is false for values of a document that holds no escape at all. */
export function fieldText(value: Value, mayHoldControls: boolean): string {
  if (value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  if (!mayHoldControls || !control.test(value)) return value;
  return `${quote}${value.replace(unwritable, '\ufffd')}${quote}`;
}
