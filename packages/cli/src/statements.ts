/** Text of SQL, split into statements. */
interface Statements {
  /** Statements that end with a semicolon, without it. */
  complete: string[];
  /** Text after the last of them. */
  rest: string;
}

/**
 * Strings, quoted names, comments of a line and words, in which no semicolon ends a statement; also those that are not closed yet. A
 * word is taken whole: a dollar sign within it begins no string.
 */
const quoted =
  /[eE]'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|--[^\n]*|(\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)[\s\S]*?(?:\1|$)|[\w\u0080-\uffff][\w$\u0080-\uffff]*/y;

/** Returns the length of a comment of several lines at a place, 0 without one. Comments nest. */
function commentAt(text: string, begin: number): number {
  let depth = 0;
  let at = begin;
  do {
    if (text.startsWith('/*', at)) depth += 1;
    else if (text.startsWith('*/', at)) depth -= 1;
    else {
      at += 1;
      continue;
    }
    at += 2;
  } while (depth > 0 && at < text.length);
  return at - begin;
}

/** Splits text at the semicolons that end statements. Empty statements are left out. */
export function statementsOf(text: string): Statements {
  const complete: string[] = [];
  let begin = 0;
  for (let at = 0; at < text.length; ) {
    quoted.lastIndex = at;
    const [skipped] = quoted.exec(text) ?? [];
    if (skipped) at += skipped.length;
    else if (text.startsWith('/*', at)) at += commentAt(text, at);
    else {
      if (text[at] === ';') {
        complete.push(text.slice(begin, at).trim());
        begin = at + 1;
      }
      at += 1;
    }
  }
  return { complete: complete.filter((one) => one !== ''), rest: text.slice(begin) };
}
