import { literal, tokensOf } from '@ploidy/engine';
import type { Answered } from './answered.ts';
import { StatementFailed } from './failure.ts';
import { catalogName } from './session.ts';
import { trinoColumn } from './types.ts';

type Shown = 'catalogs' | 'schemas' | 'tables' | 'columns' | 'functions';

/** Column that LIKE compares. */
const selects: Readonly<Record<Shown, { list: string; from: string; where?: string; name: string }>> = {
  catalogs: { list: 'catalog_name AS "Catalog"', from: 'system.metadata.catalogs', name: 'catalog_name' },
  schemas: {
    list: 'schema_name AS "Schema"',
    from: 'ploidy.information_schema.schemata',
    name: 'schema_name',
  },
  tables: { list: 'table_name AS "Table"', from: 'ploidy.information_schema.tables', name: 'table_name' },
  columns: {
    list: `column_name AS "Column", data_type AS "Type", '' AS "Extra", '' AS "Comment"`,
    from: 'ploidy.information_schema.columns',
    name: 'column_name',
  },
  functions: {
    list: `'' AS "Function", '' AS "Return Type", '' AS "Argument Types", '' AS "Function Type", true AS "Deterministic", '' AS "Description"`,
    from: 'system.metadata.catalogs',
    where: 'false',
    name: 'catalog_name',
  },
};

/** Returns the SELECT of a SHOW. `scope`: schema and table. */
export function selectOf(what: Shown, [schema, table]: string[], like: string): string {
  const { list, from, where, name } = selects[what];
  const conditions = [
    ...(where ? [where] : []),
    ...(schema === undefined
      ? []
      : [`table_catalog = ${literal(catalogName)}`, `table_schema = ${literal(schema)}`]),
    ...(table === undefined ? [] : [`table_name = ${literal(table)}`]),
    ...(like === '' ? [] : [`${name} ${like}`]),
  ];
  const order = what === 'columns' ? 'ordinal_position' : '1';
  return `SELECT ${list} FROM ${from}${conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''} ORDER BY ${order}`;
}

/** Checks `LIKE 'a%' [ESCAPE '\']`. */
export function likeOf(text: string): string {
  const words = tokensOf(text);
  const isEscaped = words.length === 4 && words[2]?.text === 'escape' && words[3]?.kind === 'text';
  if (text !== '' && (words[1]?.kind !== 'text' || !(words.length === 2 || isEscaped)))
    throw new StatementFailed('SYNTAX_ERROR', "SHOW accepts LIKE 'pattern' ESCAPE 'character'");
  return text;
}

/** Describes the columns of a statement as DESCRIBE OUTPUT does. */
export function columnsShown(columns: readonly { name: string; type: string }[]): Answered {
  const names = ['Column Name', 'Catalog', 'Schema', 'Table', 'Type'];
  return {
    columns: [
      ...names.map((name) => ({ name, type: 'VARCHAR' })),
      { name: 'Type Size', type: 'BIGINT' },
      { name: 'Aliased', type: 'BOOLEAN' },
    ],
    lines: columns.map((column) =>
      JSON.stringify([column.name, '', '', '', trinoColumn(column).type, 0, false]),
    ),
  };
}

/** Writes a table as SHOW CREATE TABLE does. */
export function definitionShown(name: string, columns: readonly { name: string; type: string }[]): Answered {
  const lines = columns.map(
    (column) => `   "${column.name.replaceAll('"', '""')}" ${trinoColumn(column).type}`,
  );
  const text = `CREATE TABLE ${name} (\n${lines.join(',\n')}\n)`;
  return { columns: [{ name: 'Create Table', type: 'VARCHAR' }], lines: [JSON.stringify([text])] };
}

/** Describes a result as SHOW STATS does: only the number of rows is known, to readers of all rows. */
export function statsShown({
  columns = [],
  rows,
}: {
  columns: Answered['columns'] | undefined;
  rows: number | undefined;
}): Answered {
  const numbers = ['data_size', 'distinct_values_count', 'nulls_fraction', 'row_count'];
  const unknown = columns.map(({ name }) => [name, null, null, null, null, null, null]);
  return {
    columns: [
      { name: 'column_name', type: 'VARCHAR' },
      ...numbers.map((name) => ({ name, type: 'DOUBLE' })),
      ...['low_value', 'high_value'].map((name) => ({ name, type: 'VARCHAR' })),
    ],
    lines: [...unknown, [null, null, null, null, rows ?? null, null, null]].map((row) => JSON.stringify(row)),
  };
}
