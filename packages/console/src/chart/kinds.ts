import * as Plot from '@observablehq/plot';

type Data = Record<string, unknown>[];

/** Kinds of charts that are built from any result. */
export const chartKinds = ['bar', 'line', 'scatter', 'box', 'histogram'] as const;
export type ChartKind = (typeof chartKinds)[number];

const colour = '#0c8599';
const rule = Plot.ruleY([0]);

/** Longer names than these do not fit below upright bars. */
const uprightNameMax = 14;

/** Bars with one number each, as they come. */
function barsOf(data: Data, x: string, y: string): Plot.PlotOptions {
  const isLong = data.some((row) => String(row[x] ?? '').length > uprightNameMax);
  if (isLong) return lyingBarsOf(data, x, y);
  return {
    marginBottom: 56,
    x: { domain: data.map((row) => row[x] as string), label: null, tickRotate: data.length > 5 ? -30 : 0 },
    y: { grid: true, label: y },
    marks: [Plot.barY(data, { x, y, fill: colour, tip: true }), rule],
  };
}

/** Horizontal bars: for long names. */
export function lyingBarsOf(data: Data, name: string, size: string): Plot.PlotOptions {
  return {
    marginLeft: 190,
    height: Math.max(80, data.length * 24 + 40),
    x: { grid: true, label: size },
    y: {
      domain: data.map((row) => row[name] as string),
      label: null,
      tickFormat: (text: string) => shortened(text),
    },
    marks: [Plot.barX(data, { x: size, y: name, fill: colour, tip: true })],
  };
}

/** Bars of a histogram with given ends. */
export function histogramOf(data: Data, from: string, to: string, size: string): Plot.PlotOptions {
  return {
    x: { label: null },
    y: { grid: true, label: size },
    marks: [Plot.rectY(data, { x1: from, x2: to, y: size, fill: colour, inset: 0.5, tip: true }), rule],
  };
}

/** Returns a chart of a kind over two columns. */
export function chartOf(kind: ChartKind, data: Data, x: string, y: string): Plot.PlotOptions {
  const axes: Plot.PlotOptions = { x: { label: x }, y: { grid: true, label: y } };
  switch (kind) {
    case 'bar':
      return barsOf(data, x, y);
    case 'line':
      return { ...axes, marks: [Plot.lineY(data, { x, y, stroke: colour, tip: true, sort: x })] };
    case 'scatter':
      return { ...axes, marks: [Plot.dot(data, { x, y, stroke: colour, tip: true })] };
    case 'box':
      return { ...axes, marks: [Plot.boxY(data, { x, y })] };
    case 'histogram':
      return {
        x: { label: x },
        y: { grid: true, label: 'rows' },
        marks: [
          Plot.rectY(
            data,
            Plot.binX({ y: 'count' }, { x, fill: colour, tip: true } as Plot.BinXInputs<Plot.RectYOptions>),
          ),
          rule,
        ],
      };
  }
}

function shortened(text: string): string {
  return text.length > 30 ? `${text.slice(0, 29)}…` : text;
}

/** Returns a number that holds from each time until the next one. */
export function stepsOf(data: Data, x: string, y: string): Plot.PlotOptions {
  return {
    x: { type: 'utc', label: null },
    y: { grid: true, label: y, zero: true },
    marks: [
      Plot.lineY(data, { x, y, curve: 'step-after', stroke: colour }),
      Plot.dot(data, { x, y, fill: colour, tip: true }),
    ],
  };
}

/** Bars of several groups on top of each other, at given places. */
export function stackedBars(
  data: Data,
  x: string,
  y: string,
  group: string,
  places: string[],
): Plot.PlotOptions {
  return {
    marginBottom: 56,
    color: { legend: true, scheme: 'Tableau10' },
    x: { domain: places, label: null, tickRotate: places.length > 5 ? -30 : 0 },
    y: { grid: true, label: y },
    marks: [Plot.barY(data, { x, y, fill: group, tip: true }), rule],
  };
}

/** Bars of several groups beside each other. */
export function comparedBars(data: Data, name: string, size: string, group: string): Plot.PlotOptions {
  const names = [...new Set(data.map((row) => row[name] as string))];
  const groups = new Set(data.map((row) => row[group])).size;
  return {
    width: 980,
    marginLeft: 260,
    height: names.length * (groups * 12 + 10) + 60,
    color: { legend: true, scheme: 'Tableau10' },
    x: { grid: true, label: size },
    y: { axis: null },
    fy: {
      domain: names,
      label: null,
      axis: 'left',
      tickFormat: (text: string) => shortened(text),
    } as Plot.ScaleOptions,
    marks: [Plot.barX(data, { x: size, y: group, fy: name, fill: group, tip: true })],
  };
}
