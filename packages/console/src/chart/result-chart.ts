import * as Plot from '@observablehq/plot';
import { sequence, trackColours } from '../design/palette.ts';
import type { Drawing } from './Chart.tsx';
import { chartOf, nameAxis, nameWidth, uprightNameMax } from './kinds.ts';
import { grouped, headingOf, type Measure, measured, type Rows } from './measured.ts';

/** Kinds of charts that are built from any result. */
export const chartKinds = ['bar', 'line', 'scatter', 'box', 'histogram', 'heat map'] as const;
type ChartKind = (typeof chartKinds)[number];

/** Places of the bars of one name. */
export const barLayouts = ['stacked', 'beside', 'share'] as const;
type BarLayout = (typeof barLayouts)[number];

/** Choices of a chart. */
export interface ChartChoice {
  kind: ChartKind;
  x: string;
  /** Measured column; of a heat map the column upwards. */
  y: string;
  /** Column of the colours; of a heat map the measured column. */
  colour: string | undefined;
  measure: Measure;
  layout: BarLayout;
}

/** Chart of a result, and the rows that it draws. */
interface ResultChart {
  title: string;
  data: Rows;
  options: Drawing;
}

/** Returns the chart of a choice. Its data are the measured rows, so that a file of them has the numbers that are seen. */
export function resultChart(rows: Rows, choice: ChartChoice): ResultChart {
  const { kind, x, y, colour, measure } = choice;
  if (kind === 'heat map') return heatMap(rows, choice);
  const isEach = kind === 'box' || kind === 'histogram' || kind === 'scatter';
  const { rows: named, groups } =
    colour === undefined ? { rows, groups: [] } : grouped(rows, colour, trackColours.length);
  const by = colour === undefined ? [x] : [x, colour];
  const data = isEach ? named : measured(named, { value: y, by, measure });
  const value = isEach ? y : headingOf(measure, y);
  const suffix = colour === undefined ? '' : `, by ${colour}`;
  const title = kind === 'histogram' ? `${x}${suffix}` : `${value} by ${x}${suffix}`;
  if (colour === undefined) return { title, data, options: chartOf(kind, data, x, value) };
  return { title, data, options: coloured(choice, data, value, { name: colour, groups }) };
}

interface Colours {
  name: string;
  groups: string[];
}

function coloured(
  { kind, x, layout }: ChartChoice,
  data: Rows,
  y: string,
  { name, groups }: Colours,
): Drawing {
  const color = { legend: true, domain: groups, range: [...trackColours] };
  const axes: Plot.PlotOptions = { color, height: 340, x: { label: x }, y: { grid: true, label: y } };
  switch (kind) {
    case 'line':
      return { ...axes, marks: [Plot.lineY(data, { x, y, stroke: name, tip: true, sort: x })] };
    case 'scatter':
      return { ...axes, marks: [Plot.dot(data, { x, y, stroke: name, tip: true })] };
    case 'box':
      return {
        ...axes,
        x: { axis: null },
        fx: { label: x },
        marks: [Plot.boxY(data, { fx: x, x: name, y, fill: name })],
      };
    case 'histogram': {
      const inputs = { x, fill: name, tip: true } as Plot.BinXInputs<Plot.RectYOptions>;
      return {
        ...axes,
        y: { grid: true, label: 'rows' },
        marks: [Plot.rectY(data, Plot.binX({ y: 'count' }, inputs))],
      };
    }
    default:
      return colouredBars({ x, y, name, groups, layout }, data, color);
  }
}

interface Bars extends Colours {
  x: string;
  y: string;
  layout: BarLayout;
}

function colouredBars({ x, y, name, groups, layout }: Bars, data: Rows, color: Plot.ScaleOptions): Drawing {
  const names = [...new Set(data.map((row) => row[x]))];
  const texts = names.map((one) => String(one ?? ''));
  const offset = layout === 'share' ? { offset: 'normalize' as const } : {};
  const size = {
    grid: true,
    label: layout === 'share' ? `share of ${y}` : y,
    ...(layout === 'share' && { percent: true }),
  };
  const isBeside = layout === 'beside';
  if (!texts.some((text) => text.length > uprightNameMax)) {
    const place = isBeside ? { fx: x, x: name } : { x };
    const scale = { domain: names as string[], label: x };
    return {
      ...{ color, height: 340, marginBottom: 56, y: size },
      ...(isBeside
        ? { fx: scale, x: { axis: null } }
        : { x: { ...scale, tickRotate: names.length > 5 ? -30 : 0 } }),
      marks: [Plot.barY(data, { ...place, y, fill: name, tip: true, ...offset }), Plot.ruleY([0])],
    };
  }
  return (width) => {
    const room = nameWidth(texts, width);
    const rowHeight = isBeside ? 16 * groups.length : 24;
    const place = isBeside ? { fy: x, y: name } : { y: x };
    const scale = { domain: names as string[], label: null };
    return {
      ...{
        color,
        marginLeft: room,
        marginRight: 24,
        x: size,
        height: Math.max(120, names.length * rowHeight + 60),
      },
      ...(isBeside ? { fy: scale, y: { axis: null } } : { y: scale }),
      marks: [
        ...(isBeside ? [] : [nameAxis(room)]),
        Plot.barX(data, { ...place, x: y, fill: name, tip: true, ...offset }),
        Plot.ruleX([0]),
      ],
    };
  };
}

/** Cells of two columns, coloured by the measure of a third one; by the number of rows without one. */
function heatMap(rows: Rows, { x, y, colour, measure: wanted }: ChartChoice): ResultChart {
  const measure = colour === undefined || wanted === 'none' ? 'count' : wanted;
  const value = headingOf(measure, colour ?? y);
  const data = measured(rows, { value: colour ?? y, by: [x, y], measure });
  const names = [...new Set(data.map((row) => String(row[y] ?? '')))];
  const options: Drawing = (width) => {
    const room = nameWidth(names, width);
    return {
      ...{
        marginLeft: room,
        marginBottom: 72,
        padding: 0.05,
        height: Math.max(160, names.length * 24 + 110),
      },
      color: { legend: true, label: value, range: [sequence[0], '#062b42'], interpolate: 'lab' },
      x: { type: 'band', label: x, tickRotate: -30 },
      y: { type: 'band', label: null },
      marks: [nameAxis(room), Plot.cell(data, { x, y, fill: value, tip: true })],
    };
  };
  return { title: `${value} by ${x} and ${y}`, data, options };
}
