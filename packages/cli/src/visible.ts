/**
 * Text of others as a terminal may show it. Control characters could move the cursor or change the screen, and marks of
 * direction could make a text read as another; they become dots. A zero-width joiner stays: emoji are made with it.
 */
export function visible(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    '·',
  );
}

/** One JSON document that a terminal may show: JSON itself escapes control characters up to U+001F only. */
export function documentText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  );
}
