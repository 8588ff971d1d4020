import { meantName } from '@ploidy/formats/nearest';

/** Error in a line of genes: its place from 0, and a word that was probably meant. */
export interface GeneLanguageError {
  at: number;
  length: number;
  message: string;
  suggestion?: string;
}

/** Word or sign of a line, with its place from 0. */
export interface Token {
  kind: 'word' | 'sign' | 'break' | 'end';
  text: string;
  at: number;
}

const pattern = /[ \t\r]*(?:(\n|;)|(::|!=|>=|<=|[=<>:,()])|([^\s;:=<>!,()]+)|(!))/y;

/** Splits a text into tokens. Every character belongs to one. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  pattern.lastIndex = 0;
  while (pattern.lastIndex < end) {
    const found = pattern.exec(text);
    if (!found) break;
    const [, gap, sign, word, strange] = found;
    const shown = gap ?? sign ?? word ?? strange ?? '';
    const kind = gap !== undefined ? 'break' : word !== undefined ? 'word' : 'sign';
    tokens.push({ kind, text: shown, at: pattern.lastIndex - shown.length });
  }
  tokens.push({ kind: 'end', text: '', at: end });
  return tokens;
}

/** Ends parsing at the first error. */
export class Stop extends Error {
  readonly found: GeneLanguageError;

  constructor(found: GeneLanguageError) {
    super(found.message);
    this.found = found;
  }
}

/** Reads tokens one after the other; the first error ends it. */
export class Scanner {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  /** Next token, which stays. */
  get next(): Token {
    return this.#tokens[this.#position] as Token;
  }

  /** Token before the next one. */
  get before(): Token | undefined {
    return this.#tokens[this.#position - 1];
  }

  take(): Token {
    const token = this.next;
    if (token.kind !== 'end') this.#position += 1;
    return token;
  }

  /** Takes a word, in any case, if it is the next token. */
  takesWord(word: string): boolean {
    return this.#takesIf(this.next.kind === 'word' && this.next.text.toUpperCase() === word);
  }

  takesSign(sign: string): boolean {
    return this.#takesIf(this.next.kind === 'sign' && this.next.text === sign);
  }

  requireSign(sign: string): void {
    if (!this.takesSign(sign)) this.fail(this.next, `stands where ${sign} is expected`);
  }

  /** Takes ends of lines, and reports whether there was one. */
  takesBreaks(): boolean {
    const from = this.#position;
    while (this.next.kind === 'break') this.#position += 1;
    return this.#position > from;
  }

  /** Ends parsing. `known`: words of which one was probably meant. */
  fail({ text, at }: Pick<Token, 'text' | 'at'>, message: string, known: readonly string[] = []): never {
    const suggestion = meantName(text, known);
    const shown = text.trim() === '' ? 'The end' : `"${text.slice(0, 40)}"`;
    throw new Stop({
      ...{ at, length: Math.max(1, text.length), message: `${shown} ${message}.` },
      ...(suggestion !== undefined && { suggestion }),
    });
  }

  #takesIf(isNext: boolean): boolean {
    if (isNext) this.#position += 1;
    return isNext;
  }
}
