import { Calls, type Printer } from './calls.ts';
import { castForm, formOf } from './forms.ts';
import { comparisons } from './functions.ts';
import { commonType, type Proof } from './proof.ts';
import type { Column, Scope } from './scope.ts';
import {
  type ExpressionNode,
  type OrderNode,
  type QueryNode,
  quoted,
  refuse,
  required,
  shapeOf,
} from './syntax.ts';
import { literalOf, type Typed, trinoType, typeName, writtenLiteral } from './types.ts';

/** Query in Trino's SQL, with its columns. */
export interface PrintedQuery {
  text: string;
  columns: readonly Column[];
}

/** Prints the expressions of statements: operations whose signatures are proven. */
export class ExpressionPrinter implements Printer {
  readonly proof: Proof;
  readonly #query: (query: QueryNode, scope: Scope) => PrintedQuery;
  readonly #calls: Calls;

  constructor(query: (query: QueryNode, scope: Scope) => PrintedQuery, proof: Proof) {
    this.#query = query;
    this.proof = proof;
    this.#calls = new Calls(this);
  }

  print(node: ExpressionNode, scope: Scope): Typed {
    switch (node.class) {
      case 'COLUMN_REF':
        return columnOf(node.column_names ?? [], scope);
      case 'CONSTANT':
        return literalOf(required(node.value));
      case 'CASE':
        return this.#case(node, scope);
      case 'CAST':
        return this.#cast(node, scope);
      case 'COMPARISON':
        return this.#comparison(wordOf(node.type), required(node.left), required(node.right), scope);
      case 'CONJUNCTION': {
        const name = node.type === 'CONJUNCTION_AND' ? 'AND' : 'OR';
        return this.operate(name, this.printAll(node.children ?? [], scope));
      }
      case 'BETWEEN':
        return this.#between(node, scope);
      case 'OPERATOR':
        return this.#operator(node, scope);
      case 'SUBQUERY':
        return this.#subquery(node, scope);
      case 'FUNCTION':
        return this.#calls.function(node, scope);
      case 'WINDOW':
        return this.#calls.window(node, scope);
      default:
        return refuse(node.class);
    }
  }

  printAll(nodes: readonly ExpressionNode[], scope: Scope): Typed[] {
    return nodes.map((node) => this.print(node, scope));
  }

  /** Prints an operation of any number of values of one type. */
  operate(name: string, values: readonly Typed[]): Typed {
    const types = values.map(({ type }) => type);
    const [first = refuse(name)] = types;
    if (types.some((type) => type !== first)) return refuse(`${name} of (${types.join(', ')})`);
    const text = formOf(
      name,
      values.map(({ text }) => text),
      types,
    );
    return this.proof.apply(name, [first], text);
  }

  /** Prints an operation of values of any types. */
  apply(name: string, values: readonly Typed[]): Typed {
    const types = values.map(({ type }) => type);
    return this.proof.apply(
      name,
      types,
      formOf(
        name,
        values.map(({ text }) => text),
        types,
      ),
    );
  }

  compare(word: string, values: readonly Typed[]): Typed {
    return this.operate(word, this.proof.alike(values).values);
  }

  /** Trino joins equalities with constants to one list, and takes a NULL among them for a row that has none. */
  #comparison(word: string, left: ExpressionNode, right: ExpressionNode, scope: Scope): Typed {
    if (['=', '<>'].includes(word) && (mayBeNothing(left) || mayBeNothing(right)))
      return refuse(`${word} with a constant that may be NULL`);
    return this.compare(word, this.#both(left, right, scope));
  }

  /** Returns the words of a clause that chooses rows. */
  condition(node: ExpressionNode, scope: Scope): string {
    const { text, type } = this.print(node, scope);
    return type === 'BOOLEAN' ? text : refuse('a condition that is not BOOLEAN');
  }

  /**
   * Prints an order. An expression that is also in the list of the query is named by its place: Trino looks
   * for `a` of `a.b` among the names of that list first.
   */
  orders(orders: readonly OrderNode[], scope: Scope, list: readonly ExpressionNode[] = []): string {
    return orders
      .flatMap((order) => {
        const nulls = order.null_order.startsWith('NULLS') ? ` ${order.null_order}` : '';
        const direction = `${order.type === 'DESCENDING' ? ' DESC' : ''}${nulls}`;
        return this.#keysOf(order.expression, scope, list).map((key) => key + direction);
      })
      .join(', ');
  }

  /** NaN is the largest number in any direction. */
  #keysOf(node: ExpressionNode, scope: Scope, list: readonly ExpressionNode[]): string[] {
    if (node.class === 'STAR') return refuse('ORDER BY ALL');
    const at = placeOf(node, list);
    const ordered = list[at];
    if (ordered === undefined && node.class === 'CONSTANT') return [literalOf(required(node.value)).text];
    const { text, type } = this.print(ordered ?? node, scope);
    this.proof.apply('ORDER BY', [type], text);
    if (ordered !== undefined && type !== 'DOUBLE') return [String(at + 1)];
    // The local engine writes a zero of the key without its sign, in some plans.
    if (type === 'DOUBLE' && (ordered !== undefined || list.some((item) => item.class === 'STAR')))
      return refuse('an order by a DOUBLE that the result shows');
    if (list.some((item) => item.alias && text.includes(quoted(item.alias)) && item.class !== 'COLUMN_REF'))
      return refuse('an order by a name that a column of the result has as well');
    return type === 'DOUBLE' ? [`is_nan(${text})`, text] : [text];
  }

  /** Prints two values; a text that is written beside a date is one. */
  #both(left: ExpressionNode, right: ExpressionNode, scope: Scope): [Typed, Typed] {
    const values: [Typed, Typed] = [this.print(left, scope), this.print(right, scope)];
    const written = (node: ExpressionNode, value: Typed, other: Typed): Typed => {
      const text = node.class === 'CONSTANT' ? writtenLiteral(other.type, node.value) : undefined;
      return text === undefined ? value : { text, type: other.type };
    };
    return [written(left, values[0], values[1]), written(right, values[1], values[0])];
  }

  #case(node: ExpressionNode, scope: Scope): Typed {
    const checks = node.case_checks ?? [];
    const conditions = checks.map((check) => this.condition(check.when_expr, scope));
    const results = checks.map((check) => this.print(check.then_expr, scope));
    const otherwise: Typed = node.else_expr
      ? this.print(node.else_expr, scope)
      : { text: 'NULL', type: 'NULL' };
    const { values, type } = this.proof.alike([...results, otherwise]);
    const texts = conditions.map((condition, at) => `WHEN ${condition} THEN ${values[at]?.text}`);
    const last = otherwise.text === 'NULL' ? '' : ` ELSE ${values.at(-1)?.text}`;
    return this.proof.apply('CASE', [type], `CASE ${texts.join(' ')}${last} END`, type);
  }

  #cast(node: ExpressionNode, scope: Scope): Typed {
    const [child, type] = [required(node.child), typeName(required(node.cast_type))];
    const written = node.try_cast ? undefined : writtenLiteral(type, child.value);
    if (written !== undefined) return { text: written, type };
    const value = this.print(child, scope);
    if (value.type === 'NULL') return { text: `CAST(NULL AS ${trinoType(type)})`, type };
    const name = `${node.try_cast ? 'TRY_CAST' : 'CAST'} AS ${type.replace(/\(.*/, '')}`;
    const text = castForm(value.text, value.type, type, node.try_cast === true);
    return this.proof.apply(name, [value.type], text, type);
  }

  #between(node: ExpressionNode, scope: Scope): Typed {
    const input = required(node.input);
    const [value, lower] = this.#both(input, required(node.lower), scope);
    const [, upper] = this.#both(input, required(node.upper), scope);
    const type = [value, lower, upper].map((one) => one.type).reduce(commonType);
    const [v, low, high] = [value, lower, upper].map((one) => this.proof.convert(one, type));
    const inside = this.operate('AND', [
      this.operate('>=', [v ?? value, low ?? lower]),
      this.operate('<=', [v ?? value, high ?? upper]),
    ]);
    return node.type === 'COMPARE_NOT_BETWEEN' ? this.operate('NOT', [inside]) : inside;
  }

  #operator(node: ExpressionNode, scope: Scope): Typed {
    const children = node.children ?? [];
    switch (node.type) {
      case 'COMPARE_IN':
        return this.#in(children, scope);
      case 'COMPARE_NOT_IN':
        return this.operate('NOT', [this.#in(children, scope)]);
      case 'OPERATOR_NOT':
        return this.operate('NOT', this.printAll(children, scope));
      case 'OPERATOR_IS_NULL':
        return this.operate('IS NULL', this.printAll(children, scope));
      case 'OPERATOR_IS_NOT_NULL':
        return this.operate('IS NOT NULL', this.printAll(children, scope));
      case 'OPERATOR_COALESCE':
        return this.combine('coalesce', this.printAll(children, scope));
      case 'GROUPING_FUNCTION':
        return this.#grouping(children, scope);
      default:
        return refuse(node.type);
    }
  }

  /** Prints a function whose result is one of its values. */
  combine(name: string, printed: readonly Typed[]): Typed {
    const { values, type } = this.proof.alike(printed);
    const texts = values.map(({ text }) => text);
    const text = texts.length === 1 ? (texts[0] ?? '') : formOf(name, texts, [type]);
    return this.proof.apply(name, [type], text, type);
  }

  #grouping(children: readonly ExpressionNode[], scope: Scope): Typed {
    const texts = this.printAll(children, scope).map(({ text }) => text);
    return this.proof.apply('grouping', [], `grouping(${texts.join(', ')})`);
  }

  /** A value is in a list if it equals one of them. */
  #in([first, ...others]: readonly ExpressionNode[], scope: Scope): Typed {
    if (others.some(mayBeNothing)) return refuse('IN with a constant that may be NULL');
    const pairs = others.map((other) => this.proof.alike(this.#both(required(first), other, scope)));
    const type = pairs.map((pair) => pair.type).reduce(commonType);
    const isMixed = pairs.some((pair) => pair.type !== type);
    if (isMixed) return refuse('a list of several types after IN');
    const each = pairs.map(({ values }) => this.operate('=', values));
    if (type === 'DOUBLE') return each.length === 1 ? (each[0] ?? refuse('IN')) : this.operate('OR', each);
    const list = pairs.map(({ values }) => values[1]?.text).join(', ');
    return { text: `(${pairs[0]?.values[0]?.text} IN (${list}))`, type: 'BOOLEAN' };
  }

  #subquery(node: ExpressionNode, scope: Scope): Typed {
    const query = this.#query(required(node.subquery).node, scope);
    const [column, ...more] = query.columns;
    switch (node.subquery_type) {
      case 'SCALAR':
        return column && more.length === 0
          ? this.proof.apply('(SELECT)', [column.type], `(${query.text})`, column.type)
          : refuse('a subquery of several columns');
      case 'EXISTS':
        return { text: `(EXISTS (${query.text}))`, type: 'BOOLEAN' };
      case 'NOT_EXISTS':
        return { text: `(NOT EXISTS (${query.text}))`, type: 'BOOLEAN' };
      case 'ANY': {
        const child = this.print(required(node.child), scope);
        if (wordOf(node.comparison_type ?? '') !== '=' || child.type !== column?.type || more.length > 0)
          return refuse('a comparison with a subquery');
        return this.proof.apply('IN (SELECT)', [child.type], `(${child.text} IN (${query.text}))`);
      }
      default:
        return refuse(`a subquery of kind ${node.subquery_type}`);
    }
  }
}

/** Reports whether an expression may be NULL in every row: it has no column, and is no written value or sum of values. */
function mayBeNothing(node: ExpressionNode): boolean {
  const { class: kind, value, child, try_cast, function_name = '', children = [] } = node;
  if (kind === 'CONSTANT') return value?.is_null !== false;
  if (kind === 'CAST' && child && !try_cast) return mayBeNothing(child);
  if (kind === 'FUNCTION' && ['+', '-', '*'].includes(function_name)) return children.some(mayBeNothing);
  return !shapeOf(node).includes('"class":"COLUMN_REF"');
}

/** Prints a column, or the present day, which is the same on both engines. */
function columnOf(names: readonly string[], scope: Scope): Typed {
  if (names.length === 1 && names[0]?.toLowerCase() === 'current_date' && !scope.has(names))
    return { text: `DATE '${new Date().toISOString().slice(0, 10)}'`, type: 'DATE' };
  return { text: names.map(quoted).join('.'), type: scope.typeOf(names) };
}

const wordOf = (type: string): string => comparisons.get(type) ?? refuse(`the comparison ${type}`);

/** Returns the index in a list of the column that an order names by its place, alias or words; -1 without one. */
function placeOf(node: ExpressionNode, list: readonly ExpressionNode[]): number {
  if (list.some((item) => item.class === 'STAR')) return -1;
  if (node.class === 'CONSTANT') return Number(node.value?.value) - 1;
  const [name, ...more] = (node.column_names ?? []).map((one) => one.toLowerCase());
  const isName = node.class === 'COLUMN_REF' && more.length === 0;
  const named = isName ? list.findIndex((item) => item.alias?.toLowerCase() === name) : -1;
  return named >= 0 ? named : list.findIndex((item) => shapeOf(item) === shapeOf(node));
}
