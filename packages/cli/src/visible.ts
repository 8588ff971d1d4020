/**
 * Text of others as a terminal may show it. Control characters could move the cursor or change the screen, and marks of
 * direction its reading order; they become dots. A zero-width joiner stays: emoji are made with it.
 */
export function visible(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    '·',
  );
}

/** Writes one JSON document that a terminal may show. */
export function documentText(value: unknown, indent?: number): string {
  return escapedControls(JSON.stringify(value, null, indent));
}

/** Escapes the control characters that JSON itself leaves: it escapes up to U+001F only. */
export function escapedControls(json: string): string {
  return json.replace(/[\u007f-\u009f]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}
