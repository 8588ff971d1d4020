import * as Plot from '@observablehq/plot';
import { categories, mainColour as colour, labelSize } from '../design/palette.ts';
import type { Drawing } from './Chart.tsx';

type Data = Record<string, unknown>[];

/** Kinds of charts in one colour. */
type ChartKind = 'bar' | 'line' | 'scatter' | 'box' | 'histogram';

/** Colours of groups, in the order of the palette. */
const groupColours = { legend: true, range: [...categories] };
const rule = Plot.ruleY([0]);

/** Longer names than these do not fit below upright bars. */
export const uprightNameMax = 14;

/** Bars with one number each, as they come. */
function barsOf(data: Data, x: string, y: string): Drawing {
  const isLong = data.some((row) => String(row[x] ?? '').length > uprightNameMax);
  if (isLong) return lyingBarsOf(data, x, y);
  return {
    marginBottom: 56,
    x: { domain: data.map((row) => row[x] as string), label: null, tickRotate: data.length > 5 ? -30 : 0 },
    y: { grid: true, label: y },
    marks: [Plot.barY(data, { x, y, fill: colour, tip: true }), rule],
  };
}

/** Largest share of a card that names of bars take. */
const nameShareMax = 0.45;
/** Mean width of a letter, in parts of its size. */
const letterShare = 0.56;

/** Returns the room that names need at the left, in pixels. Longer ones are cut, with the whole name as their tip. */
export function nameWidth(names: readonly string[], width: number): number {
  const longest = Math.max(0, ...names.map((name) => name.length));
  return Math.min(longest * labelSize * letterShare + 16, width * nameShareMax);
}

/** Axis at the left whose names are cut where they find no room. */
export function nameAxis(room: number): Plot.Markish {
  const lineWidth = (room - 14) / labelSize;
  return Plot.axisY({ label: null, tickSize: 0, lineWidth, textOverflow: 'ellipsis' } as Plot.AxisYOptions);
}

/** Returns whole numbers up to a highest one, some five of them. */
export function wholeTicks(highest: number): number[] {
  const step = Math.max(1, Math.ceil(highest / 5));
  return Array.from({ length: Math.floor(highest / step) + 1 }, (_, at) => at * step);
}

/** Returns ticks for a column of a few counts; other numbers get theirs by the library. */
function ticksOf(data: Data, size: string): { ticks?: number[] } {
  const numbers = data.map((row) => Number(row[size]));
  const isFew = numbers.every((number) => Number.isInteger(number) && number >= 0 && number < 10);
  return isFew ? { ticks: wholeTicks(Math.max(1, ...numbers)) } : {};
}

/** Horizontal bars: for long names. `height`: lowest height of the drawing in pixels. */
export function lyingBarsOf(data: Data, name: string, size: string, height = 80): Drawing {
  const names = data.map((row) => String(row[name]));
  return (width) => {
    const room = nameWidth(names, width);
    return {
      marginLeft: room,
      marginRight: 24,
      height: Math.max(height, data.length * 24 + 40),
      x: { grid: true, label: size, ...ticksOf(data, size) },
      y: { domain: data.map((row) => row[name] as string), label: null },
      marks: [nameAxis(room), Plot.barX(data, { x: size, y: name, fill: colour, tip: true })],
    };
  };
}

/** Returns a chart of a kind over two columns. */
export function chartOf(kind: ChartKind, data: Data, x: string, y: string): Drawing {
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
    color: groupColours,
    x: { domain: places, label: null, tickRotate: places.length > 5 ? -30 : 0 },
    y: { grid: true, label: y },
    marks: [Plot.barY(data, { x, y, fill: group, tip: true }), rule],
  };
}
