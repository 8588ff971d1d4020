import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Conditions,
  changed,
  chosenIn,
  namesCohort,
  nodeOf,
  ownPill,
  readConditions,
  removed,
  toggle,
  toggleLeaf,
  writeConditions,
} from './conditions.ts';

const female: Conditions = toggle([], 'patient.gender', { value: 'female' });
const braf = { alteration: { genes: ['BRAF'] } };

test('a click on a bar chooses its value, a second click removes it', () => {
  assert.deepEqual(female, [{ is: { attribute: 'patient.gender', in: ['female'] } }]);
  const both = toggle(female, 'patient.gender', { value: 'male' });
  assert.deepEqual(chosenIn(both, 'patient.gender')?.in, ['female', 'male']);
  assert.deepEqual(toggle(female, 'patient.gender', { value: 'female' }), []);
});

test('ranges and missing values of one chart are alternatives', () => {
  const range = toggle([], 'age', { range: { gt: 40, lte: 50 } });
  const either = toggle(range, 'age', { na: true });
  assert.deepEqual(either, [{ is: { attribute: 'age', ranges: [{ gt: 40, lte: 50 }], na: true } }]);
  assert.deepEqual(toggle(toggle(either, 'age', { na: true }), 'age', { range: { gt: 40, lte: 50 } }), []);
});

test('all groups of alternatives have to hold, and a part may be turned round', () => {
  const list = toggleLeaf(toggleLeaf(female, braf), { cohort: 'c1' });
  assert.deepEqual(nodeOf(changed(changed(list, 2, { or: true }), 0, { not: true })), {
    and: [
      { not: { attribute: 'patient.gender', in: ['female'] }, pill: 'p0' },
      { or: [braf, { cohort: 'c1' }] },
    ],
  });
  assert.deepEqual(nodeOf([]), { and: [] });
});

test('a chart leaves its own choice out, but no part of alternatives or of an exclusion', () => {
  assert.equal(ownPill(female, 'patient.gender'), 'p0');
  assert.equal(ownPill(female, 'age'), undefined);
  assert.equal(ownPill(changed(female, 0, { not: true }), 'patient.gender'), undefined);
  const joined = changed(toggleLeaf(female, braf), 1, { or: true });
  assert.equal(ownPill(joined, 'patient.gender'), undefined);
  assert.equal(toggle(joined, 'patient.gender', { value: 'female' }).length, 3);
});

test('removing the first of two alternatives leaves the other one alone', () => {
  const joined = changed(toggleLeaf(female, braf), 1, { or: true });
  assert.deepEqual(removed(joined, 0), [{ is: braf }]);
  const three = changed(toggleLeaf(joined, { cohort: 'c1' }), 2, { or: true });
  assert.deepEqual(removed(three, 1), [joined[0], { is: { cohort: 'c1' }, or: true }]);
});

test('conditions survive an address, and a broken address filters nothing', () => {
  assert.deepEqual(readConditions(writeConditions(female)), female);
  for (const text of ['', '[', '{}', 'null', '[null,1,{"is":null},{"is":{}}]', undefined])
    assert.deepEqual(readConditions(text), []);
});

test('a cohort is found in a filter however deep it is', () => {
  const cohort = { cohort: 'c' };
  const other = { attribute: 'patient.gender', in: ['female'] };
  for (const node of [cohort, { not: cohort }, { and: [other, { or: [other, { not: cohort }] }] }])
    assert.equal(namesCohort(node), true, JSON.stringify(node));
  assert.equal(namesCohort({ and: [other, { not: { or: [other] } }] }), false);
});
