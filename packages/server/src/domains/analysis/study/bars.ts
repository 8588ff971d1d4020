import type { Parameters } from '../analytics/index.ts';
import type { AggregateOf } from './aggregates.ts';
import type { Range } from './shapes.ts';

/** Bar of a numeric attribute: a range that a filter takes as it is, or a text that is no number. */
export type Bar = { range: Range; text?: never } | { text: string; range?: never };

/** Numbers that describe all values of an attribute, over all subjects. */
export interface Spread {
  /** Number of values. */
  n: number;
  /** Distinct values in ascending order, if they are few. */
  few: number[] | null;
  low: number;
  high: number;
  q1: number;
  median: number;
  q3: number;
  /** True if all values are whole. */
  isWhole: boolean;
  /** Values that are no numbers, if they are few. */
  texts: string[] | null;
}

/** Most distinct numbers that have a bar each. */
const fewMax = 10;
/** Most texts that have a bar each. */
const textsMax = 10;
/** Number of edges that a linear step must not exceed. */
const barsMax = 20;
/** Width of the box from which edges are half decades. */
const logFrom = 1000;
/** Median below which edges are powers of ten. */
const smallMedian = 0.001;

/** Chooses the bars of an attribute: custom edges, one bar per value, quantiles, decades, or a linear step. */
export function barsOf(aggregate: AggregateOf<'bins'>, spread: Spread): Bar[] {
  const numbers = spread.n === 0 ? [] : numericBars(aggregate, spread);
  return [...numbers, ...(spread.texts ?? []).map((text) => ({ text }))];
}

function numericBars(
  { attribute, edges, size, anchor = 0, method = 'auto' }: AggregateOf<'bins'>,
  spread: Spread,
): Bar[] {
  const { few, low, high } = spread;
  if (edges)
    return between(
      [...new Set(edges)].sort((one, next) => one - next),
      spread,
    );
  if (size !== undefined) return between(steps(size, anchor, low, high), spread);
  if (method === 'median') return between([spread.median], spread);
  if (method === 'quartiles') return between([...new Set([spread.q1, spread.median, spread.q3])], spread);
  if (few) return few.map((value) => ({ range: { gte: value, lte: value } }));
  if (method === 'log') return between(halfDecades(low, high), spread);
  return between(automatic(attribute, spread), spread);
}

/** Chooses edges within the box of 1.5 interquartile ranges; values outside of it have a bar at each end. */
function automatic(attribute: string, spread: Spread): number[] {
  const { low, high, q1, q3, median, isWhole } = spread;
  const reach = 1.5 * (q3 - q1);
  const from = Math.max(low, q1 - reach);
  const to = Math.min(high, q3 + reach);
  if (to - from > logFrom) return halfDecades(from, to);
  if (median !== 0 && Math.abs(median) < smallMedian) return decades(from, to);
  const edges = linear(from, to, isWhole);
  const startsAdult = isAge(attribute) && low < adultAge && to > adultAge;
  return startsAdult ? [adultAge, ...edges.filter((edge) => edge > adultAge)] : edges;
}

const adultAge = 18;
const isAge = (attribute: string): boolean => /(^|[._])age$/i.test(attribute);

function linear(from: number, to: number, isWhole: boolean): number[] {
  for (let power = isWhole ? 0 : -3; power <= 4; power += 1) {
    for (const factor of [1, 2, 2.5, 5]) {
      const step = rounded(factor * 10 ** power);
      // Single steps of 2.5 read badly; 0.25 and 25 do not.
      if (step === 2.5) continue;
      const edges = steps(step, 0, from, to);
      if (edges.length <= barsMax) return edges;
    }
  }
  return halfDecades(from, to);
}

/** Multiples of a step, from an anchor, that cover a range; at most a hundred. */
function steps(step: number, anchor: number, from: number, to: number): number[] {
  const first = Math.floor((from - anchor) / step);
  const last = Math.ceil((to - anchor) / step);
  const count = Math.min(last - first, edgesMax - 1);
  return Array.from({ length: count + 1 }, (_, at) => rounded(anchor + (first + at) * step));
}

const edgesMax = 100;

/** Rounds a sum of decimals to twelve digits, so that three times 0.1 is 0.3. */
const rounded = (value: number): number => Number(value.toPrecision(12));

/** Half decades with sign, ⌊10^(k/2)⌋, that cover a range. */
function halfDecades(from: number, to: number): number[] {
  const edge = (k: number): number =>
    k === 0 ? 0 : Math.sign(k) * Math.floor(10 ** ((Math.abs(k) - 1) / 2));
  const all = Array.from({ length: 2 * halvesMax + 1 }, (_, at) => edge(at - halvesMax));
  return covering([...new Set(all)], from, to);
}

/** Half decades up to 10^20 in each direction. */
const halvesMax = 41;

function decades(from: number, to: number): number[] {
  const powers = Array.from({ length: 2 * decadesMax }, (_, at) => Number(`1e${at - decadesMax}`));
  return covering([...powers.map((power) => -power).reverse(), 0, ...powers], from, to);
}

const decadesMax = 20;

/** Keeps the edges within a range, and one on each side. */
function covering(edges: number[], from: number, to: number): number[] {
  const before = edges.filter((edge) => edge < from).at(-1);
  const behind = edges.find((edge) => edge >= to);
  return edges.filter(
    (edge) => edge >= (before ?? Number.NEGATIVE_INFINITY) && edge <= (behind ?? Number.POSITIVE_INFINITY),
  );
}

/** Makes bars (from, to] between edges, with an open one at each end for values beyond. */
function between(edges: readonly number[], { low, high, isWhole }: Spread): Bar[] {
  const [first, ...others] = edges;
  if (first === undefined) return [];
  const last = others.at(-1) ?? first;
  const inner = others.map((to, at) => barOf(edges[at] ?? first, to, isWhole));
  return [
    ...(low <= first ? [{ range: { lte: first } }] : []),
    ...inner,
    ...(high > last ? [{ range: { gt: last } }] : []),
  ];
}

/** Makes a bar; one that holds one whole number is that number. */
function barOf(from: number, to: number, isWhole: boolean): Bar {
  return isWhole && to - from === 1 && Number.isInteger(to)
    ? { range: { gte: to, lte: to } }
    : { range: { gt: from, lte: to } };
}

/** Builds the SQL of the place of the bar that a row of values belongs to. */
export function barsSql(bars: readonly Bar[], parameters: Parameters): string {
  const number = (value: number): string => parameters.add(value, 'DOUBLE');
  const cases = bars.map(({ range, text }, at) => {
    if (range === undefined)
      return `WHEN number IS NULL AND value = ${parameters.add(text, 'VARCHAR')} THEN ${at}`;
    const tests = [
      ...(range.gt === undefined ? [] : [`number > ${number(range.gt)}`]),
      ...(range.gte === undefined ? [] : [`number >= ${number(range.gte)}`]),
      ...(range.lte === undefined ? [] : [`number <= ${number(range.lte)}`]),
    ];
    return `WHEN ${tests.join(' AND ')} THEN ${at}`;
  });
  return cases.length === 0 ? 'CAST(NULL AS INTEGER)' : `CASE ${cases.join(' ')} END`;
}

/** Joins bars with their counts. With hidden counts, bars at the ends, and values without a count, are left out. */
export function shownBars(
  bars: readonly Bar[],
  counts: ReadonlyMap<number, number | null>,
  hides: boolean,
): (Bar & { count: number | null })[] {
  const absent = hides ? null : 0;
  const all = bars.map((bar, at) => ({ ...bar, count: counts.get(at) ?? absent }));
  if (!hides) return all;
  const seen = all.map(({ count }) => count !== null);
  const [from, to] = [seen.indexOf(true), seen.lastIndexOf(true)];
  return all.filter(
    ({ text, range, count }, at) =>
      at >= from && at <= to && (count !== null || (text === undefined && range.gte === undefined)),
  );
}

/** Builds the SELECT of the spread of an attribute over all subjects, as JSON. */
export function spreadSql(values: string): string {
  const numbers = `SELECT number AS x, row_number() OVER (ORDER BY number) - 1 AS place, count(*) OVER () AS n
    FROM ${values} WHERE number IS NOT NULL AND isfinite(number)`;
  const at = (share: string): string => `max(x) FILTER (place = floor(n * ${share}))`;
  return `SELECT to_json({'n': count(*), 'low': min(x), 'high': max(x), 'q1': ${at('0.25')}, 'median': ${at('0.5')},
    'q3': ${at('0.75')}, 'isWhole': coalesce(bool_and(x = floor(x)), false),
    'few': (SELECT CASE WHEN count(*) <= ${fewMax} THEN list(x ORDER BY x) END FROM (SELECT DISTINCT number AS x FROM ${values}
      WHERE number IS NOT NULL AND isfinite(number) LIMIT ${fewMax + 1})),
    'texts': (SELECT CASE WHEN count(*) <= ${textsMax} THEN list(t ORDER BY t) END FROM (SELECT DISTINCT value AS t FROM ${values}
      WHERE number IS NULL LIMIT ${textsMax + 1}))}) FROM (${numbers})`;
}
