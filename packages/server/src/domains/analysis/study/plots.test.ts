import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { LakeRow } from '../analytics/random-lake.fixture.ts';
import type { Aggregate } from './aggregates.ts';
import type { LeafOf } from './node.ts';
import { readStudy } from './read-study.ts';
import { openStudyLake, type StudyLake } from './study-lake.fixture.ts';

/** Weeks of remission of the 6-MP trial; `+`: still in remission. Values below: lifelines 0.30.3. */
const remissions = {
  '6-MP': '6 6 6 6+ 7 9+ 10 10+ 11+ 13 16 17+ 19+ 20+ 22 23 25+ 32+ 32+ 34+ 35+',
  placebo: '1 1 2 2 3 4 4 5 5 8 8 8 8 11 11 12 12 15 17 22 23',
};

function trialRows(): Record<string, LakeRow[]> {
  const people = Object.entries(remissions).flatMap(([arm, weeks]) =>
    weeks.split(' ').map((text) => ({ arm, text })),
  );
  const values = people.flatMap(({ arm, text }, at): LakeRow[] => {
    const of = { patient_id: `p${at}`, sample_id: null, is_shown: true };
    const weeks = Number.parseInt(text, 10);
    return [
      { ...of, attribute_id: 'ARM', value: arm, number: null },
      { ...of, attribute_id: 'WEEKS', value: String(weeks), number: weeks },
      { ...of, attribute_id: 'SQUARE', value: '', number: weeks * weeks },
      // Numbers whose squares are none: those are texts, and two are left.
      { ...of, attribute_id: 'VAST', value: null, number: at < 2 ? at : at % 2 === 0 ? 1e200 : -1.7e308 },
      {
        ...of,
        attribute_id: 'STATUS',
        value: text.endsWith('+') ? '0:CENSORED' : '1:RELAPSED',
        number: null,
      },
    ];
  });
  const unknown = {
    patient_id: 'px',
    sample_id: null,
    is_shown: true,
    attribute_id: 'STATUS',
    value: 'perhaps',
    number: null,
  };
  return {
    patient: [...people.map((_, at) => ({ patient_id: `p${at}` })), { patient_id: 'px' }],
    attribute_value: [...values, unknown],
    timeline_event: [
      { patient_id: 'p1', type: 'Treatment', start_day: 1, attributes: '{"AGENT":"A"}' },
      { patient_id: 'p1', type: 'Treatment', start_day: 9, attributes: '{"AGENT":"A"}' },
      { patient_id: 'p2', type: 'Treatment', start_day: 1, attributes: '{"AGENT":"B"}' },
      { patient_id: 'p2', type: 'SURGERY', start_day: 1, attributes: null },
    ],
  };
}

type WithoutId<A> = A extends unknown ? Omit<A, 'id'> : never;

describe('plots of studies', () => {
  let lake: StudyLake;
  before(async () => {
    lake = await openStudyLake(trialRows());
  });
  after(() => lake.close());

  const ask = async <R>(aggregate: WithoutId<Aggregate>, countsMin = 0): Promise<R> => {
    const aggregates = [{ ...aggregate, id: 'x' } as Aggregate];
    const request = { unit: 'patient' as const, filter: { and: [] }, aggregates, cohortIds: [] };
    return (await lake.study.answer(request, lake.asking(countsMin))).results['x'] as R;
  };
  const near = (value: number | undefined, expected: number): void =>
    assert.ok(value !== undefined && Math.abs(value - expected) < 5e-5, `${value} is not ${expected}`);

  test('survival by arm is that of a published trial', async () => {
    const { km } = await ask<{
      km: {
        leftOut: number;
        curves: {
          group: string;
          patients: number;
          events: number;
          median: number;
          steps: { time: number; survival: number; error: number; atRisk: number }[];
        }[];
      };
    }>({ kind: 'km', time: 'WEEKS', status: 'STATUS', group: 'ARM' });
    assert.deepEqual(
      km.curves.map(({ group, patients, events, median }) => [group, patients, events, median]),
      [
        ['6-MP', 21, 9, 23],
        ['placebo', 21, 21, 8],
      ],
    );
    const [drug] = km.curves;
    const at = (time: number) => drug?.steps.find((step) => step.time === time);
    for (const [time, survival] of [
      [6, 0.8571],
      [7, 0.8067],
      [10, 0.7529],
      [13, 0.6902],
      [16, 0.6275],
      [22, 0.5378],
      [23, 0.4482],
    ] as const)
      near(at(time)?.survival, survival);
    near(at(6)?.error, 0.07636);
    near(at(23)?.error, 0.13459);
    assert.deepEqual([at(6)?.atRisk, at(7)?.atRisk, at(23)?.atRisk], [21, 17, 6]);
    const all = await ask<{ km: { leftOut: number } }>({ kind: 'km', time: 'WEEKS', status: 'STATUS' });
    assert.equal(all.km.leftOut, 1);
  });

  test('boxes have the quartiles of each group', async () => {
    const { box } = await ask<{ box: { groups: Record<string, number | string>[] } }>({
      kind: 'box',
      number: 'WEEKS',
      group: 'ARM',
    });
    const placebo = {
      group: 'placebo',
      count: 21,
      low: 1,
      q1: 4,
      median: 8,
      q3: 12,
      high: 23,
      mean: 182 / 21,
    };
    assert.deepEqual(
      box.groups.find(({ group }) => group === 'placebo'),
      placebo,
    );
  });

  test('the density holds every pair once, and monotonous pairs have a rank correlation of one', async () => {
    const { density } = await ask<{
      density: { count: number; spearman: number; pearson: number; cells: { count: number }[] };
    }>({
      ...{ kind: 'density', x: 'WEEKS', y: 'SQUARE', side: 4 },
    });
    assert.equal(density.count, 42);
    assert.equal(
      density.cells.reduce((sum, { count }) => sum + count, 0),
      42,
    );
    near(density.spearman, 1);
    assert.ok(density.pearson < 1 && density.pearson > 0.9);
  });

  test('numbers beyond all measures are texts, and two pairs have no correlation', async () => {
    const groups = ['6-MP', 'placebo'].map((arm) => ({ id: arm, filter: { attribute: 'ARM', in: [arm] } }));
    const { density } = await ask<{ density: Record<string, unknown> }>({
      ...{ kind: 'density', x: 'VAST', y: 'WEEKS', side: 4 },
    });
    assert.deepEqual([density['count'], density['pearson'], density['spearman']], [2, null, null]);
    const { enrichment } = await ask<{ enrichment: { items: { test: string }[] } }>({
      ...{ kind: 'enrichment', groups, attributes: ['VAST'] },
    });
    assert.deepEqual(
      enrichment.items.map(({ test }) => test),
      ['fisher'],
    );
    const { points } = await ask<{ points: { count: number; points: { x: unknown }[] } }>({
      ...{ kind: 'points', x: 'VAST', y: 'WEEKS' },
    });
    assert.equal(points.count, 42);
    assert.equal(points.points.filter(({ x }) => typeof x === 'number').length, 2);
  });

  test('events and treatments count patients once', async () => {
    assert.deepEqual(await ask({ kind: 'events' }), {
      events: {
        items: [
          { name: 'Treatment', events: 3, patients: 2 },
          { name: 'SURGERY', events: 1, patients: 1 },
        ],
        names: 2,
      },
    });
    assert.deepEqual(await ask({ kind: 'treatments', top: 1 }), {
      treatments: { items: [{ name: 'A', events: 2, patients: 1 }], names: 2 },
    });
  });

  test('a region has the subjects whose points are in it, on plain and logarithmic scales', async () => {
    const corners = [
      { x: 1, y: 1 },
      { x: 100, y: 1 },
      { x: 100, y: 10_000 },
    ];
    const counted = async (region: LeafOf<'region'>['region'], not = false): Promise<number | null> => {
      const filter = not ? { not: { region } } : { region };
      const aggregates: Aggregate[] = [{ id: 'x', kind: 'count' }];
      const asked = { unit: 'patient' as const, filter, aggregates, cohortIds: [] };
      return (await lake.study.answer(asked, lake.asking())).matched.patients;
    };
    const region = { x: 'WEEKS', y: 'SQUARE', corners };
    // Squares are below the straight side. On a logarithmic scale only the two of the first corner are.
    assert.equal(await counted(region), 42);
    assert.equal(await counted(region, true), 43 - 42);
    assert.equal(await counted({ ...region, logs: ['y'] }), 2);
    assert.equal(await counted({ x: 'WEEKS', y: 'ARM', corners }), 0);
    const faults = (filter: unknown): string => {
      try {
        readStudy({ unit: 'patient', filter });
        return '';
      } catch (error) {
        return JSON.stringify((error as { details?: unknown }).details);
      }
    };
    const low = [{ x: 0, y: 1 }, ...corners];
    assert.match(faults({ region: { ...region, corners: low, logs: ['x'] } }), /corners\/0\/x.*above 0/);
    assert.match(faults({ region: { ...region, corners: corners.slice(1) } }), /corners/);
  });

  test('values of single patients are refused where small counts are hidden', async () => {
    for (const aggregate of [
      { kind: 'km', time: 'WEEKS', status: 'STATUS' },
      { kind: 'box', number: 'WEEKS', group: 'ARM' },
      { kind: 'density', x: 'WEEKS', y: 'SQUARE' },
    ] as const) {
      const { error } = await ask<{ error: { code: string } }>(aggregate, 5);
      assert.equal(error.code, 'SMALL_COUNTS_ONLY');
    }
  });
});
