import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { randomOf } from '../../../../../../../samples/generator/random.ts';
import { randomStudy } from '../random-study.fixture.ts';
import { openStudyLake, type StudyLake } from '../study-lake.fixture.ts';
import type { Criterion, Moment, Timed } from './shapes.ts';

/** Rows with events, diagnoses, measurements and deaths close to each other. */
function randomRows() {
  const rows = randomStudy(5, 60);
  const { next } = randomOf(6);
  const day = (): number => Math.floor(next() * 60);
  const date = (from = 0): string => new Date(Date.UTC(2020, 0, 1 + from + day())).toISOString().slice(0, 10);
  const patients = [...Array(60).keys()].map((n) => `p${n}`);
  rows['timeline_event'] = patients.flatMap((patient_id) =>
    Array.from({ length: Math.floor(next() * 6) }, () => {
      const start_day = day();
      const stop_day = next() < 0.5 ? null : start_day + Math.floor(next() * 20);
      const type = next() < 0.5 ? 'TREATMENT' : next() < 0.5 ? 'SURGERY' : 'STATUS';
      const attributes = JSON.stringify({ AGENT: next() < 0.5 ? 'A' : 'B' });
      return { patient_id, sample_id: null, type, start_day, stop_day, attributes };
    }),
  );
  rows['observation'] = patients.flatMap((patient_id) =>
    Array.from({ length: Math.floor(next() * 5) }, (_, n) => ({
      ...{
        patient_id,
        id: `${patient_id}-${n}`,
        code: next() < 0.5 ? 'a' : 'b',
        effective_date: next() < 0.1 ? null : date(),
      },
      ...{ component_index: next() < 0.2 ? 0 : null, value_quantity: Math.round(next() * 10) },
    })),
  );
  for (const row of rows['condition'] ?? []) row['onset_date'] = next() < 0.1 ? null : date();
  for (const row of rows['demographic'] ?? []) row['deceased_date'] = next() < 0.4 ? date(40) : null;
  return rows;
}

const moments: Readonly<Record<'timeline' | 'dates', fc.Arbitrary<Moment>>> = {
  timeline: fc.constantFrom<Moment[]>(
    { of: 'event' },
    { of: 'event', codes: ['TREATMENT'] },
    { of: 'event', codes: ['SURGERY', 'STATUS'] },
    { of: 'event', codes: ['TREATMENT'], agents: ['A'] },
  ),
  dates: fc.constantFrom<Moment[]>(
    { of: 'condition' },
    { of: 'condition', codes: ['a', 'b'] },
    { of: 'observation', value: { gte: 4, lt: 9 } },
    { of: 'observation', codes: ['a'] },
    { of: 'death' },
  ),
};

const optional = { requiredKeys: [] };
const days = fc.integer({ min: -30, max: 30 });
const timedOf = (event: fc.Arbitrary<Moment>): fc.Arbitrary<{ timed: Timed; event: Moment }> => {
  const criterion = fc.record(
    {
      event,
      countMin: fc.integer({ min: 0, max: 2 }),
      countMax: fc.integer({ min: 0, max: 2 }),
      within: fc.record({ from: days, to: days, of: fc.constantFrom('start', 'end') }, optional),
    },
    { requiredKeys: ['event'] },
  );
  const rule = fc.record(
    {
      name: fc.constant('Rule'),
      criteria: fc.array(criterion, { minLength: 1, maxLength: 2 }),
      need: fc.constantFrom('all', 'any'),
      off: fc.boolean(),
    },
    { requiredKeys: ['name', 'criteria'] },
  );
  const timed = fc.record(
    {
      index: fc.record(
        {
          event,
          which: fc.constantFrom('first', 'last', 'every'),
          priorDays: fc.integer({ min: 0, max: 20 }),
        },
        { requiredKeys: ['event'] },
      ),
      rules: fc.array(rule, { maxLength: 3 }),
      exit: fc.record({ afterDays: fc.integer({ min: 0, max: 40 }), event }, optional),
      censor: fc.array(event, { minLength: 1, maxLength: 2 }),
    },
    { requiredKeys: ['index'] },
  );
  return fc.record({ timed, event }) as fc.Arbitrary<{ timed: Timed; event: Moment }>;
};

/** Everything that happens to patients, by plain SQL. */
const happenings = `
  SELECT 'event' AS kind, rowid AS id, patient_id, start_day AS day, stop_day AS stop, type AS code, NULL AS value,
    CASE type WHEN 'TREATMENT' THEN attributes ->> 'AGENT' END AS agent FROM timeline_event
  UNION ALL SELECT 'condition', rowid, patient_id, onset_date - DATE '1970-01-01', abatement_date - DATE '1970-01-01', code, NULL, NULL FROM condition WHERE verification_status IS DISTINCT FROM 'refuted'
  UNION ALL SELECT 'observation', rowid, patient_id, effective_date - DATE '1970-01-01', NULL, code, value_quantity, NULL FROM observation WHERE component_index IS NULL
  UNION ALL SELECT 'death', rowid, patient_id, deceased_date - DATE '1970-01-01', NULL, NULL, NULL, NULL FROM demographic`;

const listed = (texts: readonly string[]): string => texts.map((one) => `'${one}'`).join(', ');

/** Condition on a happening `m` of the patient of `i`, other than `i`. */
const isOf = ({ of, codes, agents, value }: Moment, m: string): string =>
  [
    `${m}.kind = '${of}'`,
    ...(codes ? [`${m}.code IN (${listed(codes)})`] : []),
    ...(agents ? [`${m}.agent IN (${listed(agents)})`] : []),
    ...(value?.gte === undefined ? [] : [`${m}.value >= ${value.gte}`]),
    ...(value?.lt === undefined ? [] : [`${m}.value < ${value.lt}`]),
  ].join(' AND ');
const isOther = 'm.patient_id = i.patient_id AND (m.kind <> i.kind OR m.id <> i.id)';

function plainCriterion({ event, countMin, countMax, within }: Criterion): string {
  const base = within?.of === 'end' ? 'greatest(i.day, i.stop)' : 'i.day';
  const tests = [
    isOf(event, 'm'),
    isOther,
    ...(within?.from === undefined ? [] : [`m.day - ${base} >= ${within.from}`]),
    ...(within?.to === undefined ? [] : [`m.day - ${base} <= ${within.to}`]),
  ];
  const n = `(SELECT count(*) FROM h AS m WHERE ${tests.join(' AND ')})`;
  return `(${n} BETWEEN ${countMin ?? (countMax === undefined ? 1 : 0)} AND ${countMax ?? 99})`;
}

/** SELECT of the index events that pass these steps, by plain SQL. */
function plainEvents({ index }: Timed, steps: readonly string[]): string {
  const { event, which = 'first' } = index;
  const key = (one: string): string => `(${one}.day, coalesce(${one}.stop, 1e9), ${one}.code)`;
  const sign = which === 'last' ? '>' : '<';
  const isFirst =
    which === 'every'
      ? 'true'
      : `NOT EXISTS (SELECT 1 FROM h AS j WHERE j.patient_id = i.patient_id AND ${isOf(event, 'j')} AND ${key('j')} ${sign} ${key('i')})`;
  return `SELECT * FROM h AS i WHERE ${[isOf(event, 'i'), isFirst, ...steps].join(' AND ')}`;
}

function plainSteps({ index, rules = [] }: Timed): string[] {
  const isOfClock = index.event.of === 'event' ? "k.kind = 'event'" : "k.kind <> 'event'";
  return [
    ...(index.priorDays === undefined
      ? []
      : [
          `(SELECT min(k.day) FROM h AS k WHERE k.patient_id = i.patient_id AND ${isOfClock}) <= i.day - ${index.priorDays}`,
        ]),
    ...rules
      .filter(({ off }) => !off)
      .map(
        ({ criteria, need }) => `(${criteria.map(plainCriterion).join(need === 'any' ? ' OR ' : ' AND ')})`,
      ),
  ];
}

/** SELECT of the days and the outcome of each member, by plain SQL. */
function plainFollowed(timed: Timed, event: Moment): string {
  const isOfClock = timed.index.event.of === 'event' ? "k.kind = 'event'" : "k.kind <> 'event'";
  const next = (moment: Moment): string =>
    `(SELECT min(m.day) FROM h AS m WHERE ${isOf(moment, 'm')} AND ${isOther} AND m.day >= i.day)`;
  const ends = [
    `(SELECT max(greatest(k.day, k.stop)) FROM h AS k WHERE k.patient_id = i.patient_id AND ${isOfClock})`,
    ...(timed.exit?.afterDays === undefined ? [] : [`i.day + ${timed.exit.afterDays}`]),
    ...[...(timed.exit?.event ? [timed.exit.event] : []), ...(timed.censor ?? [])].map(next),
  ];
  return `SELECT least(${[next(event), ...ends].join(', ')}) - i.day AS time, coalesce(${next(event)} <= least(${ends.join(', ')}), false) AS happened
    FROM (SELECT * FROM (${plainEvents(timed, plainSteps(timed))})
      QUALIFY row_number() OVER (PARTITION BY patient_id ORDER BY day, stop NULLS LAST, code NULLS LAST) = 1) AS i`;
}

describe('cohorts with time', () => {
  let lake: StudyLake;
  let universe: string;
  before(async () => {
    lake = await openStudyLake(randomRows());
    const all = await lake.study.subjects(
      { unit: 'patient', filter: { and: [] } },
      { rowsMax: 999, after: undefined },
      lake.asking(),
    );
    universe = listed(all.map(({ patientId }) => patientId));
  });
  after(() => lake.close());

  const plain = (select: string) =>
    lake.rows(
      `WITH h AS (SELECT * FROM (${happenings}) WHERE day IS NOT NULL AND patient_id IN (${universe})) ${select}`,
    );

  for (const clock of ['timeline', 'dates'] as const) {
    test(`members, steps and follow-up are those of plain SQL, by ${clock}`, async () => {
      let members = 0;
      let events = 0;
      await fc.assert(
        fc.asyncProperty(timedOf(moments[clock]), async ({ timed, event }) => {
          const steps = plainSteps(timed);
          const left = await plain(
            `SELECT DISTINCT patient_id FROM (${plainEvents(timed, steps)}) ORDER BY patient_id`,
          );
          const ids = left.map((row) => row['patient_id']);
          const request = { unit: 'patient', filter: { timed } } as const;
          const found = await lake.study.subjects(request, { rowsMax: 999, after: undefined }, lake.asking());
          assert.deepEqual(
            found.map(({ patientId }) => patientId),
            ids,
          );
          members += ids.length;

          const groups = [{ id: 'all', filter: { and: [] } }];
          const answer = await lake.study.answer(
            {
              ...{ unit: 'patient', filter: { and: [] }, cohortIds: [] },
              aggregates: [
                { id: 'left', kind: 'attrition', timed },
                { id: 'curve', kind: 'survival', groups, timed, event },
              ],
            },
            lake.asking(),
          );
          const counts = await Promise.all(
            [...Array(steps.length + 1).keys()].map(async (at) => {
              const [row] = await plain(
                `SELECT count(DISTINCT patient_id) AS patients, count(*) AS events FROM (${plainEvents(timed, steps.slice(0, at))})`,
              );
              return [Number(row?.['patients']), Number(row?.['events'])];
            }),
          );
          const [, ...shown] = Object(answer.results['left'])['attrition'].steps;
          assert.deepEqual(
            shown.map((one: { patients: number; events: number }) => [one.patients, one.events]),
            counts,
          );

          const followed = await plain(plainFollowed(timed, event));
          const [curve] = Object(answer.results['curve'])['survival'].curves;
          const happened = followed.filter((row) => row['happened']);
          assert.deepEqual([curve.patients, curve.events], [followed.length, happened.length]);
          events += happened.length;
          const times = curve.steps.flatMap((one: { time: number; events: number; censored: number }) =>
            Array<number>(one.events + one.censored).fill(one.time),
          );
          assert.deepEqual(
            times,
            followed.map((row) => Number(row['time'])).sort((one, next) => one - next),
          );
        }),
        { numRuns: 60 },
      );
      assert.ok(members > 200 && events > 40, `${members} members, ${events} events`);
    });
  }
});
