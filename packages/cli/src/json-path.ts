import { InvalidArgumentError } from 'commander';
import { CommandError } from './exit.ts';

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

/**
 * Returns the values at a path, as jq does: null for a field or position that is absent, and no elements of null. `CommandError` where the document has
 * another kind of value than the path, which would print nothing.
 */
export function valuesAt(document: unknown, steps: readonly Step[]): unknown[] {
  return steps.reduce<unknown[]>((values, one) => values.flatMap((value) => next(value, one)), [document]);
}

function next(value: unknown, one: Step): unknown[] {
  const isList = Array.isArray(value);
  if (value === null) return one === 'all' ? [] : [null];
  if (one === 'all') {
    if (!(value instanceof Object)) throw otherKind(value, '[] is for lists and objects');
    return Object.values(value);
  }
  if ('at' in one) {
    if (!isList) throw otherKind(value, `[${one.at}] is for lists`);
    return [value.at(one.at) ?? null];
  }
  if (isList || !(value instanceof Object)) throw otherKind(value, `.${one.field} is for objects`);
  return [Object.hasOwn(value, one.field) ? ((value as Record<string, unknown>)[one.field] ?? null) : null];
}

function otherKind(value: unknown, wanted: string): CommandError {
  const kind = Array.isArray(value) ? 'a list' : `of type ${typeof value}`;
  const remedy = 'With --paginate the document is the list of items: .[].name';
  return new CommandError(
    `The path does not fit the answer: ${wanted}, and the value is ${kind}.`,
    undefined,
    remedy,
  );
}
