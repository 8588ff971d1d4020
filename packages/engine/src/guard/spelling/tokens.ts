/** A word, name, text, number or sign of a statement; blanks and comments are left out. */
export interface Token {
  kind: 'word' | 'name' | 'text' | 'other';
  /** As it is written; a word in lower case. */
  text: string;
  start: number;
  end: number;
}

const comment = String.raw`\s+|--[^\n]*|\/\*[\s\S]*?\*\/`;
const text = String.raw`[eE]'(?:[^'\\]|\\[\s\S]|'')*'|(?:[xX]|[uU]&)?'(?:[^']|'')*'|\$(?<tag>\w*)\$[\s\S]*?\$\k<tag>\$`;
const pattern = new RegExp(
  String.raw`(?<blank>${comment})|(?<text>${text})|(?<name>"(?:[^"]|"")*")|(?<word>[\p{L}_][\p{L}\p{N}_$]*)|(?<other>\d[\w.]*|[\s\S])`,
  'gu',
);

/** Splits a statement. What it takes wrongly does no harm: the guard judges the tree of what comes out. */
export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = [];
  for (const { 0: whole, index, groups = {} } of sql.matchAll(pattern)) {
    if (groups['blank'] !== undefined) continue;
    const kind = (['word', 'name', 'text'] as const).find((one) => groups[one] !== undefined) ?? 'other';
    const written = kind === 'word' ? whole.toLowerCase() : whole;
    tokens.push({ kind, text: written, start: index, end: index + whole.length });
  }
  return tokens;
}
