import type { Value } from '@ploidy/formats';

/**
 * The text files between the reader and the engine: columns end with the ASCII unit separator and rows with a line feed,
 * and nothing is quoted. Compact JSON holds neither, so documents are written as they are; line breaks of other texts are
 * written as separators that FHIR forbids, and put back by the engine. An empty field is NULL (FHIR has no empty texts).
 */
export const separator = '\x1f';
export const writtenLineFeed = '\x1c';
export const writtenCarriageReturn = '\x1d';

const unwritable = /[\0-\x08\x0b\x0c\x0e-\x1f]/g;
const control = /[\0-\x08\x0a-\x1f]/;

/** Whether a value has to be changed by `controlText` before it is written. */
export function holdsControls(value: Value): value is string {
  return typeof value === 'string' && control.test(value);
}

/** A text without the characters that would end a field or a row. */
export function controlText(text: string): string {
  const allowed = text.replace(unwritable, '\ufffd');
  return allowed.replaceAll('\n', writtenLineFeed).replaceAll('\r', writtenCarriageReturn);
}
