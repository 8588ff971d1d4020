import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takenTypes } from '../fhir/index.ts';
import { mapped } from '../fhir/maps/mapped.fixture.ts';
import {
  annotation,
  type Column,
  engineTypes,
  geneModel,
  type Mask,
  masks,
  storedTables,
  type Table,
  tables,
} from './index.ts';

const queried = [...tables.values()];

test('each column of each table has a type and a mask', () => {
  for (const { name, columns } of [...queried, annotation])
    for (const column of columns) {
      assert.ok(Object.hasOwn(engineTypes, column.type), `${name}.${column.name}`);
      assert.ok(Object.hasOwn(masks, column.mask), `${name}.${column.name}`);
    }
});

test('each table and each column is documented by one sentence', () => {
  for (const { name, about, columns } of storedTables.values()) {
    assert.match(about, /^[A-Z].{4,}\.$/, name);
    for (const column of columns) assert.match(column.about, /^[A-Z].{4,}\.$/, `${name}.${column.name}`);
  }
});

test('each table but annotations and gene models is sorted by own columns, so that its files are merged', () => {
  for (const { name, orderBy, columns } of storedTables.values()) {
    assert.equal(orderBy.length === 0, name === annotation.name || name === geneModel.name, name);
    for (const key of orderBy)
      assert.ok(
        columns.some((column) => column.name === key),
        `${name}.${key}`,
      );
  }
});

test('each table that is ingested names its source, and each FHIR type of a table is taken', () => {
  for (const { name, area, fhirTypes, formats } of tables.values()) {
    assert.equal(fhirTypes.length + formats.length > 0, area !== 'derived', name);
    for (const type of fhirTypes) assert.ok(takenTypes.has(type), type);
  }
});

test('a resource of each FHIR type of a table has a row in it', () => {
  for (const { name, fhirTypes } of tables.values())
    for (const resourceType of fhirTypes) {
      const dosage = { text: 'daily' };
      const { rows } = mapped({
        resourceType,
        id: 'r',
        dosageInstruction: [dosage],
        dosage: resourceType === 'MedicationAdministration' ? dosage : [dosage],
      });
      assert.equal(rows[name]?.length, 1, `${name} of ${resourceType}`);
    }
});

test('no two tables have a name or a plural in common', () => {
  const names = [...tables.values()].flatMap(({ name, plural }) => [...new Set([name, plural])]);
  assert.equal(new Set(names).size, names.length);
});

/** Name parts of a study or of a project, or entries of public databases; all other ids are of persons or their resources. */
const publicIds = /^(?:attribute|panel|cohort|gene|transcript|rs|cosmic|clinvar_allele|source)_id$/;
/** Terms of a vocabulary, and names that FHIR or the service gives. */
const vocabulary = /(^|_)(?:system|display|unit|comparator)$|^(?:resource|test)_type$|^source$/;

/** Masks that a column may have by what it is; the first nature that it has counts. */
const natures: { is: (column: Column, table: Pick<Table, 'area'>) => boolean; masks: readonly Mask[] }[] = [
  { is: ({ name }) => /(^|_)id$/.test(name) && !publicIds.test(name), masks: ['hash'] },
  { is: ({ type }) => type === 'date', masks: ['shift', 'year'] },
  { is: ({ about }) => /^(?:Time|Date|Day|Year) /.test(about), masks: ['null'] },
  {
    // Above 89 an age identifies a person (45 CFR 164.514(b)(2)(i)(C)).
    is: ({ name, type, about }) =>
      type !== 'boolean' && (/(^|_)age(_|$)/.test(name) || /\bage\b/i.test(about)),
    masks: ['null', 'shown'],
  },
  { is: ({ name }) => /(^|_)(?:text|string|data|attributes|title|url)$/.test(name), masks: ['null'] },
  {
    is: ({ name, type }, { area }) => type === 'string' && area === 'clinical' && !vocabulary.test(name),
    masks: ['null', 'code', 'coded', 'element', 'elementCode', 'omb'],
  },
];

const wrongMasks = ({ name, area, columns }: Pick<Table, 'name' | 'area' | 'columns'>): string[] =>
  columns.flatMap((column) => {
    const allowed = natures.find(({ is }) => is(column, { area }))?.masks ?? [column.mask];
    return allowed.includes(column.mask)
      ? []
      : [
          `${name}.${column.name}: mask ${column.mask}; allowed: ${allowed.join(', ')}; see masks in tables/table.ts`,
        ];
  });

test('the mask of each column follows from what it is: an id, a date, an age, a text', () => {
  assert.deepEqual(queried.flatMap(wrongMasks), []);
});

test('a column whose mask would identify a person is named', () => {
  const column = (name: string, type: Column['type'], mask: Mask, about = 'Example.') => ({
    ...{ name, type, mask, about },
  });
  const columns = [
    column('id', 'string', 'none'),
    column('father_id', 'string', 'code'),
    column('seen_date', 'date', 'none'),
    column('seen', 'string', 'code', 'Time of the visit, as written.'),
    column('onset_age', 'float', 'none'),
    column('years', 'int', 'none', 'Age of the relative.'),
    column('data', 'string', 'none'),
    column('note_text', 'string', 'coded'),
    column('remark', 'string', 'none'),
  ];
  const found = wrongMasks({ name: 't', area: 'clinical', columns });
  assert.deepEqual(
    found.map((fault) => fault.split(':')[0]),
    columns.map(({ name }) => `t.${name}`),
  );
  assert.equal(found[2], 't.seen_date: mask none; allowed: shift, year; see masks in tables/table.ts');
});
