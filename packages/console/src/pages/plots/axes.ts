import {
  chiSquare,
  kruskalWallis,
  type Line,
  mannWhitney,
  pearson,
  regression,
  spearman,
} from '@ploidy/statistics';
import type { Attribute } from '../../study/study.ts';
import { statedP } from '../../words/dictionary.ts';

/** Subject with its values on the axes. */
export type Point = { x: number | string; y: number | string; colour?: number | string };

/** Values of the axes as they are drawn. */
export interface Plotted {
  kind: 'numbers' | 'boxes' | 'counts';
  points: Point[];
  /** Points that a logarithmic scale cannot show. */
  hidden: number;
  line?: Line | undefined;
  /** Sentences on the number of subjects and the tests. */
  words: string[];
}

const kinds = [
  ['expression', 'Expression of'],
  ['mutation', 'Mutations of'],
  ['copy_number', 'Copy number of'],
  ['fusion', 'Fusions of'],
] as const;

/** Options of an axis: all attributes, and those of a gene that is typed. */
export function axisOptions(attributes: readonly Attribute[], typed: string, chosen: string | undefined) {
  const gene = typed.trim().toUpperCase();
  const isGene = /^[A-Z][A-Z0-9-]{1,14}$/.test(gene);
  const listed = attributes.map(({ id, name }) => ({ value: id, label: name }));
  const ofGene = isGene ? kinds.map(([kind]) => `${kind}:${gene}`) : [];
  const own = chosen && !listed.some(({ value }) => value === chosen) ? [chosen] : [];
  const others = [...new Set([...own, ...ofGene])].map((value) => ({
    value,
    label: axisName(value, attributes),
  }));
  return [...listed, ...others];
}

/** Returns the name of an axis. */
export function axisName(axis: string, attributes: readonly Attribute[]): string {
  const attribute = attributes.find(({ id }) => id === axis);
  if (attribute) return attribute.unit ? `${attribute.name} (${attribute.unit})` : attribute.name;
  const [kind, gene = ''] = axis.split(':');
  const words = kinds.find(([one]) => one === kind)?.[1];
  return words === undefined ? axis : `${words} ${gene}`;
}

/** Corner of a region of a plot, in the values of its axes. */
export interface Corner {
  x: number;
  y: number;
}

/** Corners that an address names at most. */
const cornersMax = 60;

/** Rounds the corners of a drawn line, and leaves so many out that an address has room for them. */
export function cornersOf(line: readonly (readonly [x: number, y: number])[]): Corner[] {
  const step = Math.max(1, line.length / cornersMax);
  const kept = line.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
  return kept.map(([x, y]) => ({ x: Number(x.toPrecision(5)), y: Number(y.toPrecision(5)) }));
}

/** Reports whether a point is in a polygon, as the service evaluates it. `logs`: axes on a logarithmic scale. */
export function isInRegion(point: Corner, corners: readonly Corner[], logs: string): boolean {
  const scaled = (one: Corner): Corner => ({
    x: logs.includes('x') ? Math.log10(one.x) : one.x,
    y: logs.includes('y') ? Math.log10(one.y) : one.y,
  });
  const { x, y } = scaled(point);
  const places = corners.map(scaled);
  const crossed = places.filter((one, at) => {
    const next = places[(at + 1) % places.length] ?? one;
    const [low, high] = one.y <= next.y ? [one, next] : [next, one];
    return y >= low.y && y < high.y && (high.x - low.x) * (y - low.y) > (x - low.x) * (high.y - low.y);
  });
  return crossed.length % 2 === 1;
}

const isNumber = (value: unknown): value is number => typeof value === 'number';

/** Chooses the kind of the plot, and computes its tests. `logs`: axes on a logarithmic scale. */
export function plottedOf(points: readonly Point[], logs: { x: boolean; y: boolean }): Plotted {
  const isNumeric = (axis: 'x' | 'y'): boolean =>
    points.filter((one) => isNumber(one[axis])).length * 2 > points.length;
  const axes = { x: isNumeric('x'), y: isNumeric('y') };
  const fits = (one: Point, axis: 'x' | 'y'): boolean => {
    const value = one[axis];
    return !axes[axis] || (isNumber(value) && (!logs[axis] || value > 0));
  };
  const kept = points.filter((one) => fits(one, 'x') && fits(one, 'y'));
  const common = { points: kept, hidden: points.length - kept.length };
  const n = `n = ${kept.length.toLocaleString()}`;
  if (axes.x && axes.y) {
    const scaled = (axis: 'x' | 'y'): number[] =>
      kept.map((one) => (logs[axis] ? Math.log10(Number(one[axis])) : Number(one[axis])));
    const [x, y] = [scaled('x'), scaled('y')];
    const line = regression(x, y);
    return {
      ...common,
      kind: 'numbers',
      line,
      words: [n, ...correlationWords(x, y, line, logs.x || logs.y)],
    };
  }
  if (axes.x || axes.y) {
    const [number, group] = axes.x ? (['x', 'y'] as const) : (['y', 'x'] as const);
    const groups = [...Map.groupBy(kept, (one) => String(one[group])).values()].map((list) =>
      list.map((one) => Number(one[number])),
    );
    return { ...common, kind: 'boxes', words: [n, ...groupWords(groups)] };
  }
  const columns = [...new Set(kept.map(({ y }) => String(y)))];
  const rows = [...Map.groupBy(kept, ({ x }) => String(x)).values()];
  const found = chiSquare(
    rows.map((row) => columns.map((name) => row.filter(({ y }) => String(y) === name).length)),
  );
  const few = found && found.expectedMin < 5 ? '; the smallest expected count is below 5: approximate' : '';
  return {
    ...common,
    kind: 'counts',
    words: [n, ...(found ? [`χ² = ${found.statistic.toFixed(2)}, ${statedP(found.p)}${few}`] : [])],
  };
}

const shown = (value: number): string =>
  Math.abs(value) < 0.001 && value !== 0 ? value.toExponential(2) : value.toPrecision(3);

function correlationWords(x: number[], y: number[], line: Line | undefined, isLog: boolean): string[] {
  const [one, other] = [pearson(x, y), spearman(x, y)];
  return [
    ...(one ? [`Pearson r = ${shown(one.coefficient)}, ${statedP(one.p)}`] : []),
    ...(other ? [`Spearman ρ = ${shown(other.coefficient)}, ${statedP(other.p)}`] : []),
    ...(line
      ? [
          `Slope ${shown(line.slope)} (95 % interval ${shown(line.low)}–${shown(line.high)}), R² = ${line.explained.toFixed(3)}`,
        ]
      : []),
    ...(isLog ? ['computed with logarithms to base 10 of the axes on that scale'] : []),
  ];
}

function groupWords(groups: readonly number[][]): string[] {
  const [one, other, third] = groups;
  if (!one || !other) return [];
  const found = third ? kruskalWallis(groups) : mannWhitney(one, other);
  return found ? [`${third ? 'Kruskal–Wallis' : 'Wilcoxon'} ${statedP(found.p)}`] : [];
}

/** Distribution of the values of a group. */
interface Violin {
  q1: number;
  median: number;
  q3: number;
  /** Ends of the whiskers: the last values within 1.5 times the range of the quartiles (Tukey). */
  low: number;
  high: number;
  outliers: number[];
  /** Gaussian density from the lowest to the highest value, with the width of Silverman's rule; empty where all are equal. */
  density: { value: number; height: number }[];
}

/** Places at which a density is computed. */
const densityPlaces = 40;

/** Describes the values of a group, of which there is one or more. */
export function violinOf(values: readonly number[]): Violin {
  const sorted = values.toSorted((one, other) => one - other);
  const [q1, median, q3] = [0.25, 0.5, 0.75].map((share) => quantile(sorted, share)) as [
    number,
    number,
    number,
  ];
  const reach = 1.5 * (q3 - q1);
  const within = sorted.filter((value) => value >= q1 - reach && value <= q3 + reach);
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  const variance = sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (sorted.length - 1);
  const width = Math.sqrt(variance) * (0.75 * sorted.length) ** -0.2;
  const [low = median, high = median] = [within[0], within.at(-1)];
  const outliers = sorted.filter((value) => value < low || value > high);
  return { q1, median, q3, low, high, outliers, density: width > 0 ? densityOf(sorted, width) : [] };
}

function densityOf(sorted: readonly number[], width: number): Violin['density'] {
  const [from, to] = [sorted[0] ?? 0, sorted.at(-1) ?? 0];
  return Array.from({ length: densityPlaces + 1 }, (_, at) => {
    const value = from + ((to - from) * at) / densityPlaces;
    const sum = sorted.reduce((total, one) => total + Math.exp(-0.5 * ((value - one) / width) ** 2), 0);
    return { value, height: sum / (sorted.length * width * Math.sqrt(2 * Math.PI)) };
  });
}

/** Returns a quantile of sorted values by linear interpolation (type 7 of Hyndman and Fan 1996). */
function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(place)] ?? Number.NaN, sorted[Math.ceil(place)] ?? Number.NaN];
  return low + (high - low) * (place - Math.floor(place));
}
