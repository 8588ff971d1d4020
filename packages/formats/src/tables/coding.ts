import { defineTable, type StoredTable, type Table } from './table.ts';

/** Codings of FHIR resources of every type. Extension beyond the specification. */
export const coding = defineTable({
  name: 'coding',
  area: 'clinical',
  about: 'Codings of FHIR resources of every type, one row per coding of an element.',
  plural: 'codings',
  orderBy: ['system', 'code', 'path'],
  formats: ['FHIR of every type'],
  isExtension: true,
  columns: {
    resource_type: ['string', 'none', 'FHIR type of the resource.'],
    resource_id: ['string', 'hash', 'Id of the resource.'],
    patient_id: ['string', 'hash', 'Patient that the resource is about.'],
    path: [
      'string',
      'element',
      'FHIR path of the element; `medication` for codings of a referenced Medication.',
    ],
    system: ['string', 'element', 'Code system of `code`.'],
    code: ['string', 'elementCode', 'Code of the concept.'],
    display: ['string', 'element', 'Display name of `code`.'],
    user_selected: ['boolean', 'none', 'Whether a user chose the coding.'],
    rank: ['int', 'none', 'Number among the codings of the path in the resource, from 1.'],
  },
});

/** Files of `coding`. Those of before have neither `user_selected` nor `rank`. */
export const codingFile: StoredTable = {
  ...coding,
  orderBy: ['system', 'code', 'element'],
  columns: coding.columns.map((column) => (column.name === 'path' ? { ...column, name: 'element' } : column)),
};

/** Elements of which columns of a table have a code, as `Type path`: masked readers see these, and no others. */
export function shownElements(tables: Iterable<Table>): string[] {
  const dosages = ['dosageInstruction', 'dosage'].flatMap((list) =>
    ['timing.code', 'route', 'site', 'method'].map((element) => `${list}.${element}`),
  );
  const ofTable = ({ name, codings }: Table): string[] => {
    const paths = Object.values(codings).flat();
    if (name === 'observation') return [...paths, ...paths.map((path) => `component.${path}`)];
    return name === 'demographic' ? ['maritalStatus', 'communication.language'] : paths;
  };
  const ofTables = [...tables].flatMap((table) =>
    table.fhirTypes.flatMap((type) =>
      [...ofTable(table), ...(table.name === 'dosage' ? dosages : [])].map((path) => `${type} ${path}`),
    ),
  );
  // Its code is that of the medications that refer to it.
  return [...ofTables, 'Medication code'];
}
