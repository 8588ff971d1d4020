/** Properties of every column, tried with the example that each of them has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tables } from '../../tables/index.ts';
import { bindings } from '../bindings.ts';
import type { JsonObject } from '../index.ts';
import { isObject, type JsonValue } from '../json.ts';
import { doses, elements as specified } from './column-examples.fixture.ts';
import { extensionElements } from './extension-examples.fixture.ts';
import { type MappedResource, mapped } from './mapped.fixture.ts';
import { movedElements, movedTo } from './moved-elements.fixture.ts';

interface Example {
  table: string;
  column: string;
  type: string;
  value: unknown;
  fields: JsonObject;
  /** Maps a resource with other fields in place of these. */
  map: (fields: JsonObject) => MappedResource;
}

const subject = { reference: 'Patient/p' };
const resource = (resourceType: string, fields: JsonObject): JsonObject => ({
  ...{ resourceType, id: 'x' },
  ...(resourceType === 'Patient' ? {} : { subject, patient: subject }),
  ...fields,
});

const examples: Example[] = [
  ...[...specified, ...extensionElements].flatMap(({ table, r4, columns }) =>
    Object.entries(columns).map(([column, [value, fields]]) => ({
      ...{ table, column, value, fields, type: r4 },
      map: (given: JsonObject) => mapped(resource(r4, given)),
    })),
  ),
  ...Object.entries(doses).map(([column, [value, fields = {}]]) => ({
    ...{ table: 'dosage', column, value, fields, type: 'MedicationRequest' },
    map: (given: JsonObject) => mapped(resource('MedicationRequest', { dosageInstruction: [given] })),
  })),
];

const valueIn = ({ rows }: MappedResource, { table, column }: Example): unknown => rows[table]?.[0]?.[column];

/** Puts the elements of both into the first list that both have; undefined where they have none. */
function joined(left: JsonValue | undefined, right: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
  if (!isObject(left) || !isObject(right)) return undefined;
  for (const key of Object.keys(left)) {
    // Each extension is of a thing of its own.
    const both = key === 'extension' ? undefined : joined(left[key], right[key]);
    if (both !== undefined) return { ...right, ...left, [key]: both };
  }
  return undefined;
}

/** A dose and its rate may be two elements of one type. */
const belongTogether = (one: Example, other: Example): boolean =>
  one.table === 'dosage' && /^dose_/.test(one.column) && /^rate_/.test(other.column);

test('two elements of a list, each with half of the fields, are never mixed in a row', () => {
  const tried = new Set<string>();
  for (const one of examples)
    for (const other of examples) {
      if (one.table !== other.table || one.type !== other.type || one.column === other.column) continue;
      const both = joined(one.fields, other.fields);
      if (!isObject(both)) continue;
      const found = one.map(both);
      const isMixed = valueIn(found, one) === one.value && valueIn(found, other) === other.value;
      assert.ok(
        !isMixed || belongTogether(one, other) || belongTogether(other, one),
        `${one.table}: ${one.column} of one element, ${other.column} of another: ${JSON.stringify(both)}`,
      );
      tried.add(one.table);
    }
  assert.deepEqual(
    [...tried].toSorted(),
    [...new Set(examples.map(({ table }) => table))]
      .filter((table) => !['patient', 'sequence', 'media'].includes(table))
      .toSorted(),
  );
});

test('elements of a list that no column has are counted by their path', () => {
  for (const example of examples) {
    const list = Object.entries(example.fields).find(([, value]) => Array.isArray(value));
    if (!list || list[0] === 'extension' || example.table === 'dosage') continue;
    const [name, elements] = list as [string, JsonValue[]];
    const { rows, further } = example.map({ ...example.fields, [name]: [...elements, ...elements] });
    const rowCount = rows[example.table]?.length ?? 0;
    if (name === 'dosageInstruction') continue;
    const counted = further.some((one) => one.startsWith(`${name} `) || one.startsWith(`${name}.`));
    assert.ok(counted || rowCount > 1, `${example.table}.${example.column}: ${name} ${further}`);
  }
});

for (const version of ['stu3', 'r5'] as const) {
  test(`each column is read where ${version} has its element, or is declared absent`, () => {
    const moved = new Set<string>();
    for (const example of examples.filter(({ table }) => table !== 'dosage')) {
      const fields = movedTo(version, example.type, example.fields);
      for (const name of Object.keys(example.fields)) moved.add(`${example.type}.${name}`);
      if (fields === null || JSON.stringify(fields).includes('hl7.org/fhir/us/core')) continue;
      assert.equal(valueIn(example.map(fields), example), example.value, JSON.stringify(fields));
    }
    const listed = Object.entries(movedElements[version]).flatMap(([type, elements]) =>
      Object.keys(elements).map((name) => `${type}.${name}`),
    );
    const untried = listed.filter((name) => !moved.has(name));
    assert.deepEqual(
      untried.filter(
        (name) => !/\.(medicationReference|createdDateTime|effective\w+|reasonCode|context)$/.test(name),
      ),
      [],
    );
  });
}

/** Replaces each text of this value. */
function replaced(from: JsonValue | undefined, value: unknown, by: string): JsonValue {
  if (Array.isArray(from)) return from.map((item) => replaced(item, value, by));
  if (!isObject(from)) return from === value ? by : (from ?? null);
  return Object.fromEntries(Object.entries(from).map(([key, item]) => [key, replaced(item, value, by)]));
}

test('each plain code of FHIR is checked: other spellings become it, other words are only reported', () => {
  const checked = new Set<string>();
  for (const example of examples) {
    const { table, column, value, fields } = example;
    const mask = tables.get(table)?.columns.find(({ name }) => name === column)?.mask;
    if (mask !== 'coded' || JSON.stringify(fields).includes('coding') || typeof value !== 'string') continue;
    const place = `${table}.${column}`;
    const shouted = example.map(
      replaced(fields, value, ` ${value.toUpperCase().replace(/-/g, '_')} `) as JsonObject,
    );
    assert.equal(valueIn(shouted, example), value, place);
    const wrong = example.map(replaced(fields, value, 'Dr. Jones') as JsonObject);
    assert.equal(valueIn(wrong, example), undefined, place);
    assert.match(wrong.unreadable.join(), /: one of /, place);
    checked.add(place);
  }
  const bound = Object.values(bindings).flatMap((types) => Object.keys(types)).length;
  assert.ok(checked.size >= 14 && bound >= checked.size, `${checked.size} of ${bound}`);
});

/** Returns each form with an extension in place of a primitive. */
function unknowns(from: JsonValue | undefined): JsonValue[] {
  const reason = { extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason' }] };
  if (Array.isArray(from))
    return from.flatMap((item, at) => unknowns(item).map((other) => from.with(at, other)));
  if (!isObject(from)) return [];
  return Object.entries(from).flatMap(([key, value]): JsonValue[] => {
    if (key === 'extension') return [];
    const { [key]: _, ...others } = from;
    if (typeof value !== 'object') return [{ ...others, [`_${key}`]: reason }];
    return unknowns(value).map((other) => ({ ...others, [key]: other }));
  });
}

test('a primitive without a value is counted, and is not the absence of its element', () => {
  for (const example of examples)
    for (const fields of unknowns(example.fields)) {
      const found = example.map(fields as JsonObject);
      assert.deepEqual(found.unreadable, []);
      const isElsewhere = valueIn(found, example) === example.value;
      assert.ok(
        isElsewhere || found.unknown.length > 0,
        `${example.table}.${example.column}: ${JSON.stringify(fields)}`,
      );
    }
});

test('a day that programs write for no date is none, in every column of days', () => {
  const tried = new Set<string>();
  for (const example of examples) {
    const { table, column, value, fields } = example;
    const type = tables.get(table)?.columns.find(({ name }) => name === column)?.type;
    if (type !== 'date' || typeof value !== 'string') continue;
    for (const day of ['0001-01-01', '0001-01-01T00:00:00Z', '9999-12-31', '9999-12-31T23:59:59Z']) {
      const text = JSON.stringify(fields).replace(/\d{4}(?:-\d{2}(?:-\d{2}[^"]*)?)?/g, day);
      const found = example.map(JSON.parse(text) as JsonObject);
      assert.equal(valueIn(found, example), undefined, `${table}.${column}: ${text}`);
      assert.match(found.unreadable.join(), /: a date/, `${table}.${column}: ${text}`);
    }
    tried.add(table);
  }
  assert.ok(tried.size >= 10, [...tried].join());
});

test('extensions of a coding, and the upper end of a range, are counted', () => {
  for (const example of examples) {
    const text = JSON.stringify(example.fields);
    const extended = text.replace(/"coding":\[\{/g, '"coding":[{"extension":[{"url":"u"}],');
    if (extended === text) continue;
    const { further } = example.map(JSON.parse(extended) as JsonObject);
    assert.match(further.join(), /\.coding\.extension 1/, `${example.table}.${example.column}`);
  }
  const dose = { doseRange: { low: { value: 1 }, high: { value: 2 } } };
  const timing = { repeat: { frequency: 1, frequencyMax: 2, period: 1, periodMax: 3 } };
  const { further } = mapped(
    resource('MedicationRequest', { dosageInstruction: [{ doseAndRate: [dose], timing }] }),
  );
  assert.deepEqual(further.toSorted(), [
    'dosageInstruction.doseAndRate.doseRange.high 1',
    'dosageInstruction.timing.repeat.frequencyMax 1',
    'dosageInstruction.timing.repeat.periodMax 1',
  ]);
});

test('a coding without a code never goes before one with a code, wherever it is in the list', () => {
  for (const example of examples) {
    const text = JSON.stringify(example.fields);
    if (!text.includes('"coding":[{') || text.includes('us-core')) continue;
    for (const empty of ['{"system":"t","code":""}', '{"system":"t","display":"words"}', '{"code":" "}']) {
      const before = text.replaceAll('"coding":[', `"coding":[${empty},`);
      const found = example.map(JSON.parse(before) as JsonObject);
      const hasCode = /"coding":\[\{[^}]*"code"/.test(text);
      if (hasCode) assert.equal(valueIn(found, example), example.value, `${example.column}: ${before}`);
    }
  }
});

test('a patient who died on a day that stands for none may be alive', () => {
  for (const [given, isDeceased] of [
    ['0001-01-01', undefined],
    ['9999-12-31T00:00:00Z', undefined],
    ['2020', true],
  ] as const) {
    const { rows } = mapped({ resourceType: 'Patient', id: 'p', deceasedDateTime: given });
    assert.equal(rows['demographic']?.[0]?.['is_deceased'], isDeceased, given);
  }
});
