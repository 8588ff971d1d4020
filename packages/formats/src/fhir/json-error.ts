/**
 * Finds the error in invalid JSON. The runtime's own message quotes the input, which may be health data, and often names no
 * position. This slow, strict reader (RFC 8259) runs after a failed parse, and reports both without a quotation.
 */
export interface JsonError {
  /** Index of the first invalid character. */
  offset: number;
  reason: string;
}

const space = /[ \t\n\r]*/y;
const scalar = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;
/** Matches the plain part of a string, and one escape: both in one pattern would need a stack as long as the string. */
const plain = /[^"\\\u0000-\u001f]*/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Returns the first error of a JSON text; undefined for a valid one. */
export function findJsonError(text: string): JsonError | undefined {
  const open: string[] = [];
  let at = 0;
  /** Expected token: `value`, `value or ]`, `key`, `key or }`, `:` or `, or end`. */
  let expected: string = 'value';
  const match = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return false;
    at = pattern.lastIndex;
    return true;
  };
  for (;;) {
    match(space);
    const character = text[at];
    if (character === undefined) {
      if (expected === ', or end' && open.length === 0) return undefined;
      return { offset: at, reason: 'the text ends in the middle of a value' };
    }
    if (expected === ', or end' && open.length === 0) {
      return { offset: at, reason: 'other data follows the end of the value' };
    }
    if ((character === '}' || character === ']') && closes(character, expected, open)) {
      open.pop();
      at += 1;
      expected = ', or end';
    } else if (expected === ':' || expected === ', or end') {
      const wanted = expected === ':' ? ':' : ',';
      if (character !== wanted) return { offset: at, reason: `"${wanted}" is missing` };
      at += 1;
      expected = expected === ':' || open.at(-1) === ']' ? 'value' : 'key';
    } else if (character === '"') {
      at += 1;
      do match(plain);
      while (match(escaped));
      if (text[at] !== '"') return stringError(text, at);
      at += 1;
      expected = expected === 'key' || expected === 'key or }' ? ':' : ', or end';
    } else if (expected === 'key' || expected === 'key or }') {
      return { offset: at, reason: 'a key in quotes is missing' };
    } else if (character === '{' || character === '[') {
      open.push(character === '{' ? '}' : ']');
      at += 1;
      expected = character === '{' ? 'key or }' : 'value or ]';
    } else if (match(scalar)) {
      expected = ', or end';
    } else {
      return { offset: at, reason: 'no JSON value starts here' };
    }
  }
}

function closes(character: string, expected: string, open: string[]): boolean {
  if (open.at(-1) !== character) return false;
  return expected === ', or end' || expected === (character === '}' ? 'key or }' : 'value or ]');
}

function stringError(text: string, at: number): JsonError {
  if (at >= text.length) return { offset: at, reason: 'a string has no closing quote' };
  const reason =
    text[at] === '\\' ? 'a string holds an unknown escape' : 'a string holds an unescaped control character';
  return { offset: at, reason };
}
