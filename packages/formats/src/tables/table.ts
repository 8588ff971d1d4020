/** Column types of the data lake (specification, "Data lake records"). */
export type ColumnType = 'string' | 'int' | 'float' | 'boolean' | 'date';

/**
 * How a caller who may only `readMaskedData` sees a column: as it is, as NULL, as a keyed hash (same within a project),
 * as the year (dates of birth), shifted by the patient's offset (other dates), or computed away (`data` documents).
 */
export type Mask = 'none' | 'null' | 'hash' | 'year' | 'shift';

export interface Column {
  name: string;
  type: ColumnType;
  mask: Mask;
}

/** A table that analysts can query. */
export interface Table {
  name: string;
  area: 'omic' | 'clinical';
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
