/** JSON text that is kept as text: `data` must hold every number as it was written. */

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

/** Returns whether a value is an object, and neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Between two tokens: after a bracket, a comma, a colon or a quote, or after a bare word before a delimiter.
const looseSpace = /[[\]{},:"]\s+["[{\-0-9tfn\]},:]|[0-9a-z]\s+[,}\]]/;
const spaces = /[ \t\r\n]+/g;

/** Removes the whitespace between the tokens of valid JSON text; strings and numbers stay as they were written. */
export function compactJson(loose: string): string {
  const text = loose.trim();
  if (!looseSpace.test(text)) return text;
  let compact = '';
  let at = 0;
  for (;;) {
    const open = text.indexOf('"', at);
    if (open < 0) return compact + text.slice(at).replace(spaces, '');
    const end = stringEnd(text, open);
    compact += text.slice(at, open).replace(spaces, '') + text.slice(open, end);
    at = end;
  }
}

/** Index after the closing quote of the string that opens at `open`. */
function stringEnd(text: string, open: number): number {
  let close = open;
  for (;;) {
    close = text.indexOf('"', close + 1);
    if (close < 0) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(close - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return close + 1;
  }
}

/** Returns how many members the objects in valid JSON text have, also those whose key is repeated. */
export function memberCount(text: string): number {
  let count = 0;
  forEachKey(text, () => {
    count += 1;
  });
  return count;
}

/**
 * Returns whether a key of JSON text holds a backslash. V8 14.6 reads escaped keys behind such a one as that one, in all texts that
 * the process parses later: it must not be parsed.
 */
export function hasBackslashInKey(text: string): boolean {
  const backslash = /\\\\|\\u005c/i;
  if (!backslash.test(text)) return false;
  let isFound = false;
  forEachKey(text, (open, end) => {
    isFound ||= backslash.test(text.slice(open, end));
  });
  return isFound;
}

/** Last escape of a key, or of a string that looks like one. */
const escapeInKey = /\\.[^"\\]*"\s*:/s;

/**
 * Writes the keys of JSON text without escapes: the engine may mistake an escaped one for another key (see `hasBackslashInKey`).
 * Throws `SyntaxError` for a key that needs one: it holds a quotation mark, a backslash or a control character.
 */
export function withPlainKeys(text: string): string {
  if (!escapeInKey.test(text)) return text;
  let plain = '';
  let from = 0;
  forEachKey(text, (open, end) => {
    const written = text.slice(open, end);
    if (!written.includes('\\')) return;
    const key = JSON.stringify(JSON.parse(written));
    if (key.includes('\\')) throw new SyntaxError(escapedKey);
    plain += text.slice(from, open) + key;
    from = end;
  });
  return plain + text.slice(from);
}

/** Reason for which keys are refused. */
export const escapedKey = 'a key holds a quotation mark, a backslash or a control character';

/** Parses JSON that others wrote, whose keys need no escape. Throws `SyntaxError`. */
export function parseJson(text: string, revive?: Parameters<typeof JSON.parse>[1]): unknown {
  return JSON.parse(withPlainKeys(text), revive);
}

function forEachKey(text: string, onKey: (open: number, end: number) => void): void {
  for (let open = text.indexOf('"'); open >= 0; ) {
    const end = stringEnd(text, open);
    let next = end;
    while (/\s/.test(text.charAt(next))) next += 1;
    if (text.charAt(next) === ':') onKey(open, end);
    open = text.indexOf('"', end);
  }
}

export interface Child {
  /** Key of a member as written; '' in a list. */
  key: string;
  start: number;
  end: number;
}

/** Returns the ranges of the members of the object (or the elements of the list) that opens at `start`, in valid compact JSON text. */
export function children(text: string, start: number): Child[] {
  const found: Child[] = [];
  const inList = text.charCodeAt(start) === 0x5b;
  let at = start + 1;
  for (;;) {
    const first = text.charCodeAt(at);
    if (first === 0x5d || first === 0x7d || at >= text.length) return found;
    let key = '';
    if (!inList) {
      const keyEnd = stringEnd(text, at);
      key = text.slice(at + 1, keyEnd - 1);
      at = keyEnd + 1;
    }
    const end = valueEnd(text, at);
    found.push({ key, start: at, end });
    at = text.charCodeAt(end) === 0x2c ? end + 1 : end;
  }
}

function valueEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === 0x22) at = stringEnd(text, at) - 1;
    else if (character === 0x7b || character === 0x5b) depth += 1;
    else if (character === 0x7d || character === 0x5d) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (character !== 0x2c || depth > 0) continue;
    if (depth === 0) return character === 0x2c ? at : at + 1;
  }
  return text.length;
}

const suspect = /\\u(?:0000|[dD][89a-fA-F])/;
const escapes =
  /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\u0000|\\./gs;

/** Writes U+FFFD for characters that no UTF-8 text column can hold: half a surrogate pair, and NUL (FHIR forbids both in strings). */
export function replaceUnstorable(text: string): string {
  if (!suspect.test(text)) return text;
  return text.replace(escapes, (written) =>
    written.length === 6 && suspect.test(written) ? '\\ufffd' : written,
  );
}
