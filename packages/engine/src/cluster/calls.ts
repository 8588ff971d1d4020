import { formOf } from './forms.ts';
import { aggregateFunctions, literalPlaces, renamedFunctions, variadicFunctions } from './functions.ts';
import type { Proof } from './proof.ts';
import type { Scope } from './scope.ts';
import { type ExpressionNode, type OrderNode, refuse, required, shapeOf, textOf } from './syntax.ts';
import type { Typed } from './types.ts';

/** Printer of the other expressions. */
export interface Printer {
  readonly proof: Proof;
  print(node: ExpressionNode, scope: Scope): Typed;
  printAll(nodes: readonly ExpressionNode[], scope: Scope): Typed[];
  operate(name: string, values: readonly Typed[]): Typed;
  apply(name: string, values: readonly Typed[]): Typed;
  combine(name: string, values: readonly Typed[]): Typed;
  condition(node: ExpressionNode, scope: Scope): string;
  orders(orders: readonly OrderNode[], scope: Scope): string;
}

/** Prints functions, aggregates and windows. */
export class Calls {
  readonly #printer: Printer;

  constructor(printer: Printer) {
    this.#printer = printer;
  }

  function(node: ExpressionNode, scope: Scope): Typed {
    const name = nameOf(node);
    if (aggregateFunctions.has(name) || node.distinct || node.filter || node.order_bys?.orders?.length)
      return this.#aggregate(name, node, scope);
    const places = literalPlaces.get(name) ?? [];
    const children = node.children ?? [];
    const values = children.map((child, at) =>
      places.includes(at) ? literal(name, child) : this.#printer.print(child, scope),
    );
    if (node.is_operator) return this.#operator(name, values);
    if (name === 'date_format') return this.#format(values);
    if (variadicFunctions.has(name)) return this.#printer.combine(name, values);
    if (name === 'concat') return values.reduce((one, other) => this.#operator('||', [one, other]));
    return this.#printer.apply(name, values);
  }

  /** Both sides of an operator become one type. */
  #operator(name: string, values: readonly Typed[]): Typed {
    const { proof } = this.#printer;
    const [left, right] = values;
    if (!left || !right) return this.#printer.apply(name, values);
    if (name === '||')
      return this.#printer.operate(name, [proof.convert(left, 'VARCHAR'), proof.convert(right, 'VARCHAR')]);
    if (name === 'LIKE' || name === 'NOT LIKE') return this.#printer.operate(name, values);
    if (left.type === 'DATE' || right.type === 'DATE') return this.#printer.apply(name, values);
    const isDecimal = [left, right].some(({ type }) => type.startsWith('DECIMAL('));
    const { values: alike, type } = proof.alike(values);
    if (name === '/' && isDecimal)
      return this.#printer.operate(
        name,
        values.map((value) => proof.convert(value, 'DOUBLE')),
      );
    // Digits of a sum or product follow from those of each number.
    if (type.startsWith('DECIMAL(')) return this.#printer.apply(name, values);
    return this.#printer.operate(name, alike);
  }

  /** Each letter of a format is proven by itself; what is between them is text. */
  #format(values: readonly Typed[]): Typed {
    const [value, format] = values;
    if (!value || !format) return refuse('date_format');
    const letters = format.text.match(/%./g) ?? [];
    if (letters.length === 0 || !/^'[\w ,.:/%-]+'$/.test(format.text)) return refuse('such a format');
    const text = formOf('date_format', [value.text, format.text], [value.type]);
    const [first = format, ...more] = letters.map((letter) => {
      return this.#printer.proof.apply('date_format', [value.type, textOf(letter)], text);
    });
    return more.at(-1) ?? first;
  }

  #aggregate(written: string, node: ExpressionNode, scope: Scope): Typed {
    const isApproximate = written === 'approx_distinct';
    const distinct = node.distinct || isApproximate ? 'DISTINCT ' : '';
    const name = isApproximate ? 'count' : written;
    const filter = this.#filter(node.filter, scope);
    const values = this.#printer.printAll(node.children ?? [], scope);
    const types = values.map(({ type }) => type);
    const list = values.map(({ text }) => text).join(', ');
    const { proof } = this.#printer;
    if (name === 'count_star') return proof.apply('count', ['*'], `count(*)${filter}`);
    const order = node.order_bys?.orders ?? [];
    if (order.length > 0) return this.#ordered(name, node, values, scope);
    if (distinct) return proof.apply(`${name} DISTINCT`, types, `${name}(${distinct}${list})${filter}`);
    if (name === 'avg') return proof.apply(name, types, formOf('avg', [list, filter], types));
    return proof.apply(name, types, `${name}(${list})${filter}`);
  }

  /** Values in their own order: another order could leave some of them in any. */
  #ordered(name: string, node: ExpressionNode, values: readonly Typed[], scope: Scope): Typed {
    const [first, second] = values;
    const orders = node.order_bys?.orders ?? [];
    const [value] = node.children ?? [];
    if (!first || !value || orders.length !== 1 || shapeOf(required(orders[0]).expression) !== shapeOf(value))
      return refuse(`the order of ${name}`);
    const distinct = node.distinct ? 'DISTINCT ' : '';
    const order = this.#printer.orders(orders, scope);
    const filter = this.#filter(node.filter, scope);
    const types = values.map(({ type }) => type);
    const signature = `${name} ${distinct}ORDER BY`;
    if (name === 'array_agg')
      return this.#printer.proof.apply(
        signature,
        types,
        `array_agg(${distinct}${first.text} ORDER BY ${order})${filter}`,
      );
    if (name !== 'listagg') return refuse(`the order of ${name}`);
    const joined = `listagg(${distinct}${first.text}, ${second?.text ?? "','"}) WITHIN GROUP (ORDER BY ${order})${filter}`;
    return this.#printer.proof.apply(signature, types, joined);
  }

  /** `true AND`: Trino 476 takes `count(x)` and `count(*) FILTER (WHERE x)` for one aggregate. */
  #filter(filter: ExpressionNode | null | undefined, scope: Scope): string {
    return filter ? ` FILTER (WHERE true AND ${this.#printer.condition(filter, scope)})` : '';
  }

  window(node: ExpressionNode, scope: Scope): Typed {
    if (node.exclude_clause && node.exclude_clause !== 'NO_OTHER') return refuse('EXCLUDE');
    if (node.ignore_nulls || node.distinct) return refuse('IGNORE NULLS or DISTINCT in a window');
    const name = nameOf(node);
    if (!aggregateFunctions.has(name) && !node.orders?.length) return refuse(`${name} without an order`);
    const operands = [...(node.children ?? []), node.offset_expr, node.default_expr].filter(
      (one) => one !== null && one !== undefined,
    );
    const values = this.#printer.printAll(operands, scope);
    const list = values.map(({ text }) => text).join(', ');
    const call = name === 'count_star' ? 'count(*)' : `${name}(${list})`;
    const partitions = node.partitions ?? [];
    for (const partition of partitions) {
      const { type, text } = this.#printer.print(partition, scope);
      this.#printer.proof.apply('GROUP BY', [type], text);
    }
    const partition =
      partitions.length > 0
        ? `PARTITION BY ${partitions.map((one) => this.#printer.print(one, scope).text).join(', ')}`
        : '';
    const order = node.orders?.length ? `ORDER BY ${this.#printer.orders(node.orders, scope)}` : '';
    const over = [partition, order, this.#frame(node)].filter((one) => one !== '').join(' ');
    const types = name === 'count_star' ? ['*'] : values.map(({ type }) => type);
    const signature = `${name === 'count_star' ? 'count' : name} OVER`;
    return this.#printer.proof.apply(
      signature,
      types,
      `${call}${this.#filter(node.filter_expr, scope)} OVER (${over})`,
    );
  }

  #frame({ start = '', end = '', start_expr, end_expr }: ExpressionNode): string {
    if (start === 'UNBOUNDED_PRECEDING' && end === 'CURRENT_ROW_RANGE') return '';
    const bound = (name: string, distance: ExpressionNode | null | undefined): string => {
      if (name.startsWith('UNBOUNDED_PRECEDING')) return 'UNBOUNDED PRECEDING';
      if (name.startsWith('UNBOUNDED_FOLLOWING')) return 'UNBOUNDED FOLLOWING';
      if (name.startsWith('CURRENT_ROW')) return 'CURRENT ROW';
      const rows = distance?.value?.value;
      if (typeof rows !== 'number') return refuse('the distance of a frame');
      return `${rows} ${name.includes('PRECEDING') ? 'PRECEDING' : 'FOLLOWING'}`;
    };
    const unit = /ROWS|GROUPS/.exec(start + end)?.[0] ?? 'RANGE';
    if (unit !== 'ROWS') return refuse('a frame of RANGE or GROUPS');
    return `${unit} BETWEEN ${bound(start, start_expr)} AND ${bound(end, end_expr)}`;
  }
}

function nameOf(node: ExpressionNode): string {
  const name = (node.function_name ?? '').toLowerCase();
  return renamedFunctions.get(name) ?? name;
}

/** Returns a constant that is part of a signature. */
function literal(name: string, node: ExpressionNode): Typed {
  const value = node.value;
  if (node.class !== 'CONSTANT' || !value || value.is_null) return refuse(`${name} without a constant`);
  const written = String(value.value);
  const text = name === 'date_format' ? written : written.toLowerCase();
  return { text: value.type.id === 'VARCHAR' ? textOf(text) : text, type: textOf(text) };
}
