/** Text of SQL, split into statements. */
interface Statements {
  /** Statements that end with a semicolon, without it. */
  complete: string[];
  /** Text after the last of them. */
  rest: string;
}

/** Strings, quoted names and comments, whose semicolons end nothing; also those that are not closed yet. */
const quoted = /'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y;

/** Splits text at the semicolons that end statements. Empty statements are left out. */
export function statementsOf(text: string): Statements {
  const complete: string[] = [];
  let begin = 0;
  for (let at = 0; at < text.length; ) {
    quoted.lastIndex = at;
    const [skipped] = quoted.exec(text) ?? [];
    if (skipped) at += skipped.length;
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
