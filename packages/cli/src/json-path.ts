import { InvalidArgumentError } from 'commander';

/** Step of a path: a field, a position, or all elements. */
type Step = { field: string } | { at: number } | 'all';

const step = /\.([A-Za-z_$][\w$-]*)|\.?\["((?:[^"\\]|\\.)*)"\]|\.?\[(-?\d{1,9})\]|\.?\[\]/y;

/** Parses a path such as `.items[].name` or `.items[0]["x-y"]`, the paths of jq. `.` is the whole document. */
export function jsonPath(text: string): Step[] {
  const steps: Step[] = [];
  if (text === '.') return steps;
  for (let at = 0; at < text.length; at = step.lastIndex) {
    step.lastIndex = at;
    const [found, name, quoted, position] = step.exec(text) ?? [];
    if (found === undefined) throw new InvalidArgumentError('It should be a path such as .items[].name.');
    if (position !== undefined) steps.push({ at: Number(position) });
    else if (name !== undefined) steps.push({ field: name });
    else if (quoted !== undefined) steps.push({ field: unescaped(quoted) });
    else steps.push('all');
  }
  return steps;
}

function unescaped(quoted: string): string {
  try {
    return JSON.parse(`"${quoted}"`) as string;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new InvalidArgumentError('It has a string that is not JSON.');
  }
}

/** Returns the values at a path; null where a document has none, as jq does. */
export function valuesAt(document: unknown, steps: readonly Step[]): unknown[] {
  return steps.reduce<unknown[]>((values, one) => values.flatMap((value) => next(value, one)), [document]);
}

function next(value: unknown, one: Step): unknown[] {
  if (one === 'all') return value instanceof Object ? Object.values(value) : [];
  if ('at' in one) return [(Array.isArray(value) ? value.at(one.at) : undefined) ?? null];
  const isOwn = value instanceof Object && !Array.isArray(value) && Object.hasOwn(value, one.field);
  return [isOwn ? ((value as Record<string, unknown>)[one.field] ?? null) : null];
}
