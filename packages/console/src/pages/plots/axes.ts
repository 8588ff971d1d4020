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
    words: [n, ...(found ? [`χ² = ${found.statistic.toFixed(2)}, p = ${shown(found.p)}${few}`] : [])],
  };
}

const shown = (value: number): string =>
  Math.abs(value) < 0.001 && value !== 0 ? value.toExponential(2) : value.toPrecision(3);

function correlationWords(x: number[], y: number[], line: Line | undefined, isLog: boolean): string[] {
  const [one, other] = [pearson(x, y), spearman(x, y)];
  return [
    ...(one ? [`Pearson r = ${shown(one.coefficient)}, p = ${shown(one.p)}`] : []),
    ...(other ? [`Spearman ρ = ${shown(other.coefficient)}, p = ${shown(other.p)}`] : []),
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
  return found ? [`${third ? 'Kruskal–Wallis' : 'Wilcoxon'} p = ${shown(found.p)}`] : [];
}
