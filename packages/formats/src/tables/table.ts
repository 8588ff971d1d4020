/** Column types of the data lake (specification, "Data lake records"). */
export type ColumnType = 'string' | 'int' | 'float' | 'boolean' | 'date';

/**
 * What a caller who may only `readMaskedData` sees of a column, as docs/masks.md says it. The one place that says what a
 * mask shows; domains/lake/masks.ts has the SQL.
 */
export const masks = {
  none: 'as it is',
  null: 'NULL',
  hash: 'a keyed hash: equal where the values are equal, in every table of the project, and nowhere else',
  code: 'as it is when it is a code (letters, digits and `. _ : / + -`, at most 64); NULL when it is words',
  omb: 'as it is when it is made of categories of the US Office of Management and Budget, or their codes; NULL when it is other words',
  year: '1 January of the year; births 90 years ago and earlier are one group',
  shift: 'moved back by 1 to 364 days, each patient by his own number; NULL where a row has no patient',
} as const;

export type Mask = keyof typeof masks;

export interface Column {
  name: string;
  type: ColumnType;
  mask: Mask;
}

/** A table that analysts can query. */
export interface Table {
  name: string;
  /** `derived`: kept by the service, not ingested. */
  area: 'omic' | 'clinical' | 'derived';
  columns: Column[];
}

/** The engine's (DuckDB and Parquet) type of each column type. */
export const engineTypes: Record<ColumnType, string> = {
  string: 'VARCHAR',
  int: 'BIGINT',
  float: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
};

/** Reads `name:type:mask` lines; type and mask may be left out (string, none). */
export function columns(...lines: string[]): Column[] {
  return lines.map((line) => {
    const [name = '', type = 'string', mask = 'none'] = line.split(':');
    return { name, type: type as ColumnType, mask: mask as Mask };
  });
}
