import {
  codingFile,
  hasWords,
  medicationDefinition,
  type ParquetColumn,
  type ParquetType,
  resourceVersion,
  sampleLink,
  type Table,
  tables,
  wordsColumn,
} from '@ploidy/formats';

/** Table of an output file, with its columns in file order. */
export interface FileTable {
  name: string;
  columns: readonly ParquetColumn[];
  /** Index of the column `data`; -1 without one. */
  dataPlace: number;
  /** Set if the second sort key is an id. */
  hasId: boolean;
}

/** Tables that FHIR fills, internal ones first; docs/formats/fhir.md describes their content. */
export const fileTables: ReadonlyMap<string, FileTable> = new Map(
  [
    ...[resourceVersion, codingFile, medicationDefinition, sampleLink].map((table) =>
      fileTable(table.name, table.columns),
    ),
    ...[...tables.values()].filter(({ name }) => name !== codingFile.name).map(withOrigin),
  ].map((table) => [table.name, table]),
);

/** Returns a table by its name. */
export function tableOf(name: string): FileTable {
  const table = fileTables.get(name);
  if (!table) throw new Error(`There is no table ${name}`);
  return table;
}

/** Adds the source resource of a row, and which of its codes are words, to the columns of the catalogue. */
function withOrigin(table: Table): FileTable {
  const { name, columns } = table;
  const words = hasWords(table) ? named(wordsColumn) : [];
  const origin = named('_resource_type', '_resource_id', '_last_updated:timestamp');
  const definition = name === 'medication' ? named('_medication_id') : [];
  return fileTable(name, [...columns, ...words, ...origin, ...definition]);
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
