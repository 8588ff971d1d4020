import { internalTables, type ParquetColumn, type ParquetType, type Table, tables } from '@ploidy/formats';

/** A file of rows: its columns as they lie in it. */
export interface FileTable {
  name: string;
  columns: readonly ParquetColumn[];
  /** The place of the column `data`; -1 without one. */
  dataPlace: number;
  /** Whether rows have an id beside their patient, by which they are sorted, too. */
  hasId: boolean;
}

/** Every table that FHIR fills, internal ones first; what is in these is described in docs/formats/fhir.md. */
export const fileTables: ReadonlyMap<string, FileTable> = new Map(
  [
    internal(
      '_resource',
      'resource_type',
      'resource_id',
      'patient_id',
      'last_updated:timestamp',
      'deleted:boolean',
    ),
    fileTable('_coding', internalTables.get('_coding')?.columns ?? []),
    internal('_medication', 'resource_type', 'resource_id', 'code', 'system', 'display', 'text'),
    internal('_sample_link', 'sample_name', 'patient_id', 'specimen_id', 'resource_type', 'resource_id'),
    ...Array.from(tables.values(), withOrigin),
  ].map((table) => [table.name, table]),
);

/** A table by its name. */
export function tableOf(name: string): FileTable {
  const table = fileTables.get(name);
  if (!table) throw new Error(`There is no table ${name}`);
  return table;
}

function internal(name: string, ...columns: string[]): FileTable {
  return fileTable(name, named(...columns));
}

/** The columns of the catalogue, and which resource a row comes from. */
function withOrigin({ name, columns }: Table): FileTable {
  const origin = named('_resource_type', '_resource_id', '_last_updated:timestamp');
  const definition = name === 'medication' ? named('_medication_id') : [];
  return fileTable(name, [...columns, ...origin, ...definition]);
}

function fileTable(name: string, columns: readonly ParquetColumn[]): FileTable {
  return {
    name,
    columns,
    dataPlace: columns.findIndex((column) => column.name === 'data'),
    hasId: columns[1]?.name.endsWith('id') ?? false,
  };
}

function named(...lines: string[]): ParquetColumn[] {
  return lines.map((line) => {
    const [name = '', type = 'string'] = line.split(':');
    return { name, type: type as ParquetType };
  });
}
