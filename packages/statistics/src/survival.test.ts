/** Survival against values of R's survival package and lifelines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cox } from './cox.ts';
import { eventRatio, logRank } from './log-rank.ts';
import { proportionality } from './schoenfeld.ts';
import { atRiskAt, type Followed, kaplanMeier, survivalAt } from './survival.ts';

/** Parses times; `+` marks a censored one. */
const read = (text: string): Followed[] =>
  text.split(' ').map((one) => ({ time: Number.parseInt(one, 10), isEvent: !one.endsWith('+') }));
/** Weeks of remission in acute leukaemia (Freireich 1963). */
const treated = read('6 6 6 6+ 7 9+ 10 10+ 11+ 13 16 17+ 19+ 20+ 22 23 25+ 32+ 32+ 34+ 35+');
const placebo = read('1 1 2 2 3 4 4 5 5 8 8 8 8 11 11 12 12 15 17 22 23');

const near = (found: number | null | undefined, wanted: number, message?: string): void => {
  const tolerance = 6e-7 * Math.max(1, Math.abs(wanted)) * (Math.abs(wanted) < 1e-3 ? 1e-3 : 1);
  assert.ok(found != null && Math.abs(found - wanted) <= tolerance, message ?? `${found} is not ${wanted}`);
};

test('the curve of the remission trial has the shares, errors and intervals of R', () => {
  const curve = kaplanMeier(treated);
  const shares = [6, 7, 10, 13, 16, 22, 23].map((time) => survivalAt(curve, time)?.survival.toFixed(4));
  assert.deepEqual(shares, ['0.8571', '0.8067', '0.7529', '0.6902', '0.6275', '0.5378', '0.4482']);
  const ends = [6, 23].map((time) => survivalAt(curve, time));
  assert.deepEqual(
    ends.map((step) => [step?.error?.toFixed(4), step?.low?.toFixed(4), step?.high?.toFixed(4)]),
    [
      ['0.0764', '0.7198', '1.0000'],
      ['0.1346', '0.2488', '0.8074'],
    ],
  );
  assert.deepEqual([curve.median, kaplanMeier(placebo).median], [23, 8]);
});

test('the median has the interval of R: where the limits of the curve cross one half', () => {
  const { medianLow, medianHigh } = kaplanMeier(treated);
  assert.deepEqual([medianLow, medianHigh], [16, null]);
  const other = kaplanMeier(placebo);
  assert.deepEqual([other.medianLow, other.medianHigh], [4, 12]);
});

test('numbers at risk are those before the events of the time', () => {
  assert.deepEqual(atRiskAt(treated, [0, 6, 7, 10, 20, 35, 36]), [21, 21, 17, 15, 8, 1, 0]);
});

test('the log-rank test of the remission trial has the events and χ² of R', () => {
  const found = logRank([treated, placebo]);
  near(found?.statistic, 16.792941);
  near(found?.p, 4.168809e-5);
  near(found?.groups[0]?.expected, 19.250501);
  near(found?.groups[1]?.expected, 10.749499);
  assert.deepEqual(
    found?.groups.map(({ observed }) => observed),
    [9, 21],
  );
  const ratio = found && eventRatio(found);
  near(ratio?.ratio, 4.178598);
  near(ratio?.low, 1.981214);
  near(ratio?.high, 8.813121);
});

test("Cox's estimate of the remission trial is that of R with the method of Efron", () => {
  const subjects = [treated, placebo].flatMap((group, at) =>
    group.map((one) => ({ ...one, covariates: [at] })),
  );
  const [hazard] = cox(subjects) ?? [];
  near(hazard?.coefficient, 1.572125);
  near(hazard?.error, 0.412397);
  near(hazard?.ratio, 4.816873);
  near(hazard?.low, 2.146508);
  near(hazard?.high, 10.809307);
});

test('the hazards of the remission trial are proportional by the residuals of Schoenfeld, as in lifelines', () => {
  const subjects = [treated, placebo].flatMap((group, at) =>
    group.map((one) => ({ ...one, covariates: [at] })),
  );
  const found = proportionality(subjects, cox(subjects) ?? []);
  near(found?.statistic, 0.004312);
  near(found?.p, 0.947644);
  assert.equal(found?.degrees, 1);
  near(found?.each[0]?.p, 0.947644);
});

test('hazards of groups whose curves cross are not proportional', () => {
  const early = Array.from({ length: 30 }, (_, at) => ({ time: 1 + at / 10, isEvent: at % 3 > 0 }));
  const late = Array.from({ length: 30 }, (_, at) => ({ time: 3 + at / 40, isEvent: at % 3 > 0 }));
  const crossing = [...early, ...early, { time: 20, isEvent: false }, { time: 20, isEvent: false }];
  const subjects = [crossing, late].flatMap((group, at) =>
    group.map((one) => ({ ...one, covariates: [at] })),
  );
  const p = proportionality(subjects, cox(subjects) ?? [])?.p;
  assert.ok(p !== undefined && p < 0.01, String(p));
  const one = [0, 1, 1].map((at) => ({ time: 5, isEvent: true, covariates: [at] }));
  assert.equal(proportionality(one, cox(one) ?? []), undefined);
});

/** Entry, exit, event. */
const late: [number, number, number][] = [
  [0, 4, 1],
  [2, 5, 1],
  [3, 9, 0],
  [0, 7, 1],
  [5, 8, 1],
  [4, 10, 0],
  [1, 6, 1],
  [6, 12, 1],
];

test('subjects who enter late are at risk from then on', () => {
  const followed = late.map(([entry, time, event]) => ({ entry, time, isEvent: event === 1 }));
  const at = (curve: ReturnType<typeof kaplanMeier>) =>
    [4, 5, 6, 7, 8, 12].map((time) => Number(survivalAt(curve, time)?.survival.toFixed(10)));
  assert.deepEqual(at(kaplanMeier(followed)), [0.8, 0.64, 0.512, 0.4096, 0.3072, 0]);
  const whole = followed.map(({ time, isEvent }) => ({ time, isEvent }));
  assert.deepEqual(at(kaplanMeier(whole)), [0.875, 0.75, 0.625, 0.5, 0.375, 0]);
  const none = kaplanMeier([...followed, { entry: 5, time: 5, isEvent: true }]);
  assert.deepEqual([none.excluded, none.subjects], [1, 8]);
});

test('the log-rank test of three groups has the values of R', () => {
  const found = logRank([read('5 8 12 12+ 20+'), read('3 4 6 9+ 15'), read('10+ 14 18+ 22 25+')]);
  near(found?.statistic, 5.081653);
  near(found?.p, 0.07880123);
  assert.equal(found?.degrees, 2);
  assert.deepEqual(
    found?.groups.map(({ observed }) => observed),
    [3, 4, 2],
  );
  assert.deepEqual(
    found?.groups.map(({ expected }) => expected.toFixed(6)),
    ['2.513728', '1.773302', '4.712970'],
  );
});

test('without events, with one group, or with one side of events there is no test', () => {
  assert.equal(logRank([read('5+ 7+'), read('6+')]), undefined);
  assert.equal(logRank([treated]), undefined);
  assert.equal(logRank([treated, []]), undefined);
  const oneSided = [
    ...read('1 2 3').map((one) => ({ ...one, covariates: [1] })),
    ...read('5+ 6+ 7+').map((one) => ({ ...one, covariates: [0] })),
  ];
  assert.equal(cox(oneSided), undefined);
  assert.equal(cox(treated.map((one) => ({ ...one, covariates: [1, 1] }))), undefined);
  assert.deepEqual(kaplanMeier([]).steps, []);
});

test('survival behind the last observation is not known, unless it is 0', () => {
  assert.equal(survivalAt(kaplanMeier(treated), 36), undefined);
  assert.equal(survivalAt(kaplanMeier(placebo), 36)?.survival, 0);
  assert.equal(survivalAt(kaplanMeier(treated), 5)?.survival, 1);
});

test('values that are no times are refused', () => {
  for (const time of [Number.NaN, -1, Number.POSITIVE_INFINITY]) {
    const subjects = [{ time, isEvent: true, covariates: [1] }];
    assert.throws(() => kaplanMeier(subjects), RangeError);
    assert.throws(() => logRank([subjects, subjects]), RangeError);
    assert.throws(() => cox(subjects), RangeError);
  }
  assert.throws(() => cox([{ time: 1, isEvent: true, covariates: [Number.NaN] }]), RangeError);
});
