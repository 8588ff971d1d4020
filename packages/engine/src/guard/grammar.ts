/**
 * Part of the engine's syntax tree that a query may use, as `json_serialize_sql` prints it. Unlisted kinds and fields of nodes
 * are refused, so a newer engine with more syntax fails closed.
 */

/** Families of nodes. The discriminator of a family names the kind of a node. */
export type Family =
  | 'statement'
  | 'query'
  | 'namedQueries'
  | 'namedQuery'
  | 'namedQueryBody'
  | 'modifier'
  | 'order'
  | 'table'
  | 'tableFunction'
  | 'pivot'
  | 'pivotEntry'
  | 'expression'
  | 'caseCheck'
  | 'replacement'
  | 'sample';

/**
 * Content of a field: nodes of a family (one, none or nested lists); `plain`: strings, numbers, flags and lists of them; `data`:
 * constants and types, objects without nodes; `empty`: only null, '', [] or false.
 */
export type Rule = Family | 'plain' | 'data' | 'empty';

interface FamilyShape {
  /** Field that names the kind; null: the family has one kind, `''`. */
  discriminator: 'type' | 'class' | null;
  kinds: Record<string, Record<string, Rule>>;
}

const queryFields = { type: 'plain', modifiers: 'modifier', cte_map: 'namedQueries' } as const;
const tableFields = { type: 'plain', alias: 'plain', sample: 'sample', query_location: 'plain' } as const;
const expressionFields = { class: 'plain', type: 'plain', alias: 'plain', query_location: 'plain' } as const;

const functionFields: Record<string, Rule> = {
  ...expressionFields,
  function_name: 'plain',
  schema: 'plain',
  catalog: 'empty',
  children: 'expression',
  filter: 'expression',
  order_bys: 'modifier',
  distinct: 'plain',
  is_operator: 'plain',
  export_state: 'empty',
};

const query: FamilyShape = {
  discriminator: 'type',
  kinds: {
    SELECT_NODE: {
      ...queryFields,
      select_list: 'expression',
      from_table: 'table',
      where_clause: 'expression',
      group_expressions: 'expression',
      group_sets: 'plain',
      aggregate_handling: 'plain',
      having: 'expression',
      sample: 'sample',
      qualify: 'expression',
    },
    SET_OPERATION_NODE: {
      ...queryFields,
      setop_type: 'plain',
      left: 'query',
      right: 'query',
      setop_all: 'plain',
    },
    RECURSIVE_CTE_NODE: {
      ...queryFields,
      cte_name: 'plain',
      union_all: 'plain',
      left: 'query',
      right: 'query',
      aliases: 'plain',
      key_targets: 'expression',
    },
  },
};

const table: FamilyShape = {
  discriminator: 'type',
  kinds: {
    EMPTY: tableFields,
    BASE_TABLE: {
      ...tableFields,
      schema_name: 'plain',
      table_name: 'plain',
      catalog_name: 'plain',
      column_name_alias: 'plain',
      at_clause: 'empty',
    },
    SUBQUERY: { ...tableFields, subquery: 'statement', column_name_alias: 'plain' },
    JOIN: {
      ...tableFields,
      left: 'table',
      right: 'table',
      condition: 'expression',
      join_type: 'plain',
      ref_type: 'plain',
      using_columns: 'plain',
      delim_flipped: 'empty',
      duplicate_eliminated_columns: 'empty',
    },
    TABLE_FUNCTION: {
      ...tableFields,
      function: 'tableFunction',
      column_name_alias: 'plain',
      with_ordinality: 'plain',
    },
    EXPRESSION_LIST: {
      ...tableFields,
      expected_names: 'plain',
      expected_types: 'data',
      values: 'expression',
    },
    PIVOT: {
      ...tableFields,
      source: 'table',
      aggregates: 'expression',
      unpivot_names: 'plain',
      pivots: 'pivot',
      groups: 'plain',
      column_name_alias: 'plain',
      include_nulls: 'plain',
    },
  },
};

const expression: FamilyShape = {
  discriminator: 'class',
  kinds: {
    COLUMN_REF: { ...expressionFields, column_names: 'plain' },
    CONSTANT: { ...expressionFields, value: 'data' },
    POSITIONAL_REFERENCE: { ...expressionFields, index: 'plain' },
    FUNCTION: functionFields,
    WINDOW: {
      ...expressionFields,
      function_name: 'plain',
      schema: 'plain',
      catalog: 'empty',
      children: 'expression',
      partitions: 'expression',
      orders: 'order',
      start: 'plain',
      end: 'plain',
      start_expr: 'expression',
      end_expr: 'expression',
      offset_expr: 'expression',
      default_expr: 'expression',
      ignore_nulls: 'plain',
      filter_expr: 'expression',
      exclude_clause: 'plain',
      distinct: 'plain',
      arg_orders: 'order',
    },
    CASE: { ...expressionFields, case_checks: 'caseCheck', else_expr: 'expression' },
    CAST: { ...expressionFields, child: 'expression', cast_type: 'data', try_cast: 'plain' },
    COMPARISON: { ...expressionFields, left: 'expression', right: 'expression' },
    CONJUNCTION: { ...expressionFields, children: 'expression' },
    OPERATOR: { ...expressionFields, children: 'expression' },
    BETWEEN: { ...expressionFields, input: 'expression', lower: 'expression', upper: 'expression' },
    COLLATE: { ...expressionFields, child: 'expression', collation: 'plain' },
    LAMBDA: { ...expressionFields, lhs: 'expression', expr: 'expression' },
    SUBQUERY: {
      ...expressionFields,
      subquery_type: 'plain',
      subquery: 'statement',
      child: 'expression',
      comparison_type: 'plain',
    },
    STAR: {
      ...expressionFields,
      relation_name: 'plain',
      exclude_list: 'plain',
      qualified_exclude_list: 'data',
      rename_list: 'data',
      replace_list: 'replacement',
      columns: 'plain',
      expr: 'expression',
    },
  },
};

const single = (fields: Record<string, Rule>): FamilyShape => ({
  discriminator: null,
  kinds: { '': fields },
});

const orderFields: Record<string, Rule> = { type: 'plain', null_order: 'plain', expression: 'expression' };

export const grammar: Record<Family, FamilyShape> = {
  statement: single({ node: 'query', named_param_map: 'empty' }),
  query,
  namedQueries: single({ map: 'namedQuery' }),
  namedQuery: single({ key: 'plain', value: 'namedQueryBody' }),
  namedQueryBody: single({
    aliases: 'plain',
    query: 'statement',
    materialized: 'plain',
    key_targets: 'expression',
  }),
  modifier: {
    discriminator: 'type',
    kinds: {
      ORDER_MODIFIER: { type: 'plain', orders: 'order' },
      LIMIT_MODIFIER: { type: 'plain', limit: 'expression', offset: 'expression' },
      LIMIT_PERCENT_MODIFIER: { type: 'plain', limit: 'expression', offset: 'expression' },
      DISTINCT_MODIFIER: { type: 'plain', distinct_on_targets: 'expression' },
    },
  },
  order: single(orderFields),
  table,
  tableFunction: { discriminator: 'class', kinds: { FUNCTION: functionFields } },
  // `pivot_enum` would name an ENUM type made by a statement of its own.
  pivot: single({
    pivot_expressions: 'expression',
    unpivot_names: 'plain',
    entries: 'pivotEntry',
    pivot_enum: 'empty',
  }),
  pivotEntry: single({ values: 'data', star_expr: 'expression', alias: 'plain' }),
  expression,
  caseCheck: single({ when_expr: 'expression', then_expr: 'expression' }),
  replacement: single({ key: 'plain', value: 'expression' }),
  sample: single({ sample_size: 'data', is_percentage: 'plain', method: 'plain', seed: 'plain' }),
};
