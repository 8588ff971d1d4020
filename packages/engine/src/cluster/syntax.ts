/** Type in DuckDB's syntax tree. */
export interface TypeNode {
  id: string;
  name?: string;
  type_info?: {
    alias?: string;
    width?: number;
    scale?: number;
    child_type?: TypeNode;
  } | null;
}

/** Literal in DuckDB's syntax tree. Large numbers are kept as written (`tree.ts`). */
export interface ValueNode {
  type: TypeNode;
  is_null: boolean;
  value?: unknown;
}

/** Order of rows by an expression. */
export interface OrderNode {
  type: string;
  null_order: string;
  expression: ExpressionNode;
}

/** Expression in DuckDB's syntax tree: the fields that the printer reads. */
export interface ExpressionNode {
  class: string;
  type: string;
  alias?: string;
  column_names?: string[];
  value?: ValueNode;
  child?: ExpressionNode;
  cast_type?: TypeNode;
  try_cast?: boolean;
  left?: ExpressionNode;
  right?: ExpressionNode;
  children?: ExpressionNode[];
  input?: ExpressionNode;
  lower?: ExpressionNode;
  upper?: ExpressionNode;
  case_checks?: { when_expr: ExpressionNode; then_expr: ExpressionNode }[];
  else_expr?: ExpressionNode | null;
  subquery?: { node: QueryNode };
  subquery_type?: string;
  comparison_type?: string;
  lhs?: ExpressionNode;
  expr?: ExpressionNode | null;
  function_name?: string;
  is_operator?: boolean;
  distinct?: boolean;
  filter?: ExpressionNode | null;
  order_bys?: { orders?: OrderNode[] } | null;
  partitions?: ExpressionNode[];
  orders?: OrderNode[];
  start?: string;
  end?: string;
  start_expr?: ExpressionNode | null;
  end_expr?: ExpressionNode | null;
  offset_expr?: ExpressionNode | null;
  default_expr?: ExpressionNode | null;
  filter_expr?: ExpressionNode | null;
  ignore_nulls?: boolean;
  exclude_clause?: string;
  relation_name?: string;
  exclude_list?: unknown[];
  qualified_exclude_list?: unknown[];
  replace_list?: unknown[];
  rename_list?: unknown[];
  columns?: boolean;
}

/** Relation of a FROM clause in DuckDB's syntax tree. */
export interface TableNode {
  type: string;
  alias: string;
  sample?: unknown;
  table_name?: string;
  schema_name?: string;
  column_name_alias?: string[];
  subquery?: { node: QueryNode };
  values?: ExpressionNode[][];
  expected_names?: string[];
  function?: ExpressionNode;
  left?: TableNode;
  right?: TableNode;
  join_type?: string;
  ref_type?: string;
  condition?: ExpressionNode | null;
  using_columns?: string[];
}

/** Clause after the body of a query: order, limit or DISTINCT. */
interface ModifierNode {
  type: string;
  orders?: OrderNode[];
  limit?: ExpressionNode | null;
  offset?: ExpressionNode | null;
  distinct_on_targets?: unknown[];
}

/** Query in DuckDB's syntax tree. */
export interface QueryNode {
  type: string;
  modifiers?: ModifierNode[];
  cte_map?: { map?: { key: string; value: { aliases?: string[]; query: { node: QueryNode } } }[] };
  select_list?: ExpressionNode[];
  from_table?: TableNode;
  where_clause?: ExpressionNode | null;
  group_expressions?: ExpressionNode[];
  group_sets?: number[][];
  aggregate_handling?: string;
  having?: ExpressionNode | null;
  sample?: unknown;
  qualify?: ExpressionNode | null;
  setop_type?: string;
  setop_all?: boolean;
  left?: QueryNode;
  right?: QueryNode;
}

/** Part of a statement that has no equal in the other dialect. */
export class Untranslatable extends Error {
  constructor(part: string) {
    super(`There is no equal of ${part}.`);
    this.name = 'Untranslatable';
  }
}

/** Throws `Untranslatable`. */
export function refuse(part: string): never {
  throw new Untranslatable(part);
}

/** Returns a node that the grammar requires. */
export function required<T>(node: T | null | undefined): T {
  return node ?? refuse('an incomplete expression');
}

/** Quotes a name. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Quotes a text. */
export const textOf = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** Returns an expression as text, without its name and place. */
export function shapeOf(node: ExpressionNode): string {
  return JSON.stringify(node, (key, value) =>
    key === 'alias' || key === 'query_location' ? undefined : value,
  );
}
