import { type ColumnType, engineTypes, type Table, tables } from '@ploidy/formats/tables';
import { hasPatients } from '../../lake/index.ts';

/** Field that conditions, groups and metrics may name. */
export interface Field {
  name: string;
  type: ColumnType;
  /** Returns the SQL of its value in a row of the table under an alias. */
  sql: (row: string) => string;
  /** Column of the table that it is; absent if it is computed. */
  column?: string;
  /** True for an id, which is unique within its project only. */
  isOfProject?: true;
  /** True if the value depends on the clock. */
  asksClock?: true;
  /** Location in `coding` of the concept's other codings (docs/formats/fhir.md). */
  codings?: { resourceTypes: readonly string[]; elements: readonly string[] };
}

/** Rows of a table under the names of DSL queries. */
export interface Collection {
  /** Name in queries: `observations` of a patient, or `variant`. */
  name: string;
  /** Key of its list of rows in an answer. */
  plural: string;
  table: Table;
  fields: ReadonlyMap<string, Field>;
  /** True if rows have a patient themselves, false if through their sample. */
  ofPatient: boolean;
}

/** Table of expression values. The table is called `gene`; the collection is also `expression`, to avoid confusion with genes. */
export const expressionTable = 'gene';

/** Full years from birth to death or to the present day. */
const age: Field = {
  name: 'age',
  type: 'int',
  asksClock: true,
  sql: (row) =>
    `date_sub('year', ${row}."birth_date", coalesce(${row}."deceased_date", CAST(current_date AS DATE)))`,
};

function collectionOf(table: Table): Collection {
  const fields = new Map<string, Field>();
  // A document cannot be compared.
  for (const { name, type, mask } of table.columns.filter((column) => column.name !== 'data')) {
    // Columns hashed by masks are ids.
    const isOfProject = mask === 'hash' && { isOfProject: true as const };
    const field: Field = { name, type, sql: (row) => `${row}."${name}"`, column: name, ...isOfProject };
    const elements = table.codings[name];
    fields.set(name, elements ? { ...field, codings: { resourceTypes: table.fhirTypes, elements } } : field);
  }
  if (table.name === 'demographic') {
    fields.set('age', age);
    fields.set('deceased', { ...(fields.get('is_deceased') as Field), name: 'deceased' });
  }
  if (table.name === 'patient') {
    fields.set('id', { ...(fields.get('patient_id') as Field), name: 'id' });
  }
  const ofPatient = table.columns.some((column) => column.name === 'patient_id');
  return { name: table.name, plural: table.plural, table, fields, ofPatient };
}

/** Collections by table name. */
export const collections: ReadonlyMap<string, Collection> = new Map(
  [...tables.values()]
    .filter((table) => table.area !== 'derived' && hasPatients(table))
    .map((table) => [table.name, collectionOf(table)]),
);

/** Collections that a query may name: those of every project, and the tables of its projects’ own. */
export class KnownCollections {
  readonly #byName = new Map<string, Collection>();
  /** Fields by table name. */
  readonly all: ReadonlyMap<string, Collection>;

  /** `own`: tables of the projects’ own; those without patients and samples are left out. */
  constructor(own: ReadonlyMap<string, Table> = new Map()) {
    const found = [...own.values()]
      .filter(hasPatients)
      .map((table) => [table.name, collectionOf(table)] as const);
    this.all = new Map([...collections, ...found]);
    for (const collection of this.all.values()) {
      this.#byName.set(collection.name, collection);
      this.#byName.set(collection.plural, collection);
    }
    const expression = collections.get(expressionTable);
    if (expression) this.#byName.set('expression', expression);
  }

  /** Finds a collection by its singular or plural name. */
  named(name: string): Collection | undefined {
    return this.#byName.get(name);
  }
}

/** Collections of every project. */
export const commonCollections = new KnownCollections();

/** Returns the own tables that are alike in all projects that have them: a query reads one from all at once. */
export function alikeOwnTables(
  projects: readonly { ownTables: ReadonlyMap<string, Table> }[],
): ReadonlyMap<string, Table> {
  const all = projects.flatMap(({ ownTables }) => [...ownTables]);
  const shapeOf = ({ columns }: Table): string =>
    JSON.stringify(columns.map(({ name, type }) => [name, type]));
  const byName = Map.groupBy(all, ([name]) => name);
  return new Map(
    [...byName].flatMap(([name, tables]): [string, Table][] => {
      const [first, ...others] = tables.map(([, table]) => table);
      return first && others.every((other) => shapeOf(other) === shapeOf(first)) ? [[name, first]] : [];
    }),
  );
}

/** Returns the SQL type of a field's values. */
export function sqlTypeOf(field: Field): string {
  return engineTypes[field.type];
}
