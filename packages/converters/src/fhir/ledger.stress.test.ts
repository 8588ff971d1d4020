import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { realFiles, realFilesSkip } from '../../../../test/support/real-files.ts';
import { ConversionFixture, type Converted, type Row } from './conversion.fixture.ts';

interface Resource {
  resourceType: string;
  id?: string;
  status?: string;
  modifierExtension?: unknown;
  /** Another being that an Observation is about. */
  focus?: unknown;
  /** Set for a dose that does not count as one. */
  isSubpotent?: boolean;
  [element: string]: unknown;
}

/** Packages with the examples of a version, and types of FHIR that have a table there. */
const packages = ['hl7.fhir.r4.examples', 'hl7.fhir.r5.examples', 'hl7.fhir.r3.examples'];
const tables: Readonly<Record<string, string>> = {
  AllergyIntolerance: 'allergy',
  Condition: 'condition',
  Encounter: 'encounter',
  Immunization: 'immunization',
  MedicationAdministration: 'medication',
  MedicationDispense: 'medication',
  MedicationRequest: 'medication',
  MedicationStatement: 'medication',
  Observation: 'observation',
  Patient: 'patient',
  Procedure: 'procedure',
  Specimen: 'specimen',
};

/** Columns that join or compute values, with the texts that they are made of; undefined for computed ones. */
const derived: Readonly<Record<string, (text: string) => string[] | undefined>> = {
  effective: (text) => text.split('/').filter((part) => part !== ''),
  value_string: (text) => [text.replace(/^[<>]=?/, '')],
  rate_unit: (text) => text.split('/'),
  rate_value: () => undefined,
  as_needed: () => undefined,
  status: (text) => (text.startsWith('not-') ? undefined : [text]),
};

let fixture: ConversionFixture;
before(async () => {
  fixture = await ConversionFixture.open();
});
after(() => fixture.close());

for (const name of packages)
  describe(`examples of ${name}`, { skip: realFilesSkip([name]) }, () => {
    let resources: Resource[];
    let converted: Converted;

    before(async () => {
      const all = realFiles(name, ['.json']).map(
        (path): Resource => JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, '')),
      );
      resources = all.filter(
        ({ resourceType, id }) => id !== undefined && Object.hasOwn(tables, resourceType),
      );
      converted = await fixture.convertResources(...resources);
    });

    test('each resource has a row in its table, with its status', () => {
      assert.ok(resources.length > 150);
      for (const { resourceType, id, status, modifierExtension, focus, isSubpotent } of resources) {
        const rows = converted
          .rows(tables[resourceType] ?? '')
          .filter((row) => row['_resource_type'] === resourceType && row['_resource_id'] === id);
        const isOfPatient = modifierExtension === undefined && focus === undefined && isSubpotent !== true;
        assert.equal(rows.length > 0, isOfPatient, `${resourceType}/${id}`);
        const first = rows[0];
        if (status === undefined || first === undefined || !('status' in first)) continue;
        assert.match(String(first['status']), new RegExp(`^(?:${status}|not-)`), `${resourceType}/${id}`);
      }
    });

    test('each element that may turn the meaning around changes the row, or there is none', async () => {
      const marks = modifiersOf(name);
      assert.ok(marks.length >= 3, marks.join());
      for (const [type, element] of marks) {
        const other: Resource = resources.find(
          (one) =>
            one.resourceType === type && one.modifierExtension === undefined && !('deceasedDateTime' in one),
        ) ?? { resourceType: type, id: 'made' };
        const rowsOf = async (more: object): Promise<Row[]> =>
          (await fixture.convertResources({ ...other, ...more })).rows(
            type === 'Patient' ? 'demographic' : (tables[type] ?? ''),
          );
        const [plain, marked] = [await rowsOf({ [element]: false }), await rowsOf({ [element]: true })].map(
          (rows) => JSON.stringify(rows.map(({ data: _, ...row }) => row)),
        );
        assert.notEqual(marked, plain, `${type}.${element}`);
      }
    });

    test('each value of a row is in its resource', () => {
      const byId = new Map(resources.map((one) => [`${one.resourceType}/${one.id}`, textsOf(one)]));
      let count = 0;
      for (const table of new Set(Object.values(tables)))
        for (const row of converted.rows(table)) {
          const texts = byId.get(`${row['_resource_type']}/${row['_resource_id']}`) ?? new Set();
          assert.deepEqual(valuesFromElsewhere(row, texts), [], `${table}: ${row['_resource_id']}`);
          count += Object.keys(row).length;
        }
      assert.ok(count > 5000);
    });
  });

/** Lists the types with a table and their booleans that FHIR declares as modifiers, by its definitions. */
function modifiersOf(name: string): [type: string, element: string][] {
  return realFiles(
    name,
    Object.keys(tables).map((type) => `/StructureDefinition-${type}.json`),
  ).flatMap((path) => {
    const { type, snapshot } = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
    return (snapshot.element as { path: string; isModifier?: boolean; type?: { code: string }[] }[])
      .filter((one) => one.isModifier && one.type?.[0]?.code === 'boolean')
      .map(({ path }): [string, string] => [type, path.slice(type.length + 1).replace('[x]', 'Boolean')])
      .filter(([, element]) => !element.includes('.'));
  });
}

/** Lists the values of a row that its resource lacks. */
function valuesFromElsewhere(row: Row, texts: ReadonlySet<string>): string[] {
  return Object.entries(row).flatMap(([column, value]) => {
    if (value === null || column.startsWith('_') || /^(?:data|component_index|resource_type)$/.test(column))
      return [];
    // A medication may be named by its ingredients, or by another resource.
    if (column === 'text' && String(row['_resource_type']).startsWith('Medication')) return [];
    const parts = (derived[column] ?? ((text: string) => [text]))(String(value)) ?? [];
    return parts.every((part) => isIn(part, texts)) ? [] : [`${column} ${value}`];
  });
}

function isIn(part: string, texts: ReadonlySet<string>): boolean {
  if (texts.has(part)) return true;
  // `2015` is the first day of its year; a reference is reduced to its id; numbers keep their value.
  const day = /^\d{4}-\d\d-\d\d$/.test(part) ? part.replace(/(?:-01){1,2}$/, '') : undefined;
  for (const text of texts) {
    if (day !== undefined && text.startsWith(day)) return true;
    if (text.split(/[/#:]/).includes(part)) return true;
    if (text !== '' && Number(text) === Number(part)) return true;
  }
  return false;
}

function textsOf(value: unknown, into = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) into.add(String(value));
  else for (const one of Object.values(value)) textsOf(one, into);
  return into;
}
