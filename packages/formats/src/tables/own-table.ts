import { type ColumnType, type Mask, masks, type Table } from './table.ts';

/** Column of a table that a project defines itself. */
export interface OwnColumn {
  name: string;
  type: ColumnType;
  mask: Mask;
}

/** Names of the columns that hold the patient and the sample of a row. */
export const keyColumns = ['patient_id', 'sample_id'] as const;

/** Masks that a column of each type can have. */
export const masksOfType: Readonly<Record<ColumnType, readonly Mask[]>> = {
  string: ['none', 'null', 'hash', 'code', 'omb'],
  int: ['none', 'null'],
  float: ['none', 'null'],
  boolean: ['none', 'null'],
  date: ['none', 'null', 'year', 'shift'],
};

/** Builds the table of a project's own definition. */
export function ownTable(name: string, columns: readonly OwnColumn[]): Table {
  const keys = keyColumns.filter((key) => columns.some((column) => column.name === key));
  return {
    name,
    area: 'own',
    about: 'Table of a file of the project.',
    plural: name,
    orderBy: keys,
    fhirTypes: [],
    formats: [],
    isExtension: true,
    columns: columns.map((column) => ({ ...column, about: '' })),
    codings: {},
  };
}

/** Reads a stored definition. */
export function readOwnColumns(text: string): OwnColumn[] {
  const columns = JSON.parse(text) as OwnColumn[];
  for (const { name, mask } of columns)
    if (!Object.hasOwn(masks, mask)) throw new Error(`The column ${name} has no known mask.`);
  return columns;
}
