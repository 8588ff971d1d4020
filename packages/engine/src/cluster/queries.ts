import { ExpressionPrinter, type Scope } from './expressions.ts';
import { aggregateFunctions } from './functions.ts';
import {
  type ExpressionNode,
  type ModifierNode,
  type QueryNode,
  quoted,
  refuse,
  required,
  type TableNode,
} from './syntax.ts';
import { aliased } from './types.ts';

/** Printing of a statement. */
interface PrintOptions {
  /** Returns the SQL of a table that is no WITH query. */
  tableOf: (name: string, schema: string) => string;
  /** Set for views of the service. */
  isOurs: boolean;
}

/** Prints a query of DuckDB's syntax tree for Trino. Throws `Untranslatable` for what is not listed. */
export function printQuery(query: QueryNode, options: PrintOptions): string {
  return new QueryPrinter(options).print(query, new Set());
}

class QueryPrinter {
  readonly #options: PrintOptions;
  readonly #expressions: ExpressionPrinter;

  constructor(options: PrintOptions) {
    this.#options = options;
    this.#expressions = new ExpressionPrinter((query, scope) => this.print(query, scope), options.isOurs);
  }

  print(query: QueryNode, outer: Scope, isOperand = false): string {
    const { text, scope } = this.#withQueries(query, outer);
    const body = this.#body(query, scope);
    const tail = this.#modifiers(query.modifiers ?? [], scope, query.select_list);
    const whole = text + body + tail;
    return isOperand && (text || tail || query.type !== 'SELECT_NODE') ? `(${whole})` : whole;
  }

  #withQueries(query: QueryNode, outer: Scope): { text: string; scope: Scope } {
    const scope = new Set(outer);
    const parts = (query.cte_map?.map ?? []).map(({ key, value }) => {
      if (value.query.node.type === 'RECURSIVE_CTE_NODE') return refuse('WITH RECURSIVE');
      const names = value.aliases?.length ? `(${value.aliases.map(quoted).join(', ')})` : '';
      const part = `${quoted(key)}${names} AS (${this.print(value.query.node, scope)})`;
      scope.add(key.toLowerCase());
      return part;
    });
    return { text: parts.length > 0 ? `WITH ${parts.join(', ')} ` : '', scope };
  }

  #body(query: QueryNode, scope: Scope): string {
    if (query.type === 'SELECT_NODE') return this.#select(query, scope);
    if (query.type !== 'SET_OPERATION_NODE') return refuse(query.type);
    const word = query.setop_type ?? '';
    if (!['UNION', 'EXCEPT', 'INTERSECT'].includes(word)) return refuse(word);
    const operand = (side: QueryNode | undefined): string => this.print(required(side), scope, true);
    return `${operand(query.left)} ${word}${query.setop_all ? ' ALL' : ''} ${operand(query.right)}`;
  }

  #modifiers(modifiers: readonly ModifierNode[], scope: Scope, list?: ExpressionNode[]): string {
    let [order, limit, offset] = ['', '', ''];
    for (const modifier of modifiers) {
      if (modifier.type === 'ORDER_MODIFIER' && modifier.orders?.length)
        order = ` ORDER BY ${this.#expressions.orders(modifier.orders, scope, list)}`;
      else if (modifier.type === 'LIMIT_MODIFIER') {
        if (modifier.limit) limit = ` LIMIT ${this.#expressions.print(modifier.limit, scope)}`;
        if (modifier.offset) offset = ` OFFSET ${this.#expressions.print(modifier.offset, scope)}`;
      } else if (modifier.type === 'DISTINCT_MODIFIER') {
        if (modifier.distinct_on_targets?.length) return refuse('DISTINCT ON');
      } else if (modifier.type !== 'ORDER_MODIFIER') return refuse(modifier.type);
    }
    return order + offset + limit;
  }

  #select(query: QueryNode, scope: Scope): string {
    if (query.sample) return refuse('a sample');
    if (query.qualify) return refuse('QUALIFY');
    const from = required(query.from_table);
    const list = query.select_list ?? [];
    // VALUES is a SELECT * in the tree.
    if (from.type === 'EXPRESSION_LIST' && list.length === 1 && list[0]?.class === 'STAR')
      return this.#values(from, scope);
    const isDistinct = (query.modifiers ?? []).some(({ type }) => type === 'DISTINCT_MODIFIER');
    const items = list.map((item) => this.#item(item, scope)).join(', ');
    const source = from.type === 'EMPTY' ? '' : ` FROM ${this.#table(from, scope)}`;
    const where = query.where_clause ? ` WHERE ${this.#expressions.print(query.where_clause, scope)}` : '';
    const having = query.having ? ` HAVING ${this.#expressions.print(query.having, scope)}` : '';
    return `SELECT ${isDistinct ? 'DISTINCT ' : ''}${items}${source}${where}${this.#groups(query, scope)}${having}`;
  }

  #groups(query: QueryNode, scope: Scope): string {
    const list = query.select_list ?? [];
    if (query.aggregate_handling === 'FORCE_AGGREGATES') {
      if (list.some((item) => item.class === 'STAR')) return refuse('GROUP BY ALL with *');
      const places = list.flatMap((item, at) => (hasAggregate(item) ? [] : [at + 1]));
      return places.length > 0 ? ` GROUP BY ${places.join(', ')}` : '';
    }
    const expressions = (query.group_expressions ?? []).map((one) => this.#expressions.print(one, scope));
    const sets = query.group_sets ?? [];
    if (sets.length > 1 || sets[0]?.length === 0) {
      const printed = sets.map((set) => `(${set.map((at) => expressions[at] ?? '').join(', ')})`);
      return ` GROUP BY GROUPING SETS (${printed.join(', ')})`;
    }
    return expressions.length > 0 ? ` GROUP BY ${expressions.join(', ')}` : '';
  }

  #item(item: ExpressionNode, scope: Scope): string {
    if (item.class !== 'STAR') return aliased(this.#expressions.print(item, scope), item.alias);
    const lists = [item.exclude_list, item.qualified_exclude_list, item.replace_list, item.rename_list];
    if (lists.some((list) => list?.length) || item.columns || item.expr) return refuse('a changed *');
    return item.relation_name ? `${quoted(item.relation_name)}.*` : '*';
  }

  #values(table: TableNode, scope: Scope): string {
    const rows = (table.values ?? []).map(
      (row) => `(${row.map((value) => this.#expressions.print(value, scope)).join(', ')})`,
    );
    return `VALUES ${rows.join(', ')}`;
  }

  #table(table: TableNode, scope: Scope): string {
    if (table.sample) return refuse('TABLESAMPLE');
    switch (table.type) {
      case 'BASE_TABLE': {
        const [name, schema] = [table.table_name ?? '', table.schema_name ?? ''];
        if (schema === '' && scope.has(name.toLowerCase())) return quoted(name) + aliasOf(table);
        return this.#options.tableOf(name, schema) + aliasOf({ ...table, alias: table.alias || name });
      }
      case 'SUBQUERY':
        return `(${this.print(required(table.subquery).node, scope)})${aliasOf(table)}`;
      case 'EXPRESSION_LIST':
        return `(${this.#values(table, scope)})${aliasOf(table, table.expected_names)}`;
      case 'TABLE_FUNCTION':
        return this.#tableFunction(table, scope);
      case 'JOIN':
        return this.#join(table, scope);
      default:
        return refuse(table.type);
    }
  }

  #tableFunction(table: TableNode, scope: Scope): string {
    const call = required(table.function);
    const names = table.column_name_alias ?? [];
    const [list, ...more] = call.children ?? [];
    if (call.function_name !== 'unnest' || !list || more.length > 0 || names.length !== 1)
      return refuse(`${call.function_name} in FROM`);
    const alias = { ...table, alias: table.alias || 'unnest' };
    return `UNNEST(${this.#expressions.print(list, scope)})${aliasOf(alias, names)}`;
  }

  #join(table: TableNode, scope: Scope): string {
    const [leftTable, rightTable] = [required(table.left), required(table.right)];
    const left = this.#table(leftTable, scope);
    const printed = this.#table(rightTable, scope);
    const right = rightTable.type === 'JOIN' ? `(${printed})` : printed;
    const using = table.using_columns ?? [];
    const isCross =
      table.ref_type === 'CROSS' || (table.ref_type === 'REGULAR' && !table.condition && using.length === 0);
    if (isCross) return `${left} CROSS JOIN ${right}`;
    const kind = this.#kindOf(table);
    const on =
      using.length > 0
        ? `USING (${using.map(quoted).join(', ')})`
        : `ON ${this.#expressions.print(required(table.condition), scope)}`;
    return `${left} ${kind} JOIN ${right} ${on}`;
  }

  #kindOf({ join_type: type = '', ref_type }: TableNode): string {
    if (ref_type !== 'REGULAR') return refuse(`a ${ref_type} join`);
    // Our right sides have one row per match. Never a semi join: Trino evaluates a statement's conditions before it.
    if (type === 'SEMI' && this.#options.isOurs) return 'INNER';
    if (type === 'OUTER') return 'FULL OUTER';
    return ['INNER', 'LEFT', 'RIGHT'].includes(type) ? type : refuse(`a ${type} join`);
  }
}

function aliasOf({ alias, column_name_alias }: TableNode, names = column_name_alias ?? []): string {
  if (!alias) return '';
  return ` AS ${quoted(alias)}${names.length > 0 ? `(${names.map(quoted).join(', ')})` : ''}`;
}

function hasAggregate(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if (Array.isArray(node)) return node.some(hasAggregate);
  const { class: kind, function_name: name } = node as ExpressionNode;
  if (kind === 'FUNCTION' && name !== undefined && aggregateFunctions.has(name.toLowerCase())) return true;
  return kind !== 'SUBQUERY' && kind !== 'WINDOW' && Object.values(node).some(hasAggregate);
}
