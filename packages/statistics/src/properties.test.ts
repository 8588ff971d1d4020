/** Laws that hold for any data: order, units, names of groups and repetition change nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { correlationTails, pearson, regression, spearman } from './correlation.ts';
import { chiSquare, type FourCounts, fisherExact } from './counts.ts';
import { cox } from './cox.ts';
import { logRank } from './log-rank.ts';
import { momentsOf, varianceAnalysis, welch } from './means.ts';
import {
  adjusted,
  chiSquareTail,
  normalQuantile,
  normalTails,
  studentQuantile,
  studentTails,
  varianceRatioTail,
} from './probabilities.ts';
import { kruskalWallis, kruskalWallisOf, mannWhitney, mannWhitneyOf, ranksOf } from './ranks.ts';
import { type Followed, kaplanMeier } from './survival.ts';

const near = (one: number | undefined, other: number | undefined, tolerance = 1e-9): void => {
  if (one === undefined || other === undefined) assert.equal(one, other);
  else assert.ok(Math.abs(one - other) <= tolerance * Math.max(1, Math.abs(other)), `${one} is not ${other}`);
};

/** Values with ties and zeros. */
const values = fc.array(
  fc.integer({ min: 0, max: 12 }).map((value) => value / 4),
  { minLength: 1, maxLength: 25 },
);
const followed = fc.record({
  time: fc.integer({ min: 0, max: 10 }),
  isEvent: fc.boolean(),
  entry: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined }),
});
const subjects: fc.Arbitrary<Followed[]> = fc.array(
  followed.map(({ entry, ...one }) => (entry === undefined ? one : { ...one, entry })),
  { minLength: 1, maxLength: 30 },
);
const counts = fc.tuple(fc.nat(40), fc.nat(40), fc.nat(40), fc.nat(40));

const hold = <T>(arbitrary: fc.Arbitrary<T>, law: (value: T) => void): void =>
  fc.assert(fc.property(arbitrary, law), { numRuns: 1000 });

test("Fisher's test is the same by rows, by columns and transposed", () =>
  hold(counts, ([a, b, c, d]) => {
    const p = fisherExact([a, b, c, d]);
    assert.ok(p >= 0 && p <= 1);
    const same: FourCounts[] = [
      [b, a, d, c],
      [c, d, a, b],
      [a, c, b, d],
      [d, c, b, a],
    ];
    for (const table of same) near(fisherExact(table), p);
  }));

test("Fisher's test is the sum over all tables with the same margins", () =>
  hold(fc.tuple(fc.nat(8), fc.nat(8), fc.nat(8), fc.nat(8)), ([a, b, c, d]) => {
    const choose = (n: number, k: number): number =>
      Array.from({ length: k }, (_, at) => (n - at) / (at + 1)).reduce((all, part) => all * part, 1);
    const ways = (x: number): number => choose(a + b, x) * choose(c + d, a + c - x);
    const all = Array.from({ length: a + c + 1 }, (_, x) => x).filter(
      (x) => x <= a + b && a + c - x <= c + d,
    );
    const sum = (list: number[]): number => list.reduce((total, x) => total + ways(x), 0);
    near(fisherExact([a, b, c, d]), sum(all.filter((x) => ways(x) <= ways(a) * (1 + 1e-9))) / sum(all));
  }));

test('χ² does not depend on the order of rows or columns', () =>
  hold(fc.array(fc.tuple(fc.nat(30), fc.nat(30), fc.nat(30)), { minLength: 1, maxLength: 5 }), (table) => {
    const found = chiSquare(table);
    near(chiSquare(table.toReversed())?.statistic, found?.statistic);
    near(chiSquare(table.map((row) => row.toReversed()))?.p, found?.p);
  }));

test('tests of ranks depend on the order of values only', () =>
  hold(fc.tuple(values, values), ([one, other]) => {
    const rise = (list: number[]): number[] => list.map((value) => Math.exp(value) - 3);
    const found = mannWhitney(one, other);
    near(mannWhitney(rise(one), rise(other))?.p, found?.p);
    near(mannWhitney(other, one)?.p, found?.p);
    // With two groups χ² is the square of the normal statistic.
    const plain = mannWhitney(one, other, { continuity: false });
    if (plain?.method !== 'exact') near(kruskalWallis([one, other])?.p, plain?.p, 1e-8);
  }));

test('sums of ranks are enough for the tests of ranks', () =>
  hold(fc.tuple(values, values), ([one, other]) => {
    const { ranks, ties } = ranksOf([...one, ...other]);
    const sum = (list: number[]): number => list.reduce((all, rank) => all + rank, 0);
    const groups = [ranks.slice(0, one.length), ranks.slice(one.length)].map((list) => ({
      count: list.length,
      rankSum: sum(list),
    }));
    const [first, second] = groups;
    assert.ok(first && second);
    assert.deepEqual(mannWhitneyOf(first, second, ties), mannWhitney(one, other));
    assert.deepEqual(kruskalWallisOf(groups, ties), kruskalWallis([one, other]));
  }));

test('tests of means do not depend on the unit', () =>
  hold(fc.tuple(values, values, values), (groups) => {
    const scaled = groups.map((list) => list.map((value) => 32 * value - 7));
    const [one, other] = groups.map(momentsOf);
    const [first, second] = scaled.map(momentsOf);
    if (one && other && first && second) near(welch(first, second)?.p, welch(one, other)?.p);
    near(varianceAnalysis(scaled.map(momentsOf))?.p, varianceAnalysis(groups.map(momentsOf))?.p);
  }));

test('correlations depend neither on the unit nor on which value is first', () =>
  hold(fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 30 }), (pairs) => {
    const [x, y] = [pairs.map(([value]) => value), pairs.map(([, value]) => value)];
    const found = pearson(x, y);
    near(
      pearson(
        y.map((value) => 4 * value - 1),
        x,
      )?.coefficient,
      found?.coefficient,
    );
    near(
      spearman(
        x.map((value) => value ** 3),
        y,
      )?.p,
      spearman(y, x)?.p,
    );
    if (found) near(correlationTails(found.coefficient, found.count), found.p);
  }));

test('survival: a count stands for as many equal subjects', () =>
  hold(fc.tuple(subjects, subjects, fc.nat(3)), ([one, other, count]) => {
    const counted = one.map((subject) => ({ ...subject, count }));
    const repeated = one.flatMap((subject) => Array.from({ length: count }, () => subject));
    assert.deepEqual(kaplanMeier(counted), kaplanMeier(repeated));
    near(logRank([counted, other])?.statistic, logRank([repeated, other])?.statistic);
    const of = (list: typeof one, group: number) =>
      list.map((subject) => ({ ...subject, covariates: [group] }));
    near(
      cox([...of(counted, 0), ...of(other, 1)])?.[0]?.coefficient,
      cox([...of(repeated, 0), ...of(other, 1)])?.[0]?.coefficient,
      1e-6,
    );
  }));

test('a hazard ratio has an end where each group has events while the other is at risk, and only there', () =>
  hold(fc.tuple(subjects, subjects), ([one, other]) => {
    const kept = (list: Followed[]) => list.filter(({ entry, time }) => entry === undefined || entry < time);
    const meets = (events: Followed[], atRisk: Followed[]): boolean =>
      kept(events).some(
        ({ isEvent, time }) =>
          isEvent &&
          kept(atRisk).some(
            ({ entry, time: until }) => until >= time && (entry === undefined || entry < time),
          ),
      );
    const of = (list: Followed[], group: number) =>
      list.map((subject) => ({ ...subject, covariates: [group] }));
    const found = cox([...of(one, 0), ...of(other, 1)]);
    assert.equal(found !== undefined, meets(one, other) && meets(other, one));
  }));

test('survival falls from 1, within its limits, and counts each subject once', () =>
  hold(subjects, (list) => {
    for (const scale of ['log', 'log-log'] as const) {
      const { steps, subjects: kept, excluded } = kaplanMeier(list, scale);
      assert.equal(kept + excluded, list.length);
      assert.equal(
        steps.reduce((sum, { events, censored }) => sum + events + censored, 0),
        kept,
      );
      let before = 1;
      for (const { survival, low, high } of steps) {
        assert.ok(survival <= before && survival >= 0);
        if (low !== null && high !== null)
          assert.ok(low <= survival + 1e-12 && high >= survival - 1e-12 && high <= 1);
        before = survival;
      }
    }
  }));

test('the log-rank test depends neither on the order of groups nor on the unit of time', () =>
  hold(fc.tuple(subjects, subjects, subjects), ([one, other, third]) => {
    const found = logRank([one, other, third]);
    near(logRank([third, one, other])?.statistic, found?.statistic, 1e-7);
    near(logRank([other, third, one.toReversed()])?.p, found?.p, 1e-7);
    const days = (list: typeof one) =>
      list.map(({ time, entry, ...rest }) => ({
        ...rest,
        time: time * 30,
        ...(entry !== undefined && { entry: entry * 30 }),
      }));
    near(logRank([days(one), days(other), days(third)])?.statistic, found?.statistic, 1e-7);
    const events = found?.groups.reduce((sum, { observed, expected }) => sum + observed - expected, 0);
    if (events !== undefined) near(events, 0);
  }));

test('corrected p-values are not below the plain ones, and keep their order', () =>
  hold(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 40 }), (list) => {
    const found = adjusted(list);
    for (const [at, value] of list.entries()) {
      assert.ok((found[at] ?? -1) >= value - 1e-15 && (found[at] ?? 2) <= 1);
      for (const [other, second] of list.entries())
        if (value < second) assert.ok((found[at] ?? 2) <= (found[other] ?? 0) + 1e-15);
    }
  }));

test('quantiles leave a part of 0.05 in both tails', () => {
  near(normalTails(normalQuantile), 0.05, 1e-12);
  hold(fc.double({ min: 0.5, max: 1e6, noNaN: true }), (degrees) =>
    near(studentTails(studentQuantile(degrees), degrees), 0.05, 1e-10),
  );
});

/** Doubles of any size, with ties, zeros and values whose squares are no doubles. */
const anySize = fc.array(
  fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(0, -0, 1, 1e-320, 5e-324, 1e-160, 1e100, 1e200, -1e308, 1.7e308),
  ),
  { maxLength: 6 },
);

test('any numbers have an answer of finite numbers, or none: never one that is infinite or NaN', () =>
  hold(fc.tuple(anySize, anySize, anySize), (groups) => {
    const moments = groups.map(momentsOf);
    const [one = [], other = []] = groups;
    const length = Math.min(one.length, other.length);
    const [x, y] = [one.slice(0, length), other.slice(0, length)];
    const [first, second] = moments;
    assert.ok(first && second);
    const times = x.map((value) => ({ time: Math.abs(value), isEvent: value > 0, group: [value] }));
    const answers = [
      ...[welch(first, second), varianceAnalysis(moments), kruskalWallis(groups), mannWhitney(one, other)],
      ...[pearson(x, y), spearman(x, y), regression(x, y), logRank([times, times.slice(1)])],
      ...(cox(times.map((subject, at) => ({ ...subject, covariates: [y[at] ?? 0] }))) ?? []),
    ];
    for (const answer of answers)
      for (const value of Object.values(answer ?? {}).flat())
        if (typeof value === 'number') assert.ok(Number.isFinite(value), JSON.stringify(answer));
  }));

test('a power of two as the unit changes no test, unless squares leave the range of doubles', () =>
  hold(
    fc.tuple(
      fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { minLength: 4, maxLength: 9 }),
      fc.integer({ min: -400, max: 400 }),
    ),
    ([pairs, power]) => {
      const of = (unit: number) => {
        const [x, y] = [pairs.map(([value]) => value * unit), pairs.map(([, value]) => value / 4)];
        const scaled = y.map((value) => value * unit);
        return {
          ...{ line: regression(x, y)?.p, pearson: pearson(x, y)?.coefficient },
          ...{ welch: welch(momentsOf(x), momentsOf(scaled))?.degrees },
          anova: varianceAnalysis([momentsOf(x), momentsOf(scaled)])?.p,
        };
      };
      assert.deepEqual(of(2 ** power), of(1));
    },
  ));

test('tails are those of mpmath: many degrees of freedom, extreme values', () => {
  for (const [found, wanted] of [
    [studentTails(1.96, 1e6), 0.04999606758526979],
    [studentTails(30, 1e4), 2.044327047425571e-189],
    [studentTails(1e100, 1), 6.366197723675813e-101],
    [normalTails(37), 1.145114244504915e-299],
    [chiSquareTail(1300, 3), 1.47174371069801e-281],
    [chiSquareTail(1.001e6, 1e6), 0.2396768048255214],
    [varianceRatioTail(1.01, 1e5, 3e5), 0.02684512338042687],
    [varianceRatioTail(1e200, 3, 2), 1e-200],
    [fisherExact([500_000, 501_000, 502_000, 500_500]), 0.07759572875205638],
    [fisherExact([500, 0, 0, 500]), 7.399507995628054e-300],
  ] as const)
    near(found / wanted, 1, 1e-9);
});
