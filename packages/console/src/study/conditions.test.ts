import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomOf } from '../../../../samples/generator/random.ts';
import {
  type Conditions,
  changed,
  chosenIn,
  grouped,
  type Node,
  namesCohort,
  nodeOf,
  ownPill,
  readConditions,
  removed,
  toggle,
  toggleLeaf,
  ungrouped,
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

/** Evaluates a filter for a subject that has these cohorts. */
function holds(node: Node, cohorts: ReadonlySet<string>): boolean {
  if ('and' in node) return node.and.every((part) => holds(part, cohorts));
  if ('or' in node) return node.or.some((part) => holds(part, cohorts));
  if ('not' in node) return !holds(node.not, cohorts);
  return 'cohort' in node && cohorts.has(node.cohort);
}

test('a group that is taken apart again asks the same, for every subject', () => {
  const { next } = randomOf(11);
  const ids = ['a', 'b', 'c', 'd'];
  const subjects = Array.from(
    { length: 16 },
    (_, bits) => new Set(ids.filter((_id, at) => (bits >> at) & 1)),
  );
  const meaning = (conditions: Conditions): boolean[] =>
    subjects.map((subject) => holds(nodeOf(conditions), subject));
  let groups = 0;
  let apart = 0;
  for (let run = 0; run < 300; run += 1) {
    let conditions: Conditions = ids.map((cohort) => ({
      is: { cohort },
      ...(next() < 0.3 && { not: true }),
      ...(next() < 0.4 && { or: true }),
    }));
    for (let step = 0; step < 3; step += 1) {
      const at = Math.floor(next() * conditions.length);
      const isInnermost = conditions[at + 1]?.or === true || !(conditions[at]?.or || conditions[at + 2]?.or);
      const joined = grouped(conditions, at);
      if (isInnermost) assert.deepEqual(meaning(joined), meaning(conditions), JSON.stringify(conditions));
      groups += 1;
      conditions = joined;
      const parts = ungrouped(conditions, Math.floor(next() * conditions.length));
      if (!parts) continue;
      assert.deepEqual(meaning(parts), meaning(conditions), JSON.stringify(conditions));
      apart += 1;
    }
  }
  assert.ok(groups > 100 && apart > 100, `${groups} groups, ${apart} taken apart`);
});
