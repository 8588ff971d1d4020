import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takenTypes } from '../fhir/index.ts';
import { mapped } from '../fhir/maps/mapped.fixture.ts';
import { annotation, engineTypes, geneModel, masks, storedTables, tables } from './index.ts';

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

test('ids of patients and resources are masked by a keyed hash in every table', () => {
  for (const { name, columns } of queried)
    for (const column of columns.filter((one) => /^(id|patient_id|encounter_id|specimen_id)$/.test(one.name)))
      assert.equal(column.mask, 'hash', `${name}.${column.name}`);
});
