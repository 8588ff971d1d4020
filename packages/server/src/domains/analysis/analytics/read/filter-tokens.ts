/** Word, sign or value of a filter string. `at`: its position, from 1. */
export interface Token {
  kind: 'name' | 'text' | 'number' | 'sign' | 'end';
  text: string;
  at: number;
}

const pattern =
  /\s*(?:([A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)*)|'((?:[^']|'')*)'|"((?:[^"]|"")*)"|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(!=|<>|<=|>=|==|[=<>(),[\]]))/y;

/** Splits a filter string into tokens; returns the position of the first invalid character otherwise. */
export function tokensOf(text: string): Token[] | { strangeAt: number } {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  pattern.lastIndex = 0;
  while (pattern.lastIndex < end) {
    const from = pattern.lastIndex;
    const found = pattern.exec(text);
    if (!found) return { strangeAt: from + text.slice(from).search(/\S/) + 1 };
    const [all, name, single, double, number, sign] = found;
    const at = from + all.search(/\S/) + 1;
    if (name !== undefined) tokens.push({ kind: 'name', text: name, at });
    else if (single !== undefined) tokens.push({ kind: 'text', text: single.replaceAll("''", "'"), at });
    else if (double !== undefined) tokens.push({ kind: 'text', text: double.replaceAll('""', '"'), at });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, at });
    else tokens.push({ kind: 'sign', text: sign ?? '', at });
  }
  tokens.push({ kind: 'end', text: 'the end', at: end + 1 });
  return tokens;
}
