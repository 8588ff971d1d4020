import { comparisons } from './functions.ts';
import type { Scope } from './scope.ts';
import { type ExpressionNode, type QueryNode, quoted, refuse, required, textOf } from './syntax.ts';
import { literalOf, type Typed, trinoType, typeName } from './types.ts';

/** Functions of the views that have the same name in Trino. */
const sameFunctions: ReadonlySet<string> = new Set(['year', 'max', 'count', 'strpos', 'coalesce']);
const sameOperators: ReadonlySet<string> = new Set(['+', '-', '%', '||', '>=', '<=']);

/** Prints the expressions of the views of the service: a closed set of texts, whose rows a trial compares. */
export class ViewPrinter {
  readonly #query: (query: QueryNode, scope: Scope) => { text: string };

  constructor(query: (query: QueryNode, scope: Scope) => { text: string }) {
    this.#query = query;
  }

  print(node: ExpressionNode, scope: Scope): Typed {
    return { text: this.#text(node, scope), type: '' };
  }

  condition(node: ExpressionNode, scope: Scope): string {
    return this.#text(node, scope);
  }

  orders(): string {
    return refuse('an order in a view');
  }

  #text(node: ExpressionNode, scope: Scope): string {
    const print = (child: ExpressionNode | null | undefined): string => this.#text(required(child), scope);
    switch (node.class) {
      case 'COLUMN_REF':
        return columnOf(node.column_names ?? []);
      case 'CONSTANT':
        return literalOf(required(node.value)).text;
      case 'CASE':
        return this.#case(node, scope);
      case 'CAST':
        return this.#cast(node, scope);
      case 'COMPARISON':
        return `(${print(node.left)} ${comparisons.get(node.type) ?? refuse(node.type)} ${print(node.right)})`;
      case 'CONJUNCTION': {
        const word = node.type === 'CONJUNCTION_AND' ? ' AND ' : ' OR ';
        return `(${(node.children ?? []).map(print).join(word)})`;
      }
      case 'OPERATOR':
        return operator(node.type, (node.children ?? []).map(print));
      case 'SUBQUERY':
        return this.#subquery(node, scope);
      case 'FUNCTION':
        return call(node, (node.children ?? []).map(print));
      default:
        return refuse(node.class);
    }
  }

  #case(node: ExpressionNode, scope: Scope): string {
    const checks = (node.case_checks ?? []).map(
      (check) => `WHEN ${this.#text(check.when_expr, scope)} THEN ${this.#text(check.then_expr, scope)}`,
    );
    const otherwise = node.else_expr ? ` ELSE ${this.#text(node.else_expr, scope)}` : '';
    return `CASE ${checks.join(' ')}${otherwise} END`;
  }

  #cast(node: ExpressionNode, scope: Scope): string {
    const [child, type] = [required(node.child), required(node.cast_type)];
    if (type.id === 'UBIGINT') return this.#hexadecimal(child, scope);
    return `CAST(${this.#text(child, scope)} AS ${trinoType(typeName(type))})`;
  }

  /** Prints `CAST('0x' || digits AS UBIGINT)` of the masks. */
  #hexadecimal(child: ExpressionNode, scope: Scope): string {
    const [prefix, digits] = child.children ?? [];
    if (prefix?.value?.value !== '0x') return refuse('UBIGINT');
    return `from_base(${this.#text(required(digits), scope)}, 16)`;
  }

  #subquery(node: ExpressionNode, scope: Scope): string {
    const { text } = this.#query(required(node.subquery).node, scope);
    if (node.subquery_type !== 'ANY' || node.comparison_type !== 'COMPARE_EQUAL') return refuse('a subquery');
    return `(${this.#text(required(node.child), scope)} IN (${text}))`;
  }
}

/** `current_date` is a column in the syntax tree. */
const columnOf = (names: readonly string[]): string =>
  names.length === 1 && names[0]?.toLowerCase() === 'current_date'
    ? 'current_date'
    : names.map(quoted).join('.');

function operator(type: string, [first = '', ...more]: readonly string[]): string {
  switch (type) {
    case 'COMPARE_IN':
      return `(${first} IN (${more.join(', ')}))`;
    case 'COMPARE_NOT_IN':
      return `(${first} NOT IN (${more.join(', ')}))`;
    case 'OPERATOR_NOT':
      return `(NOT ${first})`;
    case 'OPERATOR_IS_NULL':
      return `(${first} IS NULL)`;
    case 'OPERATOR_IS_NOT_NULL':
      return `(${first} IS NOT NULL)`;
    case 'OPERATOR_COALESCE':
      return more.length === 0 ? first : `coalesce(${[first, ...more].join(', ')})`;
    default:
      return refuse(type);
  }
}

/** Prints a function: those of the masks and of the choice of versions have other names in Trino. */
function call(node: ExpressionNode, children: readonly string[]): string {
  const name = (node.function_name ?? '').toLowerCase();
  const [first = '', second = '', third = ''] = children;
  switch (name) {
    case 'sha256':
      return `lower(to_hex(sha256(to_utf8(${first}))))`;
    case 'left':
      return `substr(${first}, 1, ${second})`;
    case 'struct_pack':
    case 'row':
      return `ROW(${children.join(', ')})`;
    case 'arg_max':
      // The engine's own passes over rows without a value.
      return `max_by(${first}, ${second}) FILTER (WHERE true AND ${first} IS NOT NULL)`;
    case 'regexp_full_match': {
      const pattern = String(node.children?.[1]?.value?.value);
      return `regexp_like(${first}, ${textOf(`^(?${third === '' ? '' : 'i'}:${pattern})$`)})`;
    }
    case 'make_date':
      return `date_add('year', ${first} - 1970, DATE '1970-01-01')`;
    case '~~':
      return `(${first} LIKE ${second})`;
    default:
      return infixOrCall(name, node, children);
  }
}

function infixOrCall(name: string, node: ExpressionNode, children: readonly string[]): string {
  const [left = '', right] = children;
  if (!node.is_operator)
    return sameFunctions.has(name) ? `${name}(${children.join(', ')})` : refuse(`the function ${name}`);
  if (right === undefined || !sameOperators.has(name)) return refuse(`the operator ${name}`);
  // The shift of a masked date.
  const isDays = name === '-' && node.children?.[1]?.cast_type?.id === 'INTEGER';
  return isDays ? `date_add('day', -${right}, ${left})` : `(${left} ${name} ${right})`;
}
