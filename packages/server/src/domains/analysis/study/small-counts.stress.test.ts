import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { type Aggregate, aggregateShapes } from './aggregates.ts';
import { NaiveStudy } from './naive-study.fixture.ts';
import type { Node } from './node.ts';
import { filters, genes, randomStudy } from './random-study.fixture.ts';
import { openStudyLake, type StudyLake } from './study-lake.fixture.ts';
import type { Moment, Timed } from './timed/shapes.ts';

const min = 4;
const rows = randomStudy(31, 90);
const surgery: Moment = { of: 'event', codes: ['SURGERY'] };
const timed: Timed = {
  index: { event: { of: 'event' }, priorDays: 0 },
  rules: [{ name: 'Surgery', criteria: [{ event: surgery, within: { from: 1 } }] }],
};
const grades = ['low', 'high'].map((grade) => ({ id: grade, filter: { attribute: 'GRADE', in: [grade] } }));
const counting: Aggregate[] = [
  { id: 'count', kind: 'count' },
  { id: 'values', kind: 'values', attribute: 'GRADE' },
  { id: 'codes', kind: 'values', attribute: 'condition.code', top: 1 },
  { id: 'bins', kind: 'bins', attribute: 'AGE' },
  { id: 'mutation', kind: 'genes', alteration: 'mutation' },
  { id: 'copies', kind: 'genes', alteration: 'copy_number', counts: 'all' },
  { id: 'coverage', kind: 'coverage' },
  { id: 'preview', kind: 'coverage', attributes: ['AGE', 'GRADE'] },
  { id: 'table', kind: 'table', row: 'GRADE', column: 'STATUS' },
  { id: 'events', kind: 'events' },
  { id: 'profiles', kind: 'profiles' },
  { id: 'treatments', kind: 'treatments' },
  { id: 'pairs', kind: 'pairs', genes },
  { id: 'left', kind: 'attrition', timed },
  { id: 'overlap', kind: 'overlap', groups: grades },
];
const single: Aggregate[] = [
  { id: 'km', kind: 'km', time: 'MONTHS', status: 'STATUS' },
  {
    ...{ id: 'survival', kind: 'survival', groups: [{ id: 'all', filter: { and: [] } }] },
    ...{ timed, event: surgery },
  },
  { id: 'box', kind: 'box', number: 'AGE', group: 'GRADE' },
  { id: 'density', kind: 'density', x: 'AGE', y: 'MONTHS' },
  { id: 'few', kind: 'density', x: 'AGE', y: 'MONTHS', pointsMax: 5000 },
  { id: 'oncoprint', kind: 'oncoprint', genes },
  { id: 'enrichment', kind: 'enrichment', groups: grades, of: ['mutation'] },
  { id: 'points', kind: 'points', x: 'AGE', y: 'MONTHS' },
  { id: 'median', kind: 'bins', attribute: 'AGE', method: 'median' },
  { id: 'quartiles', kind: 'bins', attribute: 'AGE', method: 'quartiles' },
];

/** Fields of results that are numbers and count no subjects. */
const otherNumbers = new Set(['gt', 'gte', 'lt', 'lte', 'share', 'percent', 'genes', 'names']);

/** Lists the counts within a result, each under a text of its place and labels. */
function countsIn(value: unknown, path = ''): [string, number][] {
  if (typeof value === 'number') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => {
    if (typeof one === 'number' && otherNumbers.has(key)) return [];
    const name = Array.isArray(value) ? labelOf(one) : key;
    return countsIn(one, `${path}/${name}`);
  });
}

/** Names an item of a list by its fields that are no counts. */
const labelOf = (item: unknown): string =>
  JSON.stringify(
    Object.entries(Object(item)).filter(
      ([, of]) =>
        typeof of === 'string' ||
        (typeof of === 'object' &&
          of !== null &&
          !Array.isArray(of) &&
          Object.keys(of).every((key) => otherNumbers.has(key))),
    ),
  );

test('every kind of aggregate is asked', () => {
  const asked = new Set([...counting, ...single].map(({ kind }) => kind));
  assert.deepEqual([...asked].sort(), Object.keys(aggregateShapes).sort());
});

for (const unit of ['sample', 'patient'] as const) {
  describe(`small counts of every aggregate, by ${unit}`, () => {
    const naive = new NaiveStudy(rows, unit);
    let lake: StudyLake;
    before(async () => {
      lake = await openStudyLake(rows);
    });
    after(() => lake.close());

    const ask = async (filter: Node, aggregates: Aggregate[], groups: Node[] = []) => {
      const named = groups.map((one, at) => ({ id: `g${at}`, filter: one }));
      return lake.study.answer({ unit, filter, aggregates, cohortIds: [], groups: named }, lake.asking(min));
    };

    test('each number is a multiple of the minimum, and few patients have none', async () => {
      let shown = 0;
      await fc.assert(
        fc.asyncProperty(filters, filters, async (filter, group) => {
          const { groups = [], ...answer } = await ask(filter, counting, [group, { not: group }]);
          const matching = naive.matching(filter);
          const patients = new Set(matching.map((one) => naive.patientOf(one)));
          for (const part of [answer, ...groups]) {
            const counts = countsIn(part);
            shown += counts.length;
            for (const [path, count] of counts)
              assert.ok(count >= min && count % min === 0, `${path} ${count}`);
            if (patients.size < min) assert.deepEqual(counts, []);
          }
          const { items } = Object(answer.results['values'])['values'];
          for (const { value } of items) {
            const holders = matching.filter((one) => naive.values(one, 'GRADE').includes(value));
            assert.ok(new Set(holders.map((one) => naive.patientOf(one))).size >= min, value);
          }
        }),
        { numRuns: 30 },
      );
      assert.ok(shown > 300, `${shown} shown`);
    });

    test('an answer about fewer patients than the minimum is that about none', async () => {
      const none = await ask({ patients: ['absent'] }, counting, [{ and: [] }]);
      const patients = [...new Set(naive.matching({ and: [] }).map((one) => naive.patientOf(one)))];
      const known = fc.constantFrom(...patients.filter((one) => one !== undefined));
      await fc.assert(
        fc.asyncProperty(fc.uniqueArray(known, { minLength: 1, maxLength: min - 1 }), async (few) => {
          assert.deepEqual(await ask({ patients: few }, counting, [{ and: [] }]), none);
        }),
        { numRuns: 15 },
      );
    });

    test('values of single subjects are refused, in groups too', async () => {
      const { results, groups = [] } = await ask({ and: [] }, single, [{ attribute: 'GRADE', in: ['low'] }]);
      for (const of of [results, ...groups.map((group) => group.results)])
        for (const { id } of single) {
          const { error } = Object(of[id]);
          assert.equal(error?.code, 'SMALL_COUNTS_ONLY', id);
        }
    });

    test('a filter and the same without one patient differ as filters of equal subjects do', async () => {
      const changes = { member: { more: 0, same: 0, fewer: 0 }, other: { more: 0, same: 0, fewer: 0 } };
      const some: Node = { attribute: 'GRADE', in: ['low', 'high'], na: true };
      const whole = new Map(countsIn((await ask(some, counting)).results));
      const members = new Set(naive.matching(some).map((one) => naive.patientOf(one)));
      for (let at = 0; at < 40; at += 1) {
        const patient = `p${at}`;
        const rest = await ask({ and: [some, { not: { patients: [patient] } }] }, counting);
        const of = changes[members.has(patient) ? 'member' : 'other'];
        for (const [path, count] of countsIn(rest.results)) {
          const before = whole.get(path);
          if (before !== undefined) of[before > count ? 'more' : before < count ? 'fewer' : 'same'] += 1;
        }
      }
      for (const { more, same, fewer } of Object.values(changes)) {
        const all = more + same + fewer;
        for (const times of [more, same, fewer]) assert.ok(times > all / 10, JSON.stringify(changes));
      }
    });
  });
}
