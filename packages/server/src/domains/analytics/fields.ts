import { type ColumnType, engineTypes, type Table, tables } from '@ploidy/formats/tables';

/** Something that conditions, groups and metrics may name. */
export interface Field {
  name: string;
  type: ColumnType;
  /** SQL of its value in a row of the table under an alias. */
  sql: (row: string) => string;
  /** An id, which names the same thing within its project only. */
  isOfProject?: true;
  /** Its value may be another one at another time. */
  asksClock?: true;
  /** Where `_coding` holds the other codings of the same concept (docs/formats/fhir.md). */
  codings?: { resourceTypes: readonly string[]; elements: readonly string[] };
}

/** The rows of a table, as DSL queries speak of them. */
export interface Collection {
  /** How queries name it: `observations` of a patient, or `variant`. */
  name: string;
  /** Key of the list of its rows in an answer. */
  plural: string;
  table: Table;
  fields: ReadonlyMap<string, Field>;
  /** Whether its rows belong to patients by themselves; else through their sample. */
  ofPatient: boolean;
}

/** Names under which queries of existing clients know the tables (facts of the DSL: docs/analytics.md). */
const plurals: Record<string, string> = {
  patient: 'patients',
  demographic: 'demographics',
  condition: 'conditions',
  observation: 'observations',
  medication: 'medications',
  dosage: 'dosages',
  procedure: 'procedures',
  specimen: 'specimens',
  media: 'media',
  sequence: 'sequences',
  variant: 'variants',
  copynumber: 'copynumbers',
  fusion: 'fusions',
  gene: 'expressions',
};

/** The table of expression values is called `gene`; so that nobody mixes it up with genes, it is `expression` here as well. */
export const expressionTable = 'gene';

const medicationTypes = [
  'MedicationRequest',
  'MedicationStatement',
  'MedicationAdministration',
  'MedicationDispense',
];

/** Columns that hold the first coding of a concept, with the elements of the resource that hold all of them. */
const coded: Record<string, { resourceTypes: string[]; elements: Record<string, string[]> }> = {
  condition: {
    resourceTypes: ['Condition'],
    elements: {
      code: ['code'],
      category: ['category'],
      clinical_status: ['clinicalStatus'],
      verification_status: ['verificationStatus'],
      severity: ['severity'],
      body_site_code: ['bodySite'],
      stage: ['stage.summary'],
    },
  },
  observation: {
    resourceTypes: ['Observation'],
    elements: {
      code: ['code'],
      category: ['category'],
      value_codeable_concept_code: ['valueCodeableConcept'],
      interpretation: ['interpretation'],
      body_site_code: ['bodySite'],
    },
  },
  medication: {
    resourceTypes: medicationTypes,
    elements: { code: ['medication'], category: ['category'], reason_code: ['reasonCode', 'reason.concept'] },
  },
  procedure: {
    resourceTypes: ['Procedure'],
    elements: { code: ['code'], category: ['category'], body_site_code: ['bodySite'], outcome: ['outcome'] },
  },
  specimen: { resourceTypes: ['Specimen'], elements: { type_code: ['type'] } },
};

/** Full years from birth to death, or to the present day. */
const age: Field = {
  name: 'age',
  type: 'int',
  asksClock: true,
  sql: (row) =>
    `date_sub('year', ${row}."birth_date", coalesce(${row}."deceased_date", CAST(current_date AS DATE)))`,
};

function collectionOf(table: Table): Collection {
  const fields = new Map<string, Field>();
  // A document is no value to compare with.
  for (const { name, type, mask } of table.columns.filter((column) => column.name !== 'data')) {
    // What is hashed where it is masked are the ids.
    const isOfProject = mask === 'hash' && { isOfProject: true as const };
    const field: Field = { name, type, sql: (row) => `${row}."${name}"`, ...isOfProject };
    const { resourceTypes = [], elements = {} } = coded[table.name] ?? {};
    const held = elements[name];
    fields.set(name, held ? { ...field, codings: { resourceTypes, elements: held } } : field);
  }
  if (table.name === 'demographic') fields.set('age', age);
  if (table.name === 'patient') {
    fields.set('id', { ...(fields.get('patient_id') as Field), name: 'id' });
  }
  const plural = plurals[table.name] ?? table.name;
  const ofPatient = table.columns.some((column) => column.name === 'patient_id');
  return { name: table.name, plural, table, fields, ofPatient };
}

/** Every collection by the name of its table. */
export const collections: ReadonlyMap<string, Collection> = new Map(
  [...tables.values()]
    .filter(({ area }) => area !== 'derived')
    .map((table) => [table.name, collectionOf(table)]),
);

const byName = new Map<string, Collection>();
for (const collection of collections.values()) {
  byName.set(collection.name, collection);
  byName.set(collection.plural, collection);
}
const expression = collections.get(expressionTable);
if (expression) byName.set('expression', expression);

/** The collection of a name, be it of one row or of several: `observation`, `observations`. */
export function collectionNamed(name: string): Collection | undefined {
  return byName.get(name);
}

/** SQL type of a field's values. */
export function sqlTypeOf(field: Field): string {
  return engineTypes[field.type];
}
