/** A word, name, text, number or sign of a statement; blanks and comments are left out. */
export interface Token {
  kind: 'word' | 'name' | 'text' | 'other';
  /** Text as written; a word in lower case. */
  text: string;
  start: number;
  end: number;
}

/** Replaced part of a text; characters. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

const comment = String.raw`\s+|--[^\n]*|\/\*[\s\S]*?\*\/`;
const text = String.raw`[eE]'(?:[^'\\]|\\[\s\S]|'')*'|(?:[xX]|[uU]&)?'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\3\$`;
const pattern = new RegExp(
  String.raw`(${comment})|(${text})|("(?:[^"]|"")*")|([\p{L}_][\p{L}\p{N}_$]*)|\d[\w.]*|[\s\S]`,
  'gu',
);

/** Splits a statement. Errors do no harm: the guard checks the tree of the result. */
export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = [];
  // Groups by number: names would cost an object for each token.
  for (const match of sql.matchAll(pattern)) {
    const [whole, blank, text, , name, word] = match;
    if (blank !== undefined) continue;
    const kind =
      word !== undefined ? 'word' : name !== undefined ? 'name' : text !== undefined ? 'text' : 'other';
    const { index } = match;
    const written = kind === 'word' ? whole.toLowerCase() : whole;
    tokens.push({ kind, text: written, start: index, end: index + whole.length });
  }
  return tokens;
}
