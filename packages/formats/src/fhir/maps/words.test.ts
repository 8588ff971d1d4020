/** Words in place of a code reach no column that masked readers see as a code. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { tables } from '../../tables/index.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { doses, elements as specified } from './column-examples.fixture.ts';
import { extensionElements } from './extension-examples.fixture.ts';
import { type MappedResource, mapped } from './mapped.fixture.ts';

const subject = { reference: 'Patient/p' };

/** Every way in which a column is filled: the example of the column, as a resource. */
const examples: { column: string; resource: JsonObject; value: unknown }[] = [
  ...[...specified, ...extensionElements].flatMap(({ table, r4, stu3 = r4, columns }) =>
    Object.entries(columns).flatMap(([name, [value, ofR4, ofStu3 = ofR4]]) =>
      [
        { resourceType: r4, fields: ofR4 },
        { resourceType: stu3, fields: ofStu3 },
      ].flatMap(({ resourceType, fields }) =>
        fields === null
          ? []
          : [{ column: `${table}.${name}`, value, resource: { resourceType, id: 'x', ...fields } }],
      ),
    ),
  ),
  ...Object.entries(doses).flatMap(([name, [value, ...all]]) =>
    all.map((fields) => ({
      column: `dosage.${name}`,
      value,
      resource: { resourceType: 'MedicationRequest', id: 'x', dosageInstruction: [fields] },
    })),
  ),
].map((example) => ({
  ...example,
  resource: {
    ...(example.resource.resourceType === 'Patient' ? {} : { subject, patient: subject }),
    ...example.resource,
  },
}));

/** Replaces each concept, and each plain code with this value, by words. */
function inWords(from: JsonValue, word: string, value: unknown): JsonValue {
  if (Array.isArray(from)) return from.map((one) => inWords(one, word, value));
  if (!isObject(from)) return from === value ? word : from;
  if (from['coding'] !== undefined) return { text: word };
  const { resourceType, id, ...fields } = from;
  const entries = Object.entries(fields).map(([key, one]) => [key, inWords(one as JsonValue, word, value)]);
  return {
    ...(resourceType !== undefined && { resourceType }),
    ...(id !== undefined && { id }),
    ...Object.fromEntries(entries),
  };
}

const ofMask = (...masks: string[]): string[] =>
  [...tables.values()]
    .filter(({ area }) => area === 'clinical')
    .flatMap(({ name, columns }) =>
      columns.filter(({ mask }) => masks.includes(mask)).map((column) => `${name}.${column.name}`),
    );
const coded = new Set(ofMask('coded'));
const plain = new Set(ofMask('code'));

/** Columns of a mapped resource that hold a word. */
const holding = ({ rows }: MappedResource, word: string): string[] =>
  Object.entries(rows).flatMap(([table, all]) =>
    all.flatMap((row) =>
      Object.keys(row).flatMap((name) => (row[name] === word ? [`${table}.${name}`] : [])),
    ),
  );

/** Words that look like a code, but none that FHIR defines. */
const word = fc
  .stringMatching(/^[A-Za-z0-9._:/+-]{1,64}$/)
  .filter((text) => !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(text));
const names = fc.constantFrom('Smith', '123-45-6789', 'DrJones', 'J.Doe');

test('a concept that is only text is marked as words in every column that shows codes', () => {
  const asked = new Set<string>();
  fc.assert(
    fc.property(fc.oneof(names, word), (text) => {
      for (const { resource, value } of examples) {
        const found = mapped(inWords(resource, text, value) as JsonObject);
        for (const column of holding(found, text)) {
          if (plain.has(column)) assert.ok(primitives.has(column), `${column} shows words`);
          if (!coded.has(column)) continue;
          assert.ok(found.words.includes(column), `${column} of ${JSON.stringify(resource)}`);
          asked.add(column);
        }
      }
    }),
    { numRuns: 20 },
  );
  // Words in the place of codes that FHIR itself defines reach no column at all.
  assert.deepEqual(
    [...coded].filter((column) => !asked.has(column) && !/status$|gender$|intent$|period_unit$/.test(column)),
    ['allergy.type', 'allergy.category', 'allergy.criticality', 'allergy.reaction_severity'],
    'each column was asked',
  );
});

test('a concept with a coding is a code in every column', () => {
  for (const { column, resource } of examples) {
    const { words } = mapped(resource);
    if (!JSON.stringify(resource).includes('"text"')) assert.deepEqual(words, [], column);
  }
});

/** Columns of the mask `code` that are no concept: identifiers of a system, a Coding, a media type. */
const primitives = new Set(['encounter.class_code', 'media.content_type', 'resource.version']);

test('a diagnosis that German law calls excluded is refuted; the status of FHIR goes before', () => {
  const url = 'http://fhir.de/StructureDefinition/icd-10-gm-diagnosesicherheit';
  const statusOf = (letter: string, stated?: string): unknown => {
    const coding = { system: 's', code: 'I21.0', extension: [{ url, valueCoding: { code: letter } }] };
    const condition = {
      ...{ resourceType: 'Condition', id: 'c', code: { coding: [{ code: 'x' }, coding] } },
      ...(stated !== undefined && { verificationStatus: { coding: [{ code: stated }] } }),
    };
    return mapped(condition).rows['condition']?.[0]?.['verification_status'];
  };
  const letters = ['A', 'V', 'G', 'Z', 'constructor'];
  assert.deepEqual(
    letters.map((letter) => statusOf(letter)),
    ['refuted', 'unconfirmed', 'confirmed', undefined, undefined],
  );
  assert.equal(statusOf('A', 'provisional'), 'provisional');
});
