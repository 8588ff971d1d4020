/** What the engine's tree gives no place for. */
export type Sought = 'parameter' | 'description';

export interface Word {
  /** In lower case; of a quoted name with its quotes, of a text nothing. */
  text: string;
  /** In characters of JavaScript. */
  index: number;
  /** Whether a statement, or one in parentheses, begins with it. */
  leads: boolean;
  /** From 0. */
  statement: number;
}

/**
 * Words and signs between texts, quoted names and comments, as the engine's scanner takes them apart. Only places are read
 * from it, never what is allowed; and only of texts that the engine could read, in which nothing is left open.
 */
const piece =
  /(?<skipped>\s+|--[^\n]*|\/\*|[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(?<tag>(?:[a-z_]\w*)?)\$.*?\$\k<tag>\$)|(?<word>[a-z_\u0080-\uffff][\w$\u0080-\uffff]*|\$\w+|\d[\w.]*|.)/gisu;

export function wordsOf(sql: string): Word[] {
  const words: Word[] = [];
  let statement = 0;
  let leads = true;
  piece.lastIndex = 0;
  for (let match = piece.exec(sql); match; match = piece.exec(sql)) {
    const { skipped, word } = match.groups ?? {};
    if (skipped === '/*') piece.lastIndex = endOfComment(sql, match.index);
    else if (skipped !== undefined && /^[\s-]/.test(skipped)) continue;
    else if (word === ';') {
      if (words.at(-1)?.statement === statement) statement += 1;
      leads = true;
    } else {
      const text = word ?? (skipped?.startsWith('"') ? skipped : '');
      words.push({ text: text.toLowerCase(), index: match.index, leads, statement });
      leads = word === '(';
    }
  }
  return words;
}

/** Comments may stand within each other. */
function endOfComment(sql: string, start: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = start;
  let depth = 0;
  for (let match = mark.exec(sql); match; match = mark.exec(sql)) {
    depth += match[0] === '/*' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return sql.length;
}

/** Where the second statement begins, in bytes. */
export function secondStatement(sql: string): number | undefined {
  return offsetOf(
    sql,
    wordsOf(sql).find(({ statement }) => statement === 1),
  );
}

const reading = /^(?:select|with|from|values|table|pivot|unpivot|describe|desc|show|summarize|\()$/;

/** Where the statement that is no SELECT begins, in bytes; the only one may begin like one. */
export function changingStatement(sql: string): number | undefined {
  const words = wordsOf(sql);
  const [first] = words;
  const changing = words.find(
    ({ text, statement }, index) => statement !== words[index - 1]?.statement && !reading.test(text),
  );
  return offsetOf(sql, changing ?? (words.at(-1)?.statement === 0 ? first : undefined));
}

const sought: Readonly<Record<Sought, (word: Word) => boolean>> = {
  parameter: ({ text }) => /^(?:\?|\$\w+)$/.test(text),
  description: ({ text, leads }) => leads && /^(?:describe|desc|show|summarize)$/.test(text),
};

/** Where the first of these stands, in bytes. */
export function find(sql: string, what: Sought): number | undefined {
  return offsetOf(sql, wordsOf(sql).find(sought[what]));
}

/** In bytes. */
export function offsetOf(sql: string, word: Word | undefined): number | undefined {
  return word && Buffer.byteLength(sql.slice(0, word.index));
}
