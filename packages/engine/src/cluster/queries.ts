import { ExpressionPrinter, type PrintedQuery } from './expressions.ts';
import { aggregateFunctions } from './functions.ts';
import type { Proof } from './proof.ts';
import { type Column, type Relation, Scope } from './scope.ts';
import { type ExpressionNode, type QueryNode, quoted, refuse, required, type TableNode } from './syntax.ts';
import { aliased } from './types.ts';
import { ViewPrinter } from './view-expressions.ts';

/** Table in Trino's SQL. */
interface PrintedTable {
  text: string;
  /** Absent for tables of the views. */
  columns?: readonly Column[];
}

/** Printing of a statement. */
interface PrintOptions {
  /** Returns a table that is no WITH query. */
  tableOf: (name: string, schema: string) => PrintedTable;
  /** Absent for views of the service. */
  proof?: Proof;
}

/** Prints a query of DuckDB's syntax tree for Trino. Throws `Untranslatable` for what is not listed. */
export function printQuery(query: QueryNode, options: PrintOptions): PrintedQuery {
  return new QueryPrinter(options).print(query, new Scope());
}

/** FROM clause, with the relations that expressions may refer to. */
interface From {
  text: string;
  relations: readonly Relation[];
}

class QueryPrinter {
  readonly #options: PrintOptions;
  readonly #proof: Proof | undefined;
  readonly #expressions: Pick<ExpressionPrinter, 'print' | 'condition' | 'orders'>;

  constructor(options: PrintOptions) {
    this.#options = options;
    this.#proof = options.proof;
    const inner = (query: QueryNode, scope: Scope): PrintedQuery => this.print(query, scope);
    this.#expressions = options.proof ? new ExpressionPrinter(inner, options.proof) : new ViewPrinter(inner);
  }

  print(query: QueryNode, outer: Scope, isOperand = false): PrintedQuery {
    const { text, scope } = this.#withQueries(query, outer);
    const body = this.#body(query, scope);
    const tail = this.#modifiers(query, body);
    const whole = text + body.text + tail;
    const isWrapped = isOperand && (text || tail || query.type !== 'SELECT_NODE');
    return { text: isWrapped ? `(${whole})` : whole, columns: body.columns };
  }

  #withQueries(query: QueryNode, outer: Scope): { text: string; scope: Scope } {
    let scope = outer;
    const parts = (query.cte_map?.map ?? []).map(({ key, value }) => {
      if (value.query.node.type === 'RECURSIVE_CTE_NODE') return refuse('WITH RECURSIVE');
      const names = value.aliases?.length ? `(${value.aliases.map(quoted).join(', ')})` : '';
      const { text, columns } = this.print(value.query.node, scope);
      scope = scope.within(key, renamed(columns, value.aliases));
      return `${quoted(key)}${names} AS (${text})`;
    });
    return { text: parts.length > 0 ? `WITH ${parts.join(', ')} ` : '', scope };
  }

  #body(query: QueryNode, scope: Scope): PrintedQuery & { scope: Scope } {
    if (query.type === 'SELECT_NODE') return this.#select(query, scope);
    if (query.type !== 'SET_OPERATION_NODE') return refuse(query.type);
    const word = query.setop_type ?? '';
    if (!['UNION', 'EXCEPT', 'INTERSECT'].includes(word)) return refuse(word);
    const [left, right] = [query.left, query.right].map((side) => this.print(required(side), scope, true));
    if (!left || !right) return refuse(word);
    if (left.columns.some(({ type }, at) => type !== right.columns[at]?.type))
      return refuse(`${word} of several types`);
    if (!query.setop_all) this.#prove('GROUP BY', left.columns);
    const text = `${left.text} ${word}${query.setop_all ? ' ALL' : ''} ${right.text}`;
    // An order names columns of the result.
    return { text, columns: left.columns, scope: scope.over([{ alias: '', columns: left.columns }]) };
  }

  /** Refuses columns that an operation is not proven for. */
  #prove(name: string, columns: readonly Column[]): void {
    for (const { type } of columns) this.#proof?.apply(name, [type], '');
  }

  #modifiers(query: QueryNode, { columns, scope }: PrintedQuery & { scope: Scope }): string {
    let [order, limit, offset] = ['', '', ''];
    for (const modifier of query.modifiers ?? []) {
      if (modifier.type === 'ORDER_MODIFIER' && modifier.orders?.length) {
        this.#prove('ORDER BY', columns);
        if (!query.select_list && columns.some(({ type }) => type === 'DOUBLE'))
          return refuse('an order of a UNION with a DOUBLE');
        order = ` ORDER BY ${this.#expressions.orders(modifier.orders, scope, query.select_list)}`;
      } else if (modifier.type === 'LIMIT_MODIFIER') {
        if (modifier.limit) limit = ` LIMIT ${countOf(modifier.limit)}`;
        if (modifier.offset) offset = ` OFFSET ${countOf(modifier.offset)}`;
      } else if (modifier.type === 'DISTINCT_MODIFIER') {
        if (modifier.distinct_on_targets?.length) return refuse('DISTINCT ON');
        this.#prove('GROUP BY', columns);
      } else if (modifier.type !== 'ORDER_MODIFIER') return refuse(modifier.type);
    }
    if (limit + offset !== '' && order === '') return refuse('LIMIT without ORDER BY');
    return order + offset + limit;
  }

  #select(query: QueryNode, outer: Scope): PrintedQuery & { scope: Scope } {
    if (query.sample) return refuse('a sample');
    if (query.qualify) return refuse('QUALIFY');
    const from = required(query.from_table);
    const list = query.select_list ?? [];
    // VALUES is a SELECT * in the tree.
    if (from.type === 'EXPRESSION_LIST' && list.length === 1 && list[0]?.class === 'STAR')
      return { ...this.#values(from, outer), scope: outer };
    const isDistinct = (query.modifiers ?? []).some(({ type }) => type === 'DISTINCT_MODIFIER');
    const source = from.type === 'EMPTY' ? undefined : this.#table(from, outer);
    const scope = outer.over(source?.relations ?? []);
    const items = list.map((item) => this.#item(item, scope, from));
    const where = query.where_clause
      ? ` WHERE ${this.#expressions.condition(query.where_clause, scope)}`
      : '';
    const having = query.having ? ` HAVING ${this.#expressions.condition(query.having, scope)}` : '';
    const columns = items.flatMap((item) => item.columns);
    const texts = items.map(({ text }) => text).join(', ');
    const groups = this.#groups(query, scope, columns);
    const text = `SELECT ${isDistinct ? 'DISTINCT ' : ''}${texts}${source ? ` FROM ${source.text}` : ''}${where}${groups}${having}`;
    return { text, columns, scope };
  }

  #groups(query: QueryNode, scope: Scope, columns: readonly Column[]): string {
    const list = query.select_list ?? [];
    if (query.aggregate_handling === 'FORCE_AGGREGATES') {
      if (list.some((item) => item.class === 'STAR')) return refuse('GROUP BY ALL with *');
      const places = list.flatMap((item, at) => (hasAggregate(item) ? [] : [at + 1]));
      this.#prove('GROUP BY', columns);
      return places.length > 0 ? ` GROUP BY ${places.join(', ')}` : '';
    }
    const expressions = (query.group_expressions ?? []).map((one) => this.#group(one, scope, columns));
    const sets = query.group_sets ?? [];
    if (sets.length > 1 || sets[0]?.length === 0) {
      const printed = sets.map((set) => `(${set.map((at) => expressions[at] ?? '').join(', ')})`);
      return ` GROUP BY GROUPING SETS (${printed.join(', ')})`;
    }
    return expressions.length > 0 ? ` GROUP BY ${expressions.join(', ')}` : '';
  }

  #group(node: ExpressionNode, scope: Scope, columns: readonly Column[]): string {
    if (node.class === 'CONSTANT') {
      const place = Number(countOf(node));
      this.#prove('GROUP BY', columns.slice(place - 1, place));
      return String(place);
    }
    const names = node.class === 'COLUMN_REF' ? (node.column_names ?? []) : [];
    const at = columns.findIndex(({ name }) => name.toLowerCase() === names.join('.').toLowerCase());
    // Trino has no names of the result here.
    if (names.length === 1 && at >= 0 && !scope.has(names)) {
      this.#prove('GROUP BY', columns.slice(at, at + 1));
      return String(at + 1);
    }
    const { text, type } = this.#expressions.print(node, scope);
    this.#prove('GROUP BY', [{ name: '', type }]);
    return text;
  }

  #item(item: ExpressionNode, scope: Scope, from: TableNode): PrintedQuery {
    if (item.class !== 'STAR') {
      const { text, type } = this.#expressions.print(item, scope);
      if (type === 'NULL') return refuse('a column of NULL');
      const name = item.alias || (item.column_names?.at(-1) ?? '');
      return { text: aliased(text, item.alias), columns: [{ name, type }] };
    }
    const lists = [item.exclude_list, item.qualified_exclude_list, item.replace_list, item.rename_list];
    if (lists.some((one) => one?.length) || item.columns || item.expr) return refuse('a changed *');
    // The engines put the columns of USING in different places.
    if (this.#proof && hasUsing(from)) return refuse('* of a join with USING');
    const alias = item.relation_name;
    const relations = scope.relations.filter(
      (relation) => !alias || relation.alias.toLowerCase() === alias.toLowerCase(),
    );
    return {
      text: alias ? `${quoted(alias)}.*` : '*',
      columns: relations.flatMap((relation) => relation.columns),
    };
  }

  #values(table: TableNode, scope: Scope): PrintedQuery {
    const rows = (table.values ?? []).map((row) => row.map((value) => this.#expressions.print(value, scope)));
    const columns = (rows[0] ?? []).map(({ type }, at) => ({
      name: table.expected_names?.[at] ?? '',
      type: rows.every((row) => row[at]?.type === type) ? type : refuse('VALUES of several types'),
    }));
    const texts = rows.map((row) => `(${row.map(({ text }) => text).join(', ')})`);
    return { text: `VALUES ${texts.join(', ')}`, columns };
  }

  #table(table: TableNode, scope: Scope): From {
    if (table.sample) return refuse('TABLESAMPLE');
    switch (table.type) {
      case 'BASE_TABLE':
        return this.#baseTable(table, scope);
      case 'SUBQUERY': {
        const { text, columns } = this.print(required(table.subquery).node, scope);
        return related(`(${text})`, table, columns);
      }
      case 'EXPRESSION_LIST': {
        const { text, columns } = this.#values(table, scope);
        return related(`(${text})`, { ...table, column_name_alias: table.expected_names ?? [] }, columns);
      }
      case 'JOIN':
        return this.#join(table, scope);
      case 'TABLE_FUNCTION':
        return refuse(`${table.function?.function_name} in FROM`);
      default:
        return refuse(table.type);
    }
  }

  #baseTable(table: TableNode, scope: Scope): From {
    const [name, schema] = [table.table_name ?? '', table.schema_name ?? ''];
    const named = schema === '' ? scope.named.get(name.toLowerCase()) : undefined;
    if (named) return related(quoted(name), { ...table, alias: table.alias || name }, named);
    const { text, columns = [] } = this.#options.tableOf(name, schema);
    return related(text, { ...table, alias: table.alias || name }, columns);
  }

  #join(table: TableNode, scope: Scope): From {
    const [leftTable, rightTable] = [required(table.left), required(table.right)];
    const [left, printed] = [this.#table(leftTable, scope), this.#table(rightTable, scope)];
    const right = rightTable.type === 'JOIN' ? `(${printed.text})` : printed.text;
    const relations = [...left.relations, ...printed.relations];
    const using = table.using_columns ?? [];
    const isCross =
      table.ref_type === 'CROSS' || (table.ref_type === 'REGULAR' && !table.condition && using.length === 0);
    if (isCross) return { text: `${left.text} CROSS JOIN ${right}`, relations };
    const kind = this.#kindOf(table);
    if (this.#proof && using.length > 0 && kind !== 'INNER' && kind !== 'LEFT')
      return refuse(`a ${kind} JOIN with USING`);
    const shared = scope.over(relations);
    for (const name of using)
      if (this.#proof) this.#prove('GROUP BY', [{ name, type: shared.typeOf([name]) }]);
    const on =
      using.length > 0
        ? `USING (${using.map(quoted).join(', ')})`
        : `ON ${this.#expressions.condition(required(table.condition), shared)}`;
    return { text: `${left.text} ${kind} JOIN ${right} ${on}`, relations };
  }

  #kindOf({ join_type: type = '', ref_type }: TableNode): string {
    if (ref_type !== 'REGULAR') return refuse(`a ${ref_type} join`);
    // Our right sides have one row per match. Never a semi join: Trino evaluates a statement's conditions before it.
    if (type === 'SEMI' && !this.#proof) return 'INNER';
    if (type === 'OUTER') return 'FULL OUTER';
    return ['INNER', 'LEFT', 'RIGHT'].includes(type) ? type : refuse(`a ${type} join`);
  }
}

/** Returns a number of rows, or the place of a column. */
function countOf(node: ExpressionNode): string {
  const { type, value } = node.value ?? refuse('a number that is computed');
  return type.id === 'INTEGER' || type.id === 'BIGINT' ? String(value) : refuse('a number of rows');
}

const hasUsing = (table: TableNode): boolean =>
  table.type === 'JOIN' &&
  ((table.using_columns ?? []).length > 0 ||
    [table.left, table.right].some((side) => side !== undefined && hasUsing(side)));

/** Gives columns the names of an alias. */
const renamed = (columns: readonly Column[], names: readonly string[] = []): Column[] =>
  columns.map(({ name, type }, at) => ({ name: names[at] ?? name, type }));

/** Builds a relation of a FROM clause. */
function related(text: string, table: TableNode, columns: readonly Column[]): From {
  const relation = { alias: table.alias, columns: renamed(columns, table.column_name_alias) };
  return { text: text + aliasOf(table), relations: [relation] };
}

function aliasOf({ alias, column_name_alias: names = [] }: TableNode): string {
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
