import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { keptSql } from '../../../../../../test/support/kept-sql.ts';
import type { DuckdbSql } from '../../../../../engine/src/duckdb.ts';
import { aggregateAnswer } from './aggregate.ts';
import { universeTables, withRelations } from './analytics.ts';
import { Compiler } from './compile.ts';
import type { Bar } from './histogram.ts';
import type { Query } from './query.ts';
import { readQuery, readStringQuery } from './read/read-query.ts';
import { Parameters } from './sql-text.ts';

/** Parses a finite double into an integer times a power of ten, from its text. */
function decimal(number: number): { digits: bigint; power: number } {
  const [text = '', exponent = '0'] = String(number).split('e');
  const [whole = '', fraction = ''] = text.split('.');
  return { digits: BigInt(whole + fraction), power: Number(exponent) - fraction.length };
}

/** Returns `number / 10 ** power` as an integer. */
const scaled = (number: number, power: number): bigint => {
  const { digits, power: own } = decimal(number);
  return digits * 10n ** BigInt(own - power);
};

/**
 * Computes the bars with integers of any length: an edge is the double nearest to a multiple of the width.
 */
function exactBars(values: readonly number[], width: number): Bar[] {
  const bars = new Map<number, Bar>();
  for (const value of values) {
    const power = Math.min(decimal(width).power, decimal(value).power);
    const step = scaled(width, power);
    const end = (place: bigint): number => Number(`${place * step}e${power}`);
    let place = scaled(value, power) / step - 1n;
    while (value >= end(place + 1n)) place += 1n;
    const bar = bars.get(end(place)) ?? { from: end(place), to: end(place + 1n), count: 0 };
    bars.set(bar.from, { ...bar, count: bar.count + 1 });
  }
  return [...bars.values()].sort((one, other) => one.from - other.from);
}

/** Computes the tenths of a range of decimals. */
function exactTenths(values: readonly number[], all: readonly number[]): Bar[] {
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const power = Math.min(decimal(low).power, decimal(high).power);
  const [first, last] = [scaled(low, power), scaled(high, power)];
  const end = (at: number): number => Number(`${first * BigInt(10 - at) + last * BigInt(at)}e${power - 1}`);
  return Array.from({ length: 10 }, (_, at) => {
    const [from, to] = [end(at), end(at + 1)];
    const isIn = (value: number): boolean => value >= from && (value < to || at === 9);
    return { from, to, count: values.filter(isIn).length };
  }).filter(({ count }) => count > 0);
}

/** Returns the next double above or below. */
function neighbour(number: number, direction: 1 | -1): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, number);
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(number < 0 ? -direction : direction));
  return number === 0 ? direction * Number.MIN_VALUE : view.getFloat64(0);
}

describe('histograms', () => {
  let sql: DuckdbSql;
  before(async () => {
    sql = await keptSql(256 * 2 ** 20);
  });

  /** Returns the buckets of a query over observations of these values, by code. */
  async function ask(query: Query, groups: Record<string, readonly (number | null)[]>) {
    const compiler = new Compiler(new Parameters());
    const { sql: body, data } = aggregateAnswer(query, compiler);
    const rows = Object.entries(groups).flatMap(([code, values]) =>
      values.map((value) => `('p', '${code}', CAST(${value === null ? 'NULL' : `'${value}'`} AS DOUBLE))`),
    );
    const observation = `SELECT * FROM (VALUES ${rows.join(', ')}) AS t(patient_id, code, value_quantity)`;
    const names = [...new Set([...compiler.tables, ...universeTables])];
    const lake = [[{ name: 'observation', files: [], sql: observation }]];
    const found = await sql.jsonRows(withRelations(body, names, lake), compiler.parameters.values);
    return (
      data(found) as { buckets: { key: { code?: string }; count: number; metrics: { value: Bar[] }[] }[] }
    ).buckets;
  }

  const optionsOf = (interval?: number, groupBy: string[] = []) => ({
    groupBy,
    metrics: [{ op: 'histogram', field: 'value_quantity', ...(interval !== undefined && { interval }) }],
  });
  const queryOf = (interval?: number, groupBy?: string[]) =>
    readQuery({ target: 'observation', domain: 'aggregate', options: optionsOf(interval, groupBy) }, 'query');

  async function barsOf(values: readonly (number | null)[], interval?: number): Promise<Bar[]> {
    const [bucket] = await ask(queryOf(interval), { a: values });
    return bucket?.metrics[0]?.value ?? [];
  }

  const tenths = Array.from({ length: 71 }, (_, at) => (350 + at) / 10);

  test('a value on an edge is in the bar that begins there, and edges show no rounding errors', async () => {
    const values = [-0.3, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2];
    const bars = (width: number) => values.map((from) => ({ from, to: to(from, width), count: 1 }));
    const to = (from: number, width: number): number => Math.round((from + width) * 100) / 100;
    assert.deepEqual(await barsOf(values, 0.1), bars(0.1));
    assert.deepEqual(await barsOf(values, 0.05), bars(0.05));
    assert.deepEqual(
      (await barsOf(tenths, 0.1)).map(({ from, count }) => [from, count]),
      tenths.map((value) => [value, 1]),
    );
    assert.deepEqual(await barsOf([-3, -1, 0, 2, 5, 6], 3), [
      { from: -3, to: 0, count: 2 },
      { from: 0, to: 3, count: 2 },
      { from: 3, to: 6, count: 1 },
      { from: 6, to: 9, count: 1 },
    ]);
  });

  test('tenths of a range include the values on their lower edges, and the last one its upper edge', async () => {
    const values = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
    assert.deepEqual(
      await barsOf(values),
      values.slice(0, 10).map((from, at) => ({ from, to: values[at + 1] ?? 0, count: at === 9 ? 2 : 1 })),
    );
    const negative = values.map((value) => value - 1).map((value) => Math.round(value * 10) / 10);
    assert.deepEqual(
      (await barsOf(negative)).map(({ from, count }) => [from, count]),
      negative.slice(0, 10).map((from, at) => [from, at === 9 ? 2 : 1]),
    );
    assert.deepEqual(await barsOf([0.3, 0.3]), [{ from: 0.3, to: 0.3, count: 2 }]);
  });

  test('missing, non-numeric and infinite values belong to no bar and affect none', async () => {
    const values = [null, Number.NaN, Infinity, -Infinity, 0.3, 1.3];
    const bars = await barsOf(values, 0.1);
    assert.deepEqual(bars, [
      { from: 0.3, to: 0.4, count: 1 },
      { from: 1.3, to: 1.4, count: 1 },
    ]);
    assert.deepEqual(await barsOf(values), [
      { from: 0.3, to: 0.4, count: 1 },
      { from: 1.2, to: 1.3, count: 1 },
    ]);
    assert.deepEqual(await barsOf([null]), []);
    assert.deepEqual(await barsOf([null, Number.NaN], 0.1), []);
  });

  test('edges are equal in all groups, and the text form yields the same bars', async () => {
    const groups = { a: [0, 0.3, 0.7], b: [0.3, 1], c: [null] };
    for (const interval of [0.1, undefined]) {
      const expected = (values: readonly number[]): Bar[] =>
        interval === undefined ? exactTenths(values, [0, 1]) : exactBars(values, interval);
      const buckets = await ask(queryOf(interval, ['code']), groups);
      const answered = Object.fromEntries(buckets.map(({ key, metrics }) => [key.code, metrics[0]?.value]));
      assert.deepEqual(answered, { a: expected([0, 0.3, 0.7]), b: expected([0.3, 1]), c: [] });
      const text = readStringQuery('SELECT observations FROM observation', optionsOf(interval, ['code']), {
        text: 't',
        options: 'o',
      });
      assert.deepEqual(await ask(text, groups), buckets);
    }
  });

  const width = fc.oneof(
    fc.constantFrom(0.1, 0.05, 0.25, 0.3, 0.01, 0.7, 1, 2.5, 7, 1000, 1e-7, 3e-12, 1e6, 1e22),
    fc
      .tuple(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: -12, max: 3 }))
      .map(([n, power]) => Number(`${n}e${power}`)),
  );

  test('for any width, every value is in the bar that exact arithmetic finds', async () => {
    const place = fc.oneof(fc.integer({ min: -50, max: 50 }), fc.integer({ min: -1e9, max: 1e9 }));
    const kind = fc.constantFrom('edge', 'above', 'below', 'within');
    await fc.assert(
      fc.asyncProperty(
        width,
        fc.array(fc.tuple(place, kind, fc.double({ min: 0, max: 1, noNaN: true })), {
          minLength: 1,
          maxLength: 40,
        }),
        async (interval, wanted) => {
          const { digits, power } = decimal(interval);
          const values = wanted.map(([at, where, part]) => {
            const edge = Number(`${BigInt(at) * digits}e${power}`);
            if (where === 'within') return edge + interval * part;
            return where === 'edge' ? edge : neighbour(edge, where === 'above' ? 1 : -1);
          });
          assert.deepEqual(await barsOf(values, interval), exactBars(values, interval));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('for any range of decimals, tenths equal those of exact arithmetic', async () => {
    const value = fc.tuple(fc.integer({ min: -100_000, max: 100_000 }), fc.integer({ min: 0, max: 6 }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(value, { minLength: 2, maxLength: 40 }),
        fc.boolean(),
        async (wanted, even) => {
          const values = wanted.map(([digits, power]) => Number(`${digits}e-${even ? 1 : power}`));
          if (Math.min(...values) === Math.max(...values)) return;
          assert.deepEqual(await barsOf(values), exactTenths(values, values));
        },
      ),
      { numRuns: 150 },
    );
  });

  test('for any numbers and width, each value is within one shown bar, and bars do not overlap', async () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(0, Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, 2 ** 53, 1e15 + 0.125, 1 / 3),
    );
    const interval = fc.oneof(
      fc.constant(undefined),
      width,
      fc.constantFrom(Number.MIN_VALUE, Number.MAX_VALUE, 1e-300, 1e30, 1 / 3, 0.1 + 0.2),
      fc.double({ min: Number.MIN_VALUE, noNaN: true, noDefaultInfinity: true }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(number, { minLength: 1, maxLength: 30 }), interval, async (values, asked) => {
        const bars = await barsOf(values, asked);
        assert.equal(
          bars.reduce((sum, { count }) => sum + count, 0),
          values.length,
        );
        for (const [at, { from, to, count }] of bars.entries()) {
          assert.ok(Number.isFinite(from) && Number.isFinite(to) && to <= (bars[at + 1]?.from ?? to));
          const isLast = at === bars.length - 1 && (asked === undefined || to === Number.MAX_VALUE);
          const isIn = (one: number): boolean =>
            one >= from && (one < to || one === from || (isLast && one === to));
          assert.equal(count, values.filter(isIn).length, `${from} to ${to}`);
        }
      }),
      { numRuns: 500 },
    );
  });
});
