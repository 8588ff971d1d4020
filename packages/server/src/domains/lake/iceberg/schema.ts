import { type StoredColumn, storedTables } from '@ploidy/formats/tables';
import { storedColumns } from '../catalogue/segment-rows.ts';

/** Schema of a table (Iceberg v2, "Schemas and data types"). */
export interface IcebergSchema {
  type: 'struct';
  'schema-id': 0;
  'identifier-field-ids': number[];
  fields: { id: number; name: string; required: false; type: string }[];
}

const types: Record<StoredColumn['type'], string> = {
  string: 'string',
  int: 'long',
  float: 'double',
  boolean: 'boolean',
  date: 'date',
  timestamp: 'timestamp',
};

/** Field of `_ordinal`, the first of every table. */
const ordinalFieldId = 1;

/**
 * Partitions: none for merged files, which have the column `_ordinal`; by ordinal for files of one ingestion,
 * which have not. Readers take the value from the manifest.
 */
const byOrdinal = {
  'spec-id': 1,
  fields: [{ 'source-id': ordinalFieldId, 'field-id': 1000, name: '_ordinal', transform: 'identity' }],
};
const unpartitioned = { 'spec-id': 0, fields: [] };

/** Reports whether the schema has the internal columns. */
export const hasOrdinal = ({ fields }: IcebergSchema): boolean => fields[0]?.name === '_ordinal';

/** Returns the partition specs of tables with this schema. */
export const partitionSpecsOf = (schema: IcebergSchema) =>
  hasOrdinal(schema) ? [unpartitioned, byOrdinal] : [unpartitioned];

/** Returns the schema of a table's files, with the internal columns. */
export function storedSchema(table: string): IcebergSchema {
  return schemaOf([{ name: '_ordinal', type: 'int' }, ...storedColumns(table)]);
}

/** Returns the schema of some columns. */
export function schemaOf(columns: readonly Pick<StoredColumn, 'name' | 'type'>[]): IcebergSchema {
  const fields = columns.map(({ name, type }, at) => ({
    id: ordinalFieldId + at,
    name,
    required: false as const,
    type: types[type],
  }));
  return { type: 'struct', 'schema-id': 0, 'identifier-field-ids': [], fields };
}

/** Matches columns by name in files without field ids. Some readers refuse a column of a file that it lacks. */
export function nameMapping(schema: IcebergSchema, table: string): string {
  const shown = schema.fields.map(({ name }) => name);
  const hidden = ['_ordinal', ...storedColumns(table).map(({ name }) => name)];
  const names = [...new Set([...shown, ...hidden])];
  // Files of `coding` have the path under another name.
  const namesOf = (name: string): string[] =>
    table === 'coding' && name === 'path' ? [name, 'element'] : [name];
  const mapped = names.filter((name) => !(shown.includes('path') && name === 'element'));
  return JSON.stringify(
    mapped.map((name, at) => ({ 'field-id': ordinalFieldId + at, names: namesOf(name) })),
  );
}

/** Returns the order in which files of a table are written: as far as the schema has its columns. */
export function sortOrderOf({ fields }: IcebergSchema, table: string) {
  const idOf = new Map(fields.map(({ name, id }) => [name, id]));
  const ids = (storedTables.get(table)?.orderBy ?? []).map((name) => idOf.get(name));
  const known = ids.slice(0, ids.includes(undefined) ? ids.indexOf(undefined) : ids.length);
  return {
    'order-id': known.length > 0 ? 1 : 0,
    fields: known.map((id) => ({
      ...{ transform: 'identity', 'source-id': id, direction: 'asc', 'null-order': 'nulls-last' },
    })),
  };
}
