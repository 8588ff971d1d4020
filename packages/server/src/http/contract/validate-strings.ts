import type { ProblemDetail } from '../../base/problem.ts';

/** Maximum nesting of a body: far beyond real ones, and far below the depth that overflows the stack. */
const depthMax = 100;

/**
 * Reports strings with U+0000, lone surrogates or U+10FFFF, unless their path has an error already. PostgreSQL refuses the first,
 * and UTF-8 cannot encode the second. The third ends ranges of names (`prefixEnd`), so that no list would find such a name.
 */
export function addStringErrors(
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
    if (!isStorable(value)) add(invalidCharacter);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth === depthMax) {
    add(`is nested deeper than ${depthMax} levels`);
    return;
  }
  for (const name in value) {
    const part: unknown = Reflect.get(value, name);
    if (typeof part === 'number') continue;
    // A path with the name would hold the character itself.
    if (!isStorable(name)) add(invalidCharacter);
    else addStringErrors(details, part, `${path}/${name}`, detailsMax, depth + 1);
  }
}

const invalidCharacter = 'holds a character that is not valid in a text';

function isStorable(text: string): boolean {
  return text.isWellFormed() && !/[\0\u{10ffff}]/u.test(text);
}
