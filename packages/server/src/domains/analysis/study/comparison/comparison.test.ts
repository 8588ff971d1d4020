/** Comparisons of groups over rows in memory. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { LakeRow } from '../../analytics/random-lake.fixture.ts';
import type { Aggregate } from '../aggregates.ts';
import type { Node } from '../node.ts';
import { openStudyLake, type StudyLake } from '../study-lake.fixture.ts';
import { valueTests } from './value-tests.ts';

/** Weeks of remission of the 6-MP trial; `+`: still in remission. */
const remissions = {
  '6-MP': '6 6 6 6+ 7 9+ 10 10+ 11+ 13 16 17+ 19+ 20+ 22 23 25+ 32+ 32+ 34+ 35+',
  placebo: '1 1 2 2 3 4 4 5 5 8 8 8 8 11 11 12 12 15 17 22 23',
};

/** Makes a trial with two arms of 21 patients, one sample each. */
function trial(): Record<string, LakeRow[]> {
  const people = Object.entries(remissions).flatMap(([arm, weeks]) =>
    weeks.split(' ').map((text) => ({ arm, text })),
  );
  const values = people.flatMap(({ arm, text }, at): LakeRow[] => {
    const of = { patient_id: `p${at}`, sample_id: null, is_shown: true };
    const weeks = Number.parseInt(text, 10);
    const status = text.endsWith('+') ? '0:CENSORED' : '1:RELAPSED';
    return [
      { ...of, attribute_id: 'ARM', value: arm, number: null },
      { ...of, attribute_id: 'SITE', value: at % 3 === 0 ? 'a' : at % 3 === 1 ? 'b' : 'c', number: null },
      { ...of, attribute_id: 'WEEKS', value: String(weeks), number: weeks },
      { ...of, attribute_id: 'STATUS', value: status, number: null },
    ];
  });
  const samples = people.map((_, at) => ({ id: `s${at}`, patient_id: `p${at}` }));
  // The last three of each arm are not profiled.
  const profiled = samples.filter((_, at) => at % 21 < 18);
  const altered = profiled.filter((_, at) => (at < 18 ? at < 4 : at < 33));
  return {
    patient: people.map((_, at) => ({ patient_id: `p${at}` })),
    attribute_value: values,
    sequence: samples,
    sample_profile: profiled.map(({ id }, at) => ({
      sample_id: id,
      kind: 'mutation',
      panel_id: at % 2 === 0 ? null : 'small',
      assay: 'panel',
    })),
    gene_panel: [{ panel_id: 'small', description: null, gene: 'TP53' }],
    alteration: altered.flatMap(({ id }) => [alteration(id, 'TP53'), alteration(id, 'OFF')]),
    gene: samples.map(({ id }, at) => ({
      sample_id: id,
      gene_id: 'g',
      gene_name: 'MKI67',
      expression: at < 21 ? 2 ** (at % 5) - 1 : 2 ** (3 + (at % 4)) - 1,
      expression_unit: 'tpm',
    })),
  };
}

const alteration = (sample: string, gene: string): LakeRow => ({
  sample_id: sample,
  gene,
  kind: 'mutation',
  class: 'missense',
});

type WithoutId<A> = A extends unknown ? Omit<A, 'id'> : never;
const arm = (value: string): Node => ({ attribute: 'ARM', in: [value] });
const arms = [
  { id: 'drug', filter: arm('6-MP') },
  { id: 'placebo', filter: arm('placebo') },
];
const early: Node = { attribute: 'WEEKS', ranges: [{ lte: 6 }] };

describe('comparisons of groups', () => {
  let lake: StudyLake;
  before(async () => {
    lake = await openStudyLake(trial());
  });
  after(() => lake.close());

  // biome-ignore lint/suspicious/noExplicitAny: results of any kind are looked into
  const ask = async (aggregate: WithoutId<Aggregate>, countsMin = 0): Promise<any> => {
    const aggregates = [{ ...aggregate, id: 'x' } as Aggregate];
    const request = { unit: 'patient' as const, filter: { and: [] }, aggregates, cohortIds: [] };
    return (await lake.study.answer(request, lake.asking(countsMin))).results['x'];
  };
  const near = (value: number | undefined, expected: number): void =>
    assert.ok(
      value !== undefined && Math.abs(value - expected) <= 5e-7 * Math.max(1, Math.abs(expected)),
      `${value} is not ${expected}`,
    );

  test('survival of the arms of a trial has the tests of R', async () => {
    const { survival } = await ask({
      kind: 'survival',
      groups: arms,
      time: 'WEEKS',
      status: 'STATUS',
      landmarks: [10, 40],
    });
    near(survival.logRank.statistic, 16.792941);
    const [hazard] = survival.hazards;
    assert.equal(survival.reference, 'drug');
    near(hazard.ratio, 4.816873);
    near(hazard.low, 2.146508);
    near(survival.proportionality.p, 0.947643488);
    near(survival.eventRatios[0].ratio, 4.178598);
    assert.deepEqual(
      survival.curves.map(({ patients, events, median }: Record<string, number>) => [
        patients,
        events,
        median,
      ]),
      [
        [21, 9, 23],
        [21, 21, 8],
      ],
    );
    near(survival.curves[0].landmarks[0].survival, 0.752941176);
    assert.equal(survival.curves[0].landmarks[1].survival, null);
  });

  test('own events: other values of the status are censored', async () => {
    const { survival } = await ask({
      kind: 'survival',
      groups: arms,
      time: 'WEEKS',
      status: 'STATUS',
      events: ['0:CENSORED'],
    });
    assert.deepEqual(
      survival.curves.map(({ events }: { events: number }) => events),
      [12, 0],
    );
  });

  test('tests are one family: attributes by rule, genes over profiled subjects, expression by logarithms', async () => {
    const { enrichment } = await ask({
      kind: 'enrichment',
      groups: arms,
      attributes: ['SITE', 'WEEKS', 'STATUS'],
      of: ['mutation', 'expression'],
    });
    const byName = new Map(enrichment.items.map((item: { name: string }) => [item.name, item]));
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const item = (name: string): any => byName.get(name);
    assert.equal(enrichment.tests, enrichment.items.length);
    assert.deepEqual(
      [item('SITE').test, item('WEEKS').test, item('STATUS').test],
      ['chiSquare', 'wilcoxon', 'fisher'],
    );
    assert.deepEqual(
      [item('TP53').test, item('TP53').groups],
      [
        'fisher',
        [
          { id: 'drug', count: 18, having: 4 },
          { id: 'placebo', count: 18, having: 15 },
        ],
      ],
    );
    // Whole profiles only: the panel lacks this gene.
    assert.deepEqual(
      item('OFF').groups.map(({ count }: { count: number }) => count),
      [9, 9],
    );
    assert.equal(item('MKI67').test, 'welch');
    near(item('MKI67').groups[0].mean, ((0 + 1 + 2 + 3 + 4) * 4) / 21);
    assert.equal(item('MKI67').higher, 'placebo');
    for (const { p, q } of enrichment.items) assert.ok(q >= p && q <= 1);
  });

  test('an attribute with several values for a patient names that rare ones are not compared', () => {
    const compared = (values: number) => {
      const items = Array.from({ length: values }, (_, at) => ({
        ...{ value: `v${at}`, label: null },
        groups: [{ g: 0, n: 2 }],
      }));
      const ownersWith = [0, 1].map((g) => ({ g, n: 10 }));
      const counts = { numbers: 0, texts: 40, ranks: null, ties: null, valuesOfOneMax: 2 };
      const tests = valueTests('GENES', { ...counts, values, items, ownersWith }, 2);
      for (let count = 0; ; count += 1) {
        const { done, value } = tests.next();
        if (done) return [count, value];
      }
    };
    assert.deepEqual(compared(20), [20, undefined]);
    assert.deepEqual(compared(21), [20, 'rareValues']);
  });

  test('groups that share patients are not tested until these are excluded', async () => {
    const groups = [...arms, { id: 'early', filter: early }];
    const { overlap } = await ask({ kind: 'overlap', groups });
    const shared = overlap.shared;
    assert.ok(shared > 0);
    assert.equal(
      overlap.regions.reduce((sum: number, { patients }: { patients: number }) => sum + patients, 0),
      42,
    );
    for (const choice of [{}, { overlap: 'include' as const }]) {
      const { enrichment } = await ask({ kind: 'enrichment', groups, attributes: ['SITE'], ...choice });
      assert.deepEqual([enrichment.reason, enrichment.tests, enrichment.shared], ['overlap', 0, shared]);
      const { survival } = await ask({
        kind: 'survival',
        groups,
        time: 'WEEKS',
        status: 'STATUS',
        ...choice,
      });
      assert.deepEqual(
        [survival.reason, survival.logRank, survival.hazards],
        ['overlap', undefined, undefined],
      );
    }
    const { survival } = await ask({
      kind: 'survival',
      groups,
      time: 'WEEKS',
      status: 'STATUS',
      overlap: 'exclude',
    });
    assert.equal(
      survival.groups.reduce((sum: number, { patients }: { patients: number }) => sum + patients, 0),
      42 - shared,
    );
    assert.ok(survival.logRank.p < 0.05);
  });

  test('a plot has the values of each subject: numbers, categories, expression and states of profiled ones', async () => {
    const plot = async (x: string, y: string) => (await ask({ kind: 'points', x, y, colour: 'ARM' })).points;
    const numbers = await plot('WEEKS', 'expression:MKI67');
    assert.equal(numbers.count, 42);
    assert.ok(
      numbers.points.every(
        ({ x, y }: Record<string, unknown>) => typeof x === 'number' && typeof y === 'number',
      ),
    );
    const states = await plot('SITE', 'mutation:TP53');
    const altered = states.points.filter(({ y }: { y: string }) => y === 'missense');
    assert.deepEqual([states.count, altered.length], [36, 19]);
    assert.equal((await plot('SITE', 'mutation:OFF')).count, 18);
    assert.equal((await ask({ kind: 'points', x: 'WEEKS', y: 'WEEKS' }, 5)).error.code, 'SMALL_COUNTS_ONLY');
  });

  test('masked readers have counts of the overlap, and no test', async () => {
    const { overlap } = await ask({ kind: 'overlap', groups: arms }, 5);
    for (const { patients } of overlap.regions) assert.equal(patients % 5, 0);
    for (const kind of ['enrichment', 'survival'] as const) {
      const { error } = await ask({ kind, groups: arms }, 5);
      assert.equal(error.code, 'SMALL_COUNTS_ONLY');
    }
  });
});
