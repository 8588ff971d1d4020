import type { ProblemDetail } from '../problem.ts';

/** Deepest nesting of a body: far beyond any real one, far from the depth that breaks a walk over it. */
const depthMax = 100;

/**
 * Adds what is wrong with the texts in an input, unless something else is known to be wrong with them already. U+0000 and lone surrogates
 * are no text that can be kept: PostgreSQL refuses the one, and UTF-8 has no bytes for the other. U+10FFFF, which is no character, is
 * what ranges of names end with (`prefixEnd`): no list would find a name with it.
 */
export function addMistakesInTexts(
  details: ProblemDetail[],
  value: unknown,
  path: string,
  detailsMax: number,
  depth = 0,
): void {
  const add = (message: string): void => {
    const isNew = details.length < detailsMax && details.every((detail) => detail.path !== path);
    if (isNew) details.push({ path, message });
  };
  if (typeof value === 'string') {
    if (!isText(value)) add(noText);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth === depthMax) {
    add(`is nested deeper than ${depthMax} levels`);
    return;
  }
  for (const [name, part] of Object.entries(value)) {
    // The path would hold the name.
    if (!isText(name)) add(noText);
    else addMistakesInTexts(details, part, `${path}/${name}`, detailsMax, depth + 1);
  }
}

const noText = 'holds a character that is not valid in a text';

function isText(text: string): boolean {
  return text.isWellFormed() && !/[\0\u{10ffff}]/u.test(text);
}
