import type { Relation } from '@ploidy/engine';
import { engineTypes } from '@ploidy/formats/tables';
import type { TableSchema } from '../../lake/index.ts';
import type { Schema } from './schemas.ts';
import { catalogName } from './session.ts';
import { trinoColumn } from './types.ts';

/** Relation about the catalogue. */
export interface RelationName {
  /** Unique: `information_schema.tables`. */
  name: string;
  /** Name behind its schema. */
  table: string;
}

/** Schema with its tables. */
export interface Contents {
  schema: Schema;
  tables: readonly TableSchema[];
}

type Row = Record<string, string | number | boolean | null>;

interface Definition {
  catalog: typeof catalogName | 'system';
  schema: string;
  table: string;
  /** Names of columns; `name:TYPE` for those that are no texts. */
  columns: string;
  /** Absent: there are none. */
  rows?: (contents: readonly Contents[]) => Row[];
}

const jdbcTables =
  'table_cat table_schem table_name table_type remarks type_cat type_schem type_name self_referencing_col_name ref_generation';
const jdbcColumns =
  'table_cat table_schem table_name column_name data_type:BIGINT type_name column_size:BIGINT buffer_length:BIGINT decimal_digits:BIGINT num_prec_radix:BIGINT nullable:BIGINT remarks column_def sql_data_type:BIGINT sql_datetime_sub:BIGINT char_octet_length:BIGINT ordinal_position:BIGINT is_nullable scope_catalog scope_schema scope_table source_data_type:BIGINT is_autoincrement is_generatedcolumn';
const jdbcTypes =
  'type_name data_type:BIGINT precision:BIGINT literal_prefix literal_suffix create_params nullable:BIGINT case_sensitive:BOOLEAN searchable:BIGINT unsigned_attribute:BOOLEAN fixed_prec_scale:BOOLEAN auto_increment:BOOLEAN local_type_name minimum_scale:BIGINT maximum_scale:BIGINT sql_data_type:BIGINT sql_datetime_sub:BIGINT num_prec_radix:BIGINT';

const definitions: readonly Definition[] = [
  own('schemata', 'catalog_name schema_name', (contents) =>
    schemaNames(contents).map((schema_name) => ({ catalog_name: catalogName, schema_name })),
  ),
  own('tables', 'table_catalog table_schema table_name table_type', tableRows),
  own(
    'columns',
    'table_catalog table_schema table_name column_name ordinal_position:BIGINT column_default is_nullable data_type comment extra_info',
    columnRows,
  ),
  own('views', 'table_catalog table_schema table_name view_definition'),
  own(
    'table_privileges',
    'grantor grantor_type grantee grantee_type table_catalog table_schema table_name privilege_type is_grantable with_hierarchy',
  ),
  own('roles', 'role_name'),
  own('applicable_roles', 'grantee grantee_type role_name is_grantable'),
  own('enabled_roles', 'role_name'),
  jdbc('catalogs', 'table_cat', () => catalogs.map((table_cat) => ({ table_cat }))),
  jdbc('schemas', 'table_schem table_catalog', (contents) =>
    schemaNames(contents).map((table_schem) => ({ table_schem, table_catalog: catalogName })),
  ),
  jdbc('table_types', 'table_type', () => [{ table_type: 'TABLE' }, { table_type: 'VIEW' }]),
  jdbc('tables', jdbcTables, (contents) =>
    tableRows(contents).map(({ table_schema, table_name }) => ({
      ...{ table_cat: catalogName, table_schem: table_schema ?? null, table_name: table_name ?? null },
      table_type: 'TABLE',
    })),
  ),
  jdbc('columns', jdbcColumns, (contents) => columnRows(contents).map(jdbcColumn)),
  jdbc('types', jdbcTypes, () => Object.entries(jdbcNumbers).map(jdbcType)),
  jdbc(
    'procedures',
    'procedure_cat procedure_schem procedure_name reserved_1 reserved_2 reserved_3 remarks procedure_type:BIGINT specific_name',
  ),
  jdbc(
    'procedure_columns',
    'procedure_cat procedure_schem procedure_name column_name column_type:BIGINT data_type:BIGINT type_name precision:BIGINT length:BIGINT scale:BIGINT radix:BIGINT nullable:BIGINT remarks column_def sql_data_type:BIGINT sql_datetime_sub:BIGINT char_octet_length:BIGINT ordinal_position:BIGINT is_nullable specific_name',
  ),
  jdbc('udts', 'type_cat type_schem type_name class_name data_type:BIGINT remarks base_type:BIGINT'),
  jdbc('super_types', 'type_cat type_schem type_name supertype_cat supertype_schem supertype_name'),
  jdbc('super_tables', 'table_cat table_schem table_name supertable_name'),
  jdbc(
    'pseudo_columns',
    'table_cat table_schem table_name column_name data_type:BIGINT column_size:BIGINT decimal_digits:BIGINT num_prec_radix:BIGINT column_usage remarks char_octet_length:BIGINT is_nullable',
  ),
  jdbc(
    'attributes',
    'type_cat type_schem type_name attr_name data_type:BIGINT attr_type_name attr_size:BIGINT decimal_digits:BIGINT num_prec_radix:BIGINT nullable:BIGINT remarks attr_def sql_data_type:BIGINT sql_datetime_sub:BIGINT char_octet_length:BIGINT ordinal_position:BIGINT is_nullable scope_catalog scope_schema scope_table source_data_type:BIGINT',
  ),
  {
    ...{ catalog: 'system', schema: 'metadata', table: 'catalogs' },
    columns: 'catalog_name connector_id connector_name',
    rows: () => catalogs.map((name) => ({ catalog_name: name, connector_id: name, connector_name: name })),
  },
  {
    ...{ catalog: 'system', schema: 'metadata', table: 'table_comments' },
    columns: 'catalog_name schema_name table_name comment',
    rows: (contents) =>
      tableRows(contents).map(({ table_schema, table_name }) => ({
        ...{ catalog_name: catalogName, schema_name: table_schema ?? null, table_name: table_name ?? null },
        comment: null,
      })),
  },
  {
    // Read by dbt before everything else. The lake has none.
    ...{ catalog: 'system', schema: 'metadata', table: 'materialized_views' },
    columns:
      'catalog_name schema_name name storage_catalog storage_schema storage_table freshness last_fresh_time:TIMESTAMPTZ comment definition',
  },
];

const catalogs = [catalogName, 'system'];

/** Types of columns, with the numbers of java.sql.Types. */
const jdbcNumbers: Readonly<Record<string, number>> = {
  boolean: 16,
  tinyint: -6,
  smallint: 5,
  integer: 4,
  bigint: -5,
  real: 7,
  double: 8,
  decimal: 3,
  varchar: 12,
  varbinary: -3,
  date: 91,
  time: 92,
  timestamp: 93,
  'timestamp with time zone': 2014,
  array: 2003,
  map: 2000,
  row: 2000,
  uuid: 2000,
};

function own(table: string, columns: string, rows?: Definition['rows']): Definition {
  return { catalog: catalogName, schema: 'information_schema', table, columns, ...(rows && { rows }) };
}

function jdbc(table: string, columns: string, rows?: Definition['rows']): Definition {
  return { catalog: 'system', schema: 'jdbc', table, columns, ...(rows && { rows }) };
}

const nameOf = ({ schema, table }: Definition): RelationName => ({ name: `${schema}.${table}`, table });

export function findRelation(
  catalog: string | undefined,
  schema: string,
  table: string,
): RelationName | undefined {
  return relationsIn(catalog, schema).find((relation) => relation.table === table);
}

/** Lists the relations of a schema about the catalogue; empty for any other. */
export function relationsIn(catalog: string | undefined, schema: string): RelationName[] {
  return definitions.filter((one) => one.catalog === catalog && one.schema === schema).map(nameOf);
}

/** Reports whether a relation has rows about the tables of schemas. */
export const readsTables = ({ name }: RelationName): boolean =>
  /\.(?:tables|columns|table_comments)$/.test(name);

/** Returns a relation as a statement reads it. */
export function relationOf({ name, table }: RelationName, contents: readonly Contents[]): Relation {
  const definition = definitions.find((one) => nameOf(one).name === name);
  const columns = (definition?.columns ?? '').split(' ').map((written) => {
    const [column = '', type = 'VARCHAR'] = written.split(':');
    return { name: column, type };
  });
  return { name: table, columns, rows: definition?.rows?.(contents) ?? [] };
}

const schemaNames = (contents: readonly Contents[]): string[] => [
  'information_schema',
  ...contents.map(({ schema }) => schema.name),
];

function tableRows(contents: readonly Contents[]): Row[] {
  const own = relationsIn(catalogName, 'information_schema').map(({ table }) => [
    'information_schema',
    table,
  ]);
  const others = contents.flatMap(({ schema, tables }) => tables.map(({ table }) => [schema.name, table]));
  return [...own, ...others].map(([schema = '', table = '']) => ({
    ...{ table_catalog: catalogName, table_schema: schema, table_name: table, table_type: 'BASE TABLE' },
  }));
}

function columnRows(contents: readonly Contents[]): Row[] {
  return contents.flatMap(({ schema, tables }) =>
    tables.flatMap(({ table, columns }) =>
      columns.map(({ name, type }, index) => ({
        ...{ table_catalog: catalogName, table_schema: schema.name, table_name: table, column_name: name },
        ...{ ordinal_position: index + 1, column_default: null, is_nullable: 'YES' },
        ...{
          data_type: trinoColumn({ name, type: engineTypes[type] }).type,
          comment: null,
          extra_info: null,
        },
      })),
    ),
  );
}

function jdbcColumn(row: Row): Row {
  const type = String(row['data_type']);
  const plain = type.replace(/\([^()]*\)/g, '');
  return {
    ...{
      table_cat: catalogName,
      table_schem: row['table_schema'] ?? null,
      table_name: row['table_name'] ?? null,
    },
    ...{ column_name: row['column_name'] ?? null, data_type: jdbcNumbers[plain] ?? 2000, type_name: type },
    ...{ column_size: sizes[plain] ?? null, num_prec_radix: 10, nullable: 1 },
    ...{ ordinal_position: row['ordinal_position'] ?? null, is_nullable: 'YES', is_autoincrement: 'NO' },
    is_generatedcolumn: 'NO',
  };
}

/** Digits or characters of a value. */
const sizes: Readonly<Record<string, number>> = {
  bigint: 19,
  double: 53,
  varchar: 2_147_483_647,
  date: 14,
  boolean: 1,
};

function jdbcType([name, number]: [string, number]): Row {
  const isNumber = /int|real|double|decimal/.test(name);
  return {
    ...{ type_name: name, data_type: number, precision: sizes[name] ?? null, nullable: 1 },
    ...{ case_sensitive: name === 'varchar', searchable: 3, unsigned_attribute: !isNumber },
    ...{ fixed_prec_scale: false, minimum_scale: 0, maximum_scale: 0, num_prec_radix: isNumber ? 10 : null },
  };
}
