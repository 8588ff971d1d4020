import type { Collection, Field, KnownCollections } from '../fields.ts';
import {
  allOf,
  type Domain,
  everybody,
  limits,
  type Operator,
  type PatientTest,
  type RowTest,
} from '../query.ts';
import { type Token, tokensOf } from './filter-tokens.ts';
import type { InputErrors } from './input-errors.ts';
import { conditionOf, operatorNamed } from './read-condition.ts';

/** Target and conditions of a text query, without options. */
interface TextQuery {
  target: Collection;
  domain: Domain;
  where: PatientTest;
  limit: number | undefined;
}

/** Ends parsing at the first error, on which later ones may depend. docs/analytics.md has the grammar. */
class Stop extends Error {}

/** Parses `SELECT patients FROM patient WHERE patient.demographics.age > 50 AND variant.gene = 'TTN'`. */
export function readText(text: string, path: string, errors: InputErrors): TextQuery | undefined {
  const tokens = tokensOf(text);
  if (!Array.isArray(tokens)) {
    return errors.add(path, `has a character at ${tokens.strangeAt} that means nothing here`);
  }
  try {
    return new Reader(tokens, path, errors).query();
  } catch (error) {
    if (error instanceof Stop) return undefined;
    throw error;
  }
}

/** Comparison of one field, before comparisons of the same rows are combined. */
interface Leaf {
  collection: Collection;
  test: RowTest;
}

class Reader {
  readonly #tokens: Token[];
  readonly #path: string;
  readonly #errors: InputErrors;
  #position = 0;

  constructor(tokens: Token[], path: string, errors: InputErrors) {
    this.#tokens = tokens;
    this.#path = path;
    this.#errors = errors;
  }

  query(): TextQuery {
    this.#word('SELECT');
    const selected = this.#name('what to select: patients, samples, genes, count, or the rows of a table');
    this.#word('FROM');
    const from = this.#name('a table');
    const { known } = this.#errors;
    const target = known.named(from.text.toLowerCase());
    if (!target) return this.#fail(from, `is no table; there are ${[...known.all.keys()].join(', ')}`);
    const domain = this.#domainOf(selected, target);
    const where = this.#takeWord('WHERE') ? this.#or(0) : everybody;
    const limit = this.#takeWord('LIMIT') ? this.#limit() : undefined;
    if (this.#next.kind !== 'end') this.#fail(this.#next, 'is not expected here');
    return { target, domain, where, limit };
  }

  #domainOf(selected: Token, target: Collection): Domain {
    const word = selected.text.toLowerCase();
    if (word === 'samples' || word === 'genes' || word === 'count') return word;
    if (this.#errors.known.named(word) === target) return 'filter';
    return this.#fail(
      selected,
      `cannot be selected from ${target.name}; try ${target.plural}, samples, genes or count`,
    );
  }

  #limit(): number {
    const token = this.#take();
    const value = Number(token.text);
    if (token.kind !== 'number' || !Number.isInteger(value) || value < 1 || value > limits.rowsMax) {
      this.#fail(token, `must be a whole number from 1 to ${limits.rowsMax}`);
    }
    return value;
  }

  /** Parses OR, which has the lowest precedence before XOR, AND and NOT. */
  #or(depth: number): PatientTest {
    return this.#chain('OR', 'or', () => this.#chain('XOR', 'xor', () => this.#and(depth)));
  }

  #chain(word: string, kind: 'or' | 'xor', read: () => PatientTest): PatientTest {
    const of = [read()];
    while (this.#takeWord(word)) of.push(read());
    const [only, second] = of;
    return only !== undefined && second === undefined ? only : { kind, of };
  }

  /**
   * Parses an AND group. Its comparisons on one table apply to the same row; parentheses form a new group.
   */
  #and(depth: number): PatientTest {
    const tests: PatientTest[] = [];
    const rows = new Map<Collection, RowTest[]>();
    do {
      const item = this.#item(depth);
      if ('collection' in item && !('kind' in item)) {
        const before = rows.get(item.collection);
        if (before) before.push(item.test);
        else rows.set(item.collection, [item.test]);
      } else tests.push(item as PatientTest);
    } while (this.#takeWord('AND'));
    for (const [collection, of] of rows) {
      const [only, second] = of;
      const test: RowTest = only !== undefined && second === undefined ? only : { kind: 'and', of };
      tests.push({ kind: 'rows', collection, test });
    }
    return allOf(tests);
  }

  #item(depth: number): PatientTest | Leaf {
    const token = this.#next;
    if (!this.#errors.enter(this.#path, depth)) throw new Stop();
    if (this.#takeWord('NOT')) {
      const of = this.#item(depth + 1);
      return { kind: 'not', of: 'kind' in of ? of : { kind: 'rows', ...of } };
    }
    if (this.#takeSign('(')) {
      const test = this.#or(depth + 1);
      if (!this.#takeSign(')')) this.#fail(this.#next, 'stands where a ) is missing');
      return test;
    }
    return this.#comparison(this.#name('a field, NOT or ('), token);
  }

  #comparison(name: Token, token: Token): PatientTest | Leaf {
    if (name.text === 'patient.all') return this.#all();
    const named = fieldNamed(name.text, this.#errors.known);
    if (!named) return this.#fail(token, 'is no field; GET /v1/analytics/fields lists them');
    const { collection, field } = named;
    const operator = this.#operator();
    const value = this.#valueFor(operator);
    const test = conditionOf(
      field,
      operator.operator,
      value,
      `${this.#path}, at ${token.at}: ${name.text}`,
      this.#errors,
    );
    if (!test) throw new Stop();
    return { collection, test };
  }

  #all(): PatientTest {
    const operator = this.#operator();
    const value = this.#value();
    const wanted = (operator.operator === 'eq') === (value === true);
    if (typeof value !== 'boolean' || !/^(eq|ne)$/.test(operator.operator)) {
      this.#fail(this.#tokens[this.#position - 1] as Token, 'must be = true or = false');
    }
    return wanted ? everybody : { kind: 'not', of: everybody };
  }

  #operator(): { operator: Operator; token: Token } {
    const token = this.#take();
    const word = token.text.toUpperCase();
    if (token.kind === 'sign' && token.text !== '(') {
      const operator = operatorNamed(token.text);
      if (operator) return { operator, token };
    }
    if (token.kind === 'name') {
      if (word === 'NOT' && this.#takeWord('IN')) return { operator: 'notIn', token };
      if (word === 'IS') return { operator: 'exists', token };
      const operator = wordOperators[word];
      if (operator) return { operator, token };
    }
    return this.#fail(
      token,
      'stands where a comparison is expected: = != < <= > >= IN, BETWEEN, CONTAINS, IS NULL',
    );
  }

  #valueFor({ operator }: { operator: Operator }): unknown {
    if (operator === 'exists') {
      const not = this.#takeWord('NOT');
      this.#word('NULL');
      return not;
    }
    if (operator === 'in' || operator === 'notIn') return this.#list();
    if (operator !== 'between') return this.#value();
    const from = this.#value();
    if (!this.#takeSign(',')) this.#word('AND');
    return [from, this.#value()];
  }

  #list(): unknown[] {
    const end = this.#takeSign('[') ? ']' : ')';
    if (end === ')' && !this.#takeSign('('))
      this.#fail(this.#next, 'stands where a list in parentheses is expected');
    const values = [this.#value()];
    while (this.#takeSign(',')) values.push(this.#value());
    if (!this.#takeSign(end)) this.#fail(this.#next, `stands where a ${end} is missing`);
    return values;
  }

  #value(): string | number | boolean {
    const token = this.#take();
    if (token.kind === 'text') return token.text;
    if (token.kind === 'number') return Number(token.text);
    const word = token.text.toLowerCase();
    if (token.kind === 'name' && (word === 'true' || word === 'false')) return word === 'true';
    return this.#fail(token, 'stands where a value is expected: a number, a text in quotes, true or false');
  }

  get #next(): Token {
    return this.#tokens[this.#position] as Token;
  }

  #take(): Token {
    const token = this.#next;
    if (token.kind !== 'end') this.#position += 1;
    return token;
  }

  #name(wanted: string): Token {
    const token = this.#take();
    return token.kind === 'name' ? token : this.#fail(token, `stands where ${wanted} is expected`);
  }

  #word(word: string): void {
    if (!this.#takeWord(word)) this.#fail(this.#next, `stands where ${word} is expected`);
  }

  #takeWord(word: string): boolean {
    const { kind, text } = this.#next;
    if (kind !== 'name' || text.toUpperCase() !== word) return false;
    this.#position += 1;
    return true;
  }

  #takeSign(sign: string): boolean {
    const { kind, text } = this.#next;
    if (kind !== 'sign' || text !== sign) return false;
    this.#position += 1;
    return true;
  }

  #fail(token: Token, message: string): never {
    const shown = token.kind === 'end' ? 'the end' : `"${token.text.slice(0, 60)}"`;
    this.#errors.add(this.#path, `at ${token.at}: ${shown} ${message}`);
    throw new Stop();
  }
}

const wordOperators: Record<string, Operator> = {
  IN: 'in',
  BETWEEN: 'between',
  CONTAINS: 'contains',
  STARTSWITH: 'startsWith',
  ENDSWITH: 'endsWith',
};

/** Finds a field: `patient.demographics.age`, `patient.dob`, `variant.gene`. */
export function fieldNamed(
  name: string,
  known: KnownCollections,
): { collection: Collection; field: Field } | undefined {
  const words = name.split('.');
  const rest = words[0] === 'patient' && words.length === 3 ? words.slice(1) : words;
  const [scope = '', fieldName = '', more] = rest;
  const collection = known.named(scope);
  const field = more === undefined ? collection?.fields.get(fieldName) : undefined;
  return collection && field && { collection, field };
}
