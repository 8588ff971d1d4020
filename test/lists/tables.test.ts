/** Places that every table of the lake has beside its definition. */
import { test } from 'node:test';
import { mapped } from '../../packages/formats/src/fhir/maps/mapped.fixture.ts';
import { storedTables, type Table, tables } from '../../packages/formats/src/tables/index.ts';
import { everyTable } from '../support/fhir/every-table.ts';
import { assertNoneMissing, textOf, textsOf } from './missing.ts';

const clinical: Table[] = [...tables.values()].filter(({ fhirTypes }) => fhirTypes.length > 0);

test('every defined table is listed', async () => {
  const listed = new Set<unknown>([...storedTables.values(), ...tables.values()]);
  const files = [...textsOf('packages/formats/src/tables/*.ts')].filter(([, text]) =>
    /^export const \w+(?:: \w+)? = define/m.test(text),
  );
  const missing: string[] = [];
  for (const [path] of files)
    for (const [name, value] of Object.entries(await import(`../../${path}`)))
      if (value instanceof Object && 'columns' in value && 'orderBy' in value && !listed.has(value))
        missing.push(`${name} of ${path} is in no list: add it to packages/formats/src/tables/index.ts`);
  assertNoneMissing(missing);
});

test('every FHIR type of a table is mapped to rows of it', () => {
  const read = textOf('packages/formats/src/fhir/map-resource.ts');
  assertNoneMissing(
    clinical.flatMap(({ name, fhirTypes }) =>
      fhirTypes
        .filter((type) => !new RegExp(`^ {2}${type}: `, 'm').test(read))
        .map((type) => `${type} fills no ${name}: add its map to packages/formats/src/fhir/map-resource.ts`),
    ),
  );
});

test('every table of FHIR has examples of its columns', () => {
  const examples = [
    'packages/formats/src/fhir/maps/column-examples.fixture.ts',
    'packages/formats/src/fhir/maps/extension-examples.fixture.ts',
  ].map(textOf);
  // Filled in their own tests: `dosage` with its examples by name, `resource` by every resource.
  const others = new Set(['dosage', 'resource']);
  assertNoneMissing(
    clinical
      .filter(({ name }) => !others.has(name) && !examples.some((text) => text.includes(`table: '${name}'`)))
      .map(
        ({ name }) =>
          `${name} has no examples: add them to packages/formats/src/fhir/maps/extension-examples.fixture.ts`,
      ),
  );
});

test('every table of FHIR has rows in the project that is read masked', () => {
  const filled = new Set(
    everyTable().flatMap((resource) =>
      Object.entries(mapped({ ...resource }).rows).flatMap(([table, rows]) =>
        rows.length > 0 ? [table] : [],
      ),
    ),
  );
  // Tables that every resource fills.
  filled.add('resource');
  assertNoneMissing(
    clinical
      // A table of a further format is filled by its files.
      .filter(({ name, formats }) => formats.length === 0 && !filled.has(name))
      .map(({ name }) => `${name} is never read masked: add a resource to test/support/fhir/every-table.ts`),
  );
});

test('every table of FHIR is shown on the page of a patient, or left out for a reason', () => {
  const shown = [...textsOf('packages/console/src/pages/subject/*').values()].join('\n');
  /** Parts of another table, of the head of the page, or links between rows. */
  const leftOut = new Set(['patient', 'demographic', 'dosage', 'resource', 'sequence', 'specimen']);
  assertNoneMissing(
    clinical
      .filter(({ name }) => !leftOut.has(name) && !shown.includes(`'${name}'`))
      .map(
        ({ name }) => `${name} is on no page: add it to packages/console/src/pages/subject/SubjectView.tsx`,
      ),
  );
});
