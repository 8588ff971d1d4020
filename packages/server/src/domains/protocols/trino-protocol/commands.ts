import { type Token, tokensOf } from '@ploidy/engine';
import { StatementFailed } from './failure.ts';

/** Statement by what is to be done with it. Names are as in the session: unquoted ones in lower case. */
export type Command =
  | { kind: 'query'; text: string }
  | { kind: 'use'; catalog?: string; schema: string }
  | { kind: 'setSession'; name: string; value: string }
  | { kind: 'resetSession'; name: string }
  | { kind: 'prepare'; name: string; text: string }
  | { kind: 'deallocate'; name: string }
  | { kind: 'describeInput' | 'describeOutput'; name: string }
  | { kind: 'execute'; name: string; values: string[] }
  | { kind: 'executeImmediate'; text: string; values: string[] }
  | { kind: 'explain'; type: string; text: string }
  | { kind: 'show'; what: 'columns'; names: string[] }
  | { kind: 'showCreate'; what: 'table' | 'view'; names: string[] }
  | { kind: 'showStats'; text: string }
  | {
      kind: 'show';
      what: 'catalogs' | 'schemas' | 'tables' | 'functions';
      names: string[];
      like: string;
    }
  | { kind: 'kill'; id: string }
  | { kind: 'transaction'; word: 'START TRANSACTION' | 'COMMIT' | 'ROLLBACK' };

/** Reads what kind of statement a text is. Throws `StatementFailed` for those that are not supported. */
export function readCommand(text: string): Command {
  return new CommandReader(text).read();
}

class CommandReader {
  readonly #text: string;
  readonly #tokens: Token[];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokensOf(text);
    if (this.#tokens.at(-1)?.text === ';') this.#tokens.pop();
  }

  read(): Command {
    const word = this.#tokens[0]?.text ?? '';
    if (/^(?:select|with|values|table|from|\()$/.test(word)) return { kind: 'query', text: this.#rest() };
    this.#at++;
    switch (word) {
      case 'use':
        return this.#use();
      case 'set':
        return this.#set();
      case 'reset':
        this.#expect('session');
        return { kind: 'resetSession', name: this.#names().join('.') };
      case 'prepare': {
        const name = this.#name();
        this.#expect('from');
        return { kind: 'prepare', name, text: this.#rest() };
      }
      case 'deallocate':
        this.#expect('prepare');
        return { kind: 'deallocate', name: this.#name() };
      case 'execute':
        return this.#execute();
      case 'describe':
      case 'desc':
        return this.#describe();
      case 'show':
        return this.#show();
      case 'explain':
        return this.#explain();
      case 'call':
        return this.#call();
      case 'start':
      case 'begin':
        return { kind: 'transaction', word: 'START TRANSACTION' };
      case 'commit':
        return { kind: 'transaction', word: 'COMMIT' };
      case 'rollback':
        return { kind: 'transaction', word: 'ROLLBACK' };
      default:
        return this.#refuse(word);
    }
  }

  #use(): Command {
    const [first = '', schema] = this.#names();
    return schema === undefined ? { kind: 'use', schema: first } : { kind: 'use', catalog: first, schema };
  }

  #set(): Command {
    if (!this.#take('session')) return this.#refuse(`SET ${this.#tokens[this.#at]?.text ?? ''}`);
    const name = this.#names().join('.');
    this.#expect('=');
    const value = this.#rest();
    return { kind: 'setSession', name, value: value.startsWith("'") ? textOf(value) : value };
  }

  #execute(): Command {
    if (this.#take('immediate')) {
      const text = this.#textValue();
      return { kind: 'executeImmediate', text, values: this.#values() };
    }
    return { kind: 'execute', name: this.#name(), values: this.#values() };
  }

  /** Reads the constants behind USING, each as it is written. */
  #values(): string[] {
    if (this.#at === this.#tokens.length) return [];
    this.#expect('using');
    const values: string[] = [];
    let depth = 0;
    let start = this.#at;
    for (; this.#at <= this.#tokens.length; this.#at++) {
      const token = this.#tokens[this.#at]?.text;
      if (token === undefined || (token === ',' && depth === 0)) {
        values.push(this.#constant(this.#tokens.slice(start, this.#at)));
        start = this.#at + 1;
      } else if (/^[([]$/.test(token)) depth++;
      else if (/^[)\]]$/.test(token)) depth--;
    }
    return values;
  }

  /** Reads a constant: a literal, a typed one, a signed number, `nan()`, a cast, or an array of these; never a name or a query. */
  #constant(tokens: Token[]): string {
    const [first, last] = [tokens[0], tokens.at(-1)];
    const isAllowed = ({ kind, text }: Token): boolean =>
      kind === 'text' ||
      (kind === 'word' ? constantWords.has(text) : /^(?:\d[\w.]*|[-+.,()[\]])$/.test(text));
    if (!first || !last || !tokens.every(isAllowed))
      throw new StatementFailed(
        'NOT_SUPPORTED',
        'Parameters must be constants: literals, casts of literals, or arrays of these',
      );
    return this.#text.slice(first.start, last.end);
  }

  #describe(): Command {
    const isPrepared = this.#tokens.length === 3;
    if (isPrepared && this.#take('input')) return { kind: 'describeInput', name: this.#name() };
    if (isPrepared && this.#take('output')) return { kind: 'describeOutput', name: this.#name() };
    return { kind: 'show', what: 'columns', names: this.#names() };
  }

  #show(): Command {
    const what = this.#tokens[this.#at++]?.text ?? '';
    if (what === 'columns') {
      if (!this.#take('from')) this.#expect('in');
      return { kind: 'show', what, names: this.#names() };
    }
    if (what === 'create') return this.#showCreate();
    if (what === 'stats') {
      this.#expect('for');
      const source = this.#rest();
      return { kind: 'showStats', text: source.startsWith('(') ? source : `SELECT * FROM ${source}` };
    }
    if (!/^(?:catalogs|schemas|tables|functions)$/.test(what)) return this.#refuse(`SHOW ${what}`);
    const names = this.#take('from') || this.#take('in') ? this.#names() : [];
    const like = this.#rest();
    if (like !== '' && !/^like\s/i.test(like)) return this.#refuse(`SHOW ${what} ${like}`);
    return { kind: 'show', what: what as 'tables', names, like };
  }

  #showCreate(): Command {
    for (const what of ['table', 'view'] as const)
      if (this.#take(what)) return { kind: 'showCreate', what, names: this.#names() };
    return this.#refuse(`SHOW CREATE ${this.#tokens[this.#at]?.text ?? ''}`);
  }

  #explain(): Command {
    if (this.#take('analyze')) return this.#refuse('EXPLAIN ANALYZE');
    let type = 'distributed';
    if (this.#take('(')) {
      for (
        let token = this.#tokens[this.#at++];
        token && token.text !== ')';
        token = this.#tokens[this.#at++]
      )
        if (token.text === 'type') type = this.#tokens[this.#at]?.text ?? '';
    }
    return { kind: 'explain', type, text: this.#rest() };
  }

  /** `CALL system.runtime.kill_query(query_id => '…', message => '…')`, by which Superset cancels. */
  #call(): Command {
    const names = this.#names();
    const id = this.#tokens.slice(this.#at).find(({ kind }) => kind === 'text');
    if (names.slice(-2).join('.') !== 'runtime.kill_query' || !id) return this.#refuse('CALL');
    return { kind: 'kill', id: textOf(id.text) };
  }

  #names(): string[] {
    const names = [this.#name()];
    while (this.#take('.')) names.push(this.#name());
    return names;
  }

  #name(): string {
    const token = this.#tokens[this.#at++];
    if (token?.kind === 'word') return token.text;
    if (token?.kind === 'name') return token.text.slice(1, -1).replaceAll('""', '"');
    return this.#refuse(token?.text ?? '', 'SYNTAX_ERROR');
  }

  #textValue(): string {
    const token = this.#tokens[this.#at++];
    return token?.kind === 'text' ? textOf(token.text) : this.#refuse(token?.text ?? '', 'SYNTAX_ERROR');
  }

  #take(text: string): boolean {
    if (this.#tokens[this.#at]?.text !== text) return false;
    this.#at++;
    return true;
  }

  #expect(text: string): void {
    if (!this.#take(text)) this.#refuse(this.#tokens[this.#at]?.text ?? '', 'SYNTAX_ERROR');
  }

  /** Text from the present token on. */
  #rest(): string {
    const [first, last] = [this.#tokens[this.#at], this.#tokens.at(-1)];
    return first && last ? this.#text.slice(first.start, last.end) : '';
  }

  #refuse(what: string, name: 'NOT_SUPPORTED' | 'SYNTAX_ERROR' = 'NOT_SUPPORTED'): never {
    const shown = what.slice(0, 40);
    if (name === 'SYNTAX_ERROR') throw new StatementFailed(name, `mismatched input '${shown || '<EOF>'}'`);
    throw new StatementFailed(
      name,
      `This statement is not supported: ${shown.toUpperCase()}. The lake is only read.`,
    );
  }
}

const constantWords: ReadonlySet<string> = new Set(
  `true false null array cast as date time timestamp interval year month day hour minute second decimal double precision real
   varchar char bigint integer int smallint tinyint boolean varbinary uuid with without zone to nan infinity`.split(
    /\s+/,
  ),
);

const textOf = (written: string): string => written.slice(1, -1).replaceAll("''", "'");

/** Puts constants in the place of the parameters of a statement. */
export function bindParameters(
  text: string,
  values: readonly string[],
): { start: number; end: number; text: string }[] {
  const places = placesOf(text);
  if (places.length !== values.length)
    throw new StatementFailed(
      'INVALID_PARAMETER_USAGE',
      `Incorrect number of parameters: expected ${places.length} but found ${values.length}`,
    );
  return places.map(({ start, end }, index) => ({ start, end, text: ` ${values[index]} ` }));
}

/** Counts the parameters of a statement. */
export const countParameters = (text: string): number => placesOf(text).length;

/** Parameters of a statement at most: the guard takes as many nodes. */
const parametersMax = 5000;

function placesOf(text: string): Token[] {
  if (!text.includes('?')) return [];
  const places = tokensOf(text).filter(({ kind, text: sign }) => kind === 'other' && sign === '?');
  if (places.length <= parametersMax) return places;
  throw new StatementFailed('INVALID_PARAMETER_USAGE', `A statement may have ${parametersMax} parameters`);
}
