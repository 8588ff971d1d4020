import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../index.ts';
import { concept, mapped } from './mapped.fixture.ts';

const relative = (fields: JsonObject) =>
  mapped({ resourceType: 'FamilyMemberHistory', id: 'f', patient: { reference: 'Patient/p' }, ...fields });
const identity = { patient_id: 'p', id: 'f' };

test('each condition of a relative has a row, which repeats the fields of the relative', () => {
  const { rows, codings, further, unreadable, words } = relative({
    status: 'completed',
    relationship: { text: 'aunt' },
    condition: [
      { code: concept('C'), contributedToDeath: true },
      { code: concept('D'), outcome: concept('O') },
    ],
  });
  const shared = { ...identity, status: 'completed', relationship: 'aunt' };
  const coded = (code: string) => ({ code, system: 's', display: `${code} display`, text: `${code} text` });
  assert.deepEqual(rows['family_history'], [
    { ...shared, condition_index: 0, ...coded('C'), contributed_to_death: true },
    { ...shared, condition_index: 1, ...coded('D'), outcome: 'O' },
  ]);
  assert.deepEqual(words, ['family_history.relationship', 'family_history.relationship']);
  assert.ok(codings.includes('condition.code s|D D display'));
  assert.deepEqual([further, unreadable], [[], []]);
});

test('a relative without conditions has one row; a history that was not taken is unknown', () => {
  assert.deepEqual(relative({ notDone: true, status: 'completed', condition: [] }).rows['family_history'], [
    { ...identity, status: 'health-unknown' },
  ]);
});

test('ages are in years; one in another unit is reported', () => {
  const age = (fields: JsonObject) => relative({ condition: [{ onsetAge: fields }] });
  const found = [
    { value: 40 },
    { value: 40, unit: 'a' },
    { value: 6, code: 'mo' },
    { value: 48, unit: 'x', code: 'a' },
  ];
  assert.deepEqual(
    found.map((fields) => age(fields).rows['family_history']?.[0]?.['onset_age']),
    [40, 40, 0.5, 48],
  );
  const { rows, unreadable } = age({ value: 4, unit: 'decades' });
  assert.deepEqual(rows['family_history'], [{ ...identity, condition_index: 0 }]);
  assert.deepEqual(unreadable, ['condition.onsetAge.code: one of a, mo, wk, d, h, min']);
});
