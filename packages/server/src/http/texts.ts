/** Deepest nesting of a body: far beyond any real one, far from the depth that breaks a walk over it. */
const depthMax = 100;

/**
 * What is wrong with the texts in an input, or `undefined`. U+0000 and lone surrogates are no text that can be kept:
 * PostgreSQL refuses the one, and UTF-8 has no bytes for the other.
 */
export function mistakeInTexts(
  value: unknown,
  path = '',
  depth = 0,
): { path: string; message: string } | undefined {
  if (typeof value === 'string') {
    if (value.isWellFormed() && !value.includes('\0')) return undefined;
    return { path, message: 'holds a character that is not valid in a text' };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === depthMax) return { path, message: `is nested deeper than ${depthMax} levels` };
  for (const [name, part] of Object.entries(value)) {
    const mistake = mistakeInTexts(name, path, depth) ?? mistakeInTexts(part, `${path}/${name}`, depth + 1);
    if (mistake) return mistake;
  }
  return undefined;
}
