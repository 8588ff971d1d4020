/** Column types of the data lake (specification, "Data lake records"). */
export type ColumnType = 'string' | 'int' | 'float' | 'boolean' | 'date';

/**
 * Masks: the view of a caller who may only `readMaskedData`, as `ploidy admin docs tables` describes it. The only definition of their
 * meaning; domains/lake/views/masks.ts has the SQL.
 */
export const masks = {
  none: 'as it is',
  null: 'NULL',
  hash: 'a keyed hash: equal where the values are equal, in every table of the project, and nowhere else',
  code: 'as it is when it is a code (letters, digits and `. _ : / + -`, at most 64); NULL when it is words',
  coded:
    'as `code`, where the source has it as a code; NULL when the source has words only, such as a concept that is only text',
  element: 'as it is where a column of another clinical table has the element; NULL elsewhere',
  elementCode: 'as `code`, where a column of another clinical table has the element; NULL elsewhere',
  omb: 'as it is when it is made of categories of the US Office of Management and Budget, or their codes; NULL when it is other words',
  year: '1 January of the year; births 90 years ago and earlier are one group',
  shown: 'as it is where `is_shown` of the row is true; NULL elsewhere',
  shift: 'moved back by 1 to 364 days, by one number for each patient; NULL for rows without a patient',
} as const;

export type Mask = keyof typeof masks;

/** A column of a file of the lake. */
export interface StoredColumn {
  name: string;
  type: ColumnType | 'timestamp';
  /** Sentence for `ploidy admin docs tables`. */
  about: string;
}

/** A column that statements may name. */
export interface Column extends StoredColumn {
  type: ColumnType;
  mask: Mask;
}

/** A table of files in the lake. */
export interface StoredTable {
  name: string;
  /** Sentence for `ploidy admin docs tables`. */
  about: string;
  /** Columns by which rows are sorted, in files and when files are merged; empty: files are never merged. */
  orderBy: readonly string[];
  columns: StoredColumn[];
}

/** A table that analysts can query. */
export interface Table extends StoredTable {
  /** `study`: what studies of many samples ask for; `derived`: kept by the service, not ingested; `own`: defined by a project. */
  area: 'omic' | 'clinical' | 'study' | 'derived' | 'own';
  /** Key of a list of its rows in analytics queries. */
  plural: string;
  /** FHIR types whose resources fill it; a type of another release counts as well. */
  fhirTypes: readonly string[];
  /** Formats other than FHIR that fill it. */
  formats: readonly string[];
  /** List of its resources of which each element has a row, with its index in the column `<list>_index`. */
  rowsOf?: string;
  /** Set if the specification does not have it. */
  isExtension: boolean;
  columns: Column[];
  /** Columns that hold the first coding of a concept, with the elements of the resource that hold all of them. */
  codings: Readonly<Record<string, readonly string[]>>;
}

/**
 * Internal column of files: names of the columns of the mask `coded` whose value in the row is words, each between commas. NULL
 * in older files, which lack it.
 */
export const wordsColumn = '_words';

/** Reports whether a value of a table can be words instead of a code. */
export const hasWords = ({ columns }: Pick<Table, 'columns'>): boolean =>
  columns.some(({ mask }) => mask === 'coded');

/** The engine's (DuckDB and Parquet) type of each column type. */
export const engineTypes: Record<ColumnType, string> = {
  string: 'VARCHAR',
  int: 'BIGINT',
  float: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
};

type TableDefinition<Name extends string> = Pick<Table, 'name' | 'area' | 'about' | 'plural'> &
  Partial<Pick<Table, 'fhirTypes' | 'formats' | 'isExtension' | 'rowsOf'>> & {
    orderBy: readonly NoInfer<Name>[];
    columns: Record<Name, ColumnDefinition>;
    codings?: Partial<Record<NoInfer<Name>, readonly string[]>>;
  };

type ColumnDefinition = readonly [type: ColumnType, mask: Mask, about: string];

/** Columns of the concept that a row is about. */
export const conceptColumns = {
  code: ['string', 'code', 'Code of the concept.'],
  system: ['string', 'none', 'Code system of `code`.'],
  display: ['string', 'none', 'Display name of `code`.'],
  text: ['string', 'null', 'Plain text of the concept.'],
} satisfies Record<string, ColumnDefinition>;

/** Returns the name of the column with the index of the element that a row is of. */
export const indexColumn = ({ rowsOf }: Pick<Table, 'rowsOf'>): string | undefined =>
  rowsOf === undefined ? undefined : `${rowsOf}_index`;

/** Defines a table; a mask, a type or a column of `orderBy` that does not exist is a compile error. */
export function defineTable<Name extends string>(definition: TableDefinition<Name>): Table {
  const columns = (Object.keys(definition.columns) as Name[]).map((name) => {
    const [type, mask, about] = definition.columns[name];
    return { name, type, mask, about };
  });
  const codings = (definition.codings ?? {}) as Table['codings'];
  return { fhirTypes: [], formats: [], isExtension: false, ...definition, columns, codings };
}

/**
 * Bound of the values of a column in a file: all of them, or the least and the greatest. Other values do not occur; those
 * within may. NULL is left aside.
 */
export type Bound = { among: string[] } | { from: number; to: number };

/** Bounds of a file by column; a column without bounds may hold anything. */
export type Bounds = Record<string, Bound>;

/** Form of the bounds of a column. Ids of patients and samples stay out of the catalogue: it has their digests. */
export type BoundForm = 'list' | 'range' | 'digests';

/** Values of a list; a column with more has no bounds. */
export const boundValuesMax = 256;

/** Characters of a digest: the first of SHA-256 in hexadecimal. */
export const digestLength = 16;

const forms: ReadonlyMap<string, BoundForm> = new Map([
  ['chromosome', 'list'],
  ['gene', 'list'],
  ['cohort_id', 'list'],
  ['attribute_id', 'list'],
  ['position', 'range'],
  ['start_position', 'range'],
  ['end_position', 'range'],
  ['patient_id', 'digests'],
  ['sample_id', 'digests'],
  ['sample_name', 'digests'],
  ['sequence.id', 'digests'],
]);

/** Returns the form in which the bounds of a column of a table are kept; undefined if it has none. */
export const boundForm = (table: string, column: string): BoundForm | undefined =>
  forms.get(`${table}.${column}`) ?? forms.get(column);
