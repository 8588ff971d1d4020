import { comparisons, datedFields, renamedFunctions, sameFunctions, sameOperators } from './functions.ts';
import {
  type ExpressionNode,
  type OrderNode,
  type QueryNode,
  quoted,
  refuse,
  required,
  textOf,
} from './syntax.ts';
import { datedLiteral, literalOf, typeName } from './types.ts';

/** Names of WITH queries that an expression may refer to. */
export type Scope = ReadonlySet<string>;

/** Prints expressions. `isOurs`: views of the service, which use functions that statements may not. */
export class ExpressionPrinter {
  readonly #query: (query: QueryNode, scope: Scope) => string;
  readonly #isOurs: boolean;

  constructor(query: (query: QueryNode, scope: Scope) => string, isOurs: boolean) {
    this.#query = query;
    this.#isOurs = isOurs;
  }

  print(node: ExpressionNode, scope: Scope): string {
    const print = (child: ExpressionNode | null | undefined): string => this.print(required(child), scope);
    switch (node.class) {
      case 'COLUMN_REF':
        return columnOf(node.column_names ?? []);
      case 'CONSTANT':
        return literalOf(required(node.value));
      case 'CASE':
        return this.#case(node, scope);
      case 'CAST':
        return this.#cast(node, scope);
      case 'COMPARISON':
        return `(${print(node.left)} ${comparisonOf(node.type)} ${print(node.right)})`;
      case 'CONJUNCTION': {
        const word = node.type === 'CONJUNCTION_AND' ? ' AND ' : ' OR ';
        return `(${(node.children ?? []).map(print).join(word)})`;
      }
      case 'BETWEEN': {
        const not = node.type === 'COMPARE_NOT_BETWEEN' ? 'NOT ' : '';
        return `(${print(node.input)} ${not}BETWEEN ${print(node.lower)} AND ${print(node.upper)})`;
      }
      case 'OPERATOR':
        return this.#operator(node, scope);
      case 'SUBQUERY':
        return this.#subquery(node, scope);
      case 'LAMBDA':
        return this.#lambda(node, scope);
      case 'FUNCTION':
        return this.#call(node, scope);
      case 'WINDOW':
        return this.#window(node, scope);
      default:
        return refuse(node.class);
    }
  }

  /**
   * Prints an order. An expression that is also in the list of the query is named by its place: Trino looks
   * for `a` of `a.b` among the names of that list first.
   */
  orders(orders: readonly OrderNode[], scope: Scope, list: readonly ExpressionNode[] = []): string {
    const hasStar = list.some((item) => item.class === 'STAR');
    return orders
      .map(({ expression, type, null_order }) => {
        if (expression.class === 'STAR') return refuse('ORDER BY ALL');
        const at = list.findIndex((item) => shapeOf(item) === shapeOf(expression));
        const isPlace = at >= 0 && !hasStar && expression.class !== 'CONSTANT';
        const text = isPlace ? String(at + 1) : this.print(expression, scope);
        const nulls = null_order.startsWith('NULLS') ? ` ${null_order}` : '';
        return `${text}${type === 'DESCENDING' ? ' DESC' : ''}${nulls}`;
      })
      .join(', ');
  }

  #case(node: ExpressionNode, scope: Scope): string {
    const checks = (node.case_checks ?? []).map(
      (check) => `WHEN ${this.print(check.when_expr, scope)} THEN ${this.print(check.then_expr, scope)}`,
    );
    const otherwise = node.else_expr ? ` ELSE ${this.print(node.else_expr, scope)}` : '';
    return `CASE ${checks.join(' ')}${otherwise} END`;
  }

  #cast(node: ExpressionNode, scope: Scope): string {
    const [child, type] = [required(node.child), required(node.cast_type)];
    const dated = node.try_cast ? undefined : datedLiteral(type, child.value);
    if (dated !== undefined) return dated;
    if (this.#isOurs && type.id === 'UBIGINT') return this.#hexadecimal(child, scope);
    const name = typeName(type);
    // A DOUBLE has other digits as a text, and its type is not in the tree.
    const isText = child.class === 'CONSTANT' || child.class === 'CAST';
    if (name === 'VARCHAR' && !this.#isOurs && !isText) return refuse('CAST AS VARCHAR');
    return `${node.try_cast ? 'TRY_CAST' : 'CAST'}(${this.print(child, scope)} AS ${name})`;
  }

  /** Prints `CAST('0x' || digits AS UBIGINT)` of the masks. */
  #hexadecimal(child: ExpressionNode, scope: Scope): string {
    const [prefix, digits] = child.children ?? [];
    if (prefix?.value?.value !== '0x') return refuse('UBIGINT');
    return `from_base(${this.print(required(digits), scope)}, 16)`;
  }

  #operator(node: ExpressionNode, scope: Scope): string {
    const children = (node.children ?? []).map((child) => this.print(child, scope));
    const [first = '', ...more] = children;
    switch (node.type) {
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
        return more.length === 0 ? first : `coalesce(${children.join(', ')})`;
      case 'ARRAY_CONSTRUCTOR':
        return `ARRAY[${children.join(', ')}]`;
      case 'GROUPING_FUNCTION':
        return `grouping(${children.join(', ')})`;
      default:
        return refuse(node.type);
    }
  }

  #subquery(node: ExpressionNode, scope: Scope): string {
    const query = `(${this.#query(required(node.subquery).node, scope)})`;
    switch (node.subquery_type) {
      case 'SCALAR':
        return query;
      case 'EXISTS':
        return `(EXISTS ${query})`;
      case 'NOT_EXISTS':
        return `(NOT EXISTS ${query})`;
      case 'ANY': {
        const child = this.print(required(node.child), scope);
        const comparison = comparisonOf(node.comparison_type ?? '');
        return comparison === '=' ? `(${child} IN ${query})` : `(${child} ${comparison} ANY ${query})`;
      }
      default:
        return refuse(`a subquery of kind ${node.subquery_type}`);
    }
  }

  #lambda(node: ExpressionNode, scope: Scope): string {
    const left = required(node.lhs);
    const names = (left.class === 'COLUMN_REF' ? [left] : (left.children ?? [])).map((one) =>
      quoted(one.column_names?.[0] ?? ''),
    );
    return `(${names.join(', ')}) -> ${this.print(required(node.expr), scope)}`;
  }

  #call(node: ExpressionNode, scope: Scope): string {
    const name = (node.function_name ?? '').toLowerCase();
    const children = (node.children ?? []).map((child) => this.print(child, scope));
    if (node.is_operator && sameOperators.has(name)) return this.#infix(name, node, children);
    const special = this.#special(name, node, children, scope);
    if (special !== undefined) return special;
    const order = node.order_bys?.orders?.length
      ? ` ORDER BY ${this.orders(node.order_bys.orders, scope)}`
      : '';
    const distinct = node.distinct ? 'DISTINCT ' : '';
    return `${nameOf(name)}(${distinct}${children.join(', ')}${order})${this.#filter(node.filter, scope)}`;
  }

  #infix(name: string, node: ExpressionNode, [left = '', right]: string[]): string {
    if (right === undefined) return `(${name}${left})`;
    // The shift of a masked date.
    const isDays = name === '-' && node.children?.[1]?.cast_type?.id === 'INTEGER';
    if (this.#isOurs && isDays) return `date_add('day', -${right}, ${left})`;
    return `(${left} ${name} ${right})`;
  }

  /** Prints a function that Trino writes otherwise. */
  #special(name: string, node: ExpressionNode, children: string[], scope: Scope): string | undefined {
    const [first = '', second = '', third] = children;
    const escaped = third === undefined ? '' : ` ESCAPE ${third}`;
    switch (name) {
      case '~~':
      case 'like_escape':
        return `(${first} LIKE ${second}${escaped})`;
      case '!~~':
      case 'not_like_escape':
        return `(${first} NOT LIKE ${second}${escaped})`;
      case 'count_star':
        return `count(*)${this.#filter(node.filter, scope)}`;
      case 'approx_distinct':
        return `count(DISTINCT ${first})${this.#filter(node.filter, scope)}`;
      case 'row':
        return `ROW(${children.join(', ')})`;
      case 'date_part':
        return `extract(${fieldOf(node.children?.[0])} FROM ${second})`;
      case 'listagg':
      case 'string_agg':
        return this.#joined(node, children, scope);
      default:
        return this.#isOurs ? this.#ownFunction(name, node, children) : undefined;
    }
  }

  /** Prints functions of the masks and of the choice of versions. */
  #ownFunction(name: string, node: ExpressionNode, children: string[]): string | undefined {
    const [first = '', second = '', third = ''] = children;
    switch (name) {
      case 'sha256':
        return `lower(to_hex(sha256(to_utf8(${first}))))`;
      case 'left':
        return `substr(${first}, 1, ${second})`;
      case 'struct_pack':
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
      default:
        return undefined;
    }
  }

  #joined(node: ExpressionNode, [value = '', separator = "','"]: string[], scope: Scope): string {
    const orders = node.order_bys?.orders ?? [];
    if (orders.length === 0) return refuse('texts joined without an order');
    const distinct = node.distinct ? 'DISTINCT ' : '';
    const order = this.orders(orders, scope);
    return `listagg(${distinct}${value}, ${separator}) WITHIN GROUP (ORDER BY ${order})${this.#filter(node.filter, scope)}`;
  }

  /** `true AND`: Trino 476 takes `count(x)` and `count(*) FILTER (WHERE x)` for one aggregate. */
  #filter(filter: ExpressionNode | null | undefined, scope: Scope): string {
    return filter ? ` FILTER (WHERE true AND ${this.print(filter, scope)})` : '';
  }

  #window(node: ExpressionNode, scope: Scope): string {
    if (node.exclude_clause && node.exclude_clause !== 'NO_OTHER') return refuse('EXCLUDE');
    const name = (node.function_name ?? '').toLowerCase();
    const operands = [...(node.children ?? []), node.offset_expr, node.default_expr].filter(
      (one) => one !== null && one !== undefined,
    );
    const list = operands.map((operand) => this.print(operand, scope)).join(', ');
    const call =
      name === 'count_star' ? 'count(*)' : `${nameOf(name)}(${node.distinct ? 'DISTINCT ' : ''}${list})`;
    const partition = node.partitions?.length
      ? `PARTITION BY ${node.partitions.map((one) => this.print(one, scope)).join(', ')}`
      : '';
    const order = node.orders?.length ? `ORDER BY ${this.orders(node.orders, scope)}` : '';
    const over = [partition, order, this.#frame(node, scope)].filter((part) => part !== '').join(' ');
    const nulls = node.ignore_nulls ? ' IGNORE NULLS' : '';
    return `${call}${this.#filter(node.filter_expr, scope)}${nulls} OVER (${over})`;
  }

  #frame({ start = '', end = '', start_expr, end_expr }: ExpressionNode, scope: Scope): string {
    if (start === 'UNBOUNDED_PRECEDING' && end === 'CURRENT_ROW_RANGE') return '';
    const bound = (name: string, distance: ExpressionNode | null | undefined): string => {
      if (name.startsWith('UNBOUNDED_PRECEDING')) return 'UNBOUNDED PRECEDING';
      if (name.startsWith('UNBOUNDED_FOLLOWING')) return 'UNBOUNDED FOLLOWING';
      if (name.startsWith('CURRENT_ROW')) return 'CURRENT ROW';
      return `${this.print(required(distance), scope)} ${name.includes('PRECEDING') ? 'PRECEDING' : 'FOLLOWING'}`;
    };
    const unit = /ROWS|GROUPS/.exec(start + end)?.[0] ?? 'RANGE';
    return `${unit} BETWEEN ${bound(start, start_expr)} AND ${bound(end, end_expr)}`;
  }
}

const clocks: ReadonlySet<string> = new Set(['current_date']);

function columnOf(names: string[]): string {
  const [only = '', ...more] = names;
  return more.length === 0 && clocks.has(only.toLowerCase()) ? 'current_date' : names.map(quoted).join('.');
}

const comparisonOf = (type: string): string => comparisons.get(type) ?? refuse(`the comparison ${type}`);

const nameOf = (name: string): string =>
  sameFunctions.has(name) ? name : (renamedFunctions.get(name) ?? refuse(`the function ${name}`));

function fieldOf(node: ExpressionNode | undefined): string {
  const field = String(node?.value?.value ?? '').toLowerCase();
  return datedFields.has(field) ? field : refuse(`the field ${field}`);
}

/** Returns an expression as text, without its name and place. */
function shapeOf(node: ExpressionNode): string {
  return JSON.stringify(node, (key, value) =>
    key === 'alias' || key === 'query_location' ? undefined : value,
  );
}
