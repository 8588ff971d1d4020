import * as Plot from '@observablehq/plot';
import { type PointerEvent, useMemo, useRef, useState } from 'react';
import { Chart, svgIn } from '../../chart/Chart.tsx';
import { categories, mainColour, sequence } from '../../design/palette.ts';
import { ButtonLink } from '../../shell/links.tsx';
import { readConditions, writeConditions } from '../../study/conditions.ts';
import type { Plotted, Point } from './axes.ts';

interface Props {
  project: string;
  plotted: Plotted;
  names: { x: string; y: string; colour?: string };
  /** Letters of the axes on a logarithmic scale. */
  logs: string;
  /** Attributes whose ranges a drawn rectangle chooses, and the conditions that there are. */
  chosen: { x: string; y: string; filter: string | undefined } | undefined;
}

/** Points that are drawn each; more are drawn as a density. */
const dotsMax = 5000;
/** Values of a category up to which bars are stacked; more are drawn as a heat map. */
const stackedMax = 6;

/** Rectangle of two ranges. */
interface Ranges {
  x: [from: number, to: number];
  y: [from: number, to: number];
}

/** Drawing of two axes. A rectangle that is drawn over numbers leads to the study with its ranges as conditions. */
export function PlotFigure({ project, plotted, names, logs, chosen }: Props) {
  const options = useMemo(() => optionsOf(plotted, names, logs), [plotted, names, logs]);
  const [ranges, setRanges] = useState<Ranges>();
  const area = useRef<HTMLDivElement>(null);
  const start = useRef<[number, number]>(undefined);
  const mayChoose = plotted.kind === 'numbers' && chosen !== undefined;
  const place = (event: PointerEvent): [number, number] | undefined => placeIn(area.current, event);
  const inside = ranges && plotted.points.filter((one) => isInside(one, ranges)).length;
  return (
    <div
      ref={area}
      onPointerDown={(event) => {
        start.current = mayChoose ? place(event) : undefined;
      }}
      onPointerUp={(event) => {
        const [from, to] = [start.current, place(event)];
        if (from && to && from[0] !== to[0] && from[1] !== to[1]) setRanges(rangesOf(from, to));
        start.current = undefined;
      }}
    >
      <Chart title={`${names.y} by ${names.x}`} data={plotted.points} options={options}>
        {mayChoose && ranges && (
          <ButtonLink
            size="compact-xs"
            variant="default"
            to="/projects/$project"
            params={{ project }}
            search={{ filter: filterOf(chosen, ranges) }}
          >
            {`${inside?.toLocaleString()} in the rectangle: open in the study`}
          </ButtonLink>
        )}
      </Chart>
    </div>
  );
}

/** Returns the values under a pointer, by the scales of the drawing. */
function placeIn(area: Element | null, event: PointerEvent): [number, number] | undefined {
  const svg = svgIn(area?.querySelector('.chart') ?? null);
  const drawn = area?.querySelector('.chart > svg, .chart > figure');
  const scaleOf: unknown = drawn && Reflect.get(drawn, 'scale');
  if (!svg || typeof scaleOf !== 'function') return undefined;
  const box = svg.getBoundingClientRect();
  const invert = (name: string, pixel: number): number => Number(scaleOf.call(drawn, name)?.invert?.(pixel));
  const found: [number, number] = [
    invert('x', event.clientX - box.left),
    invert('y', event.clientY - box.top),
  ];
  return found.every(Number.isFinite) ? found : undefined;
}

const rangesOf = ([x0, y0]: [number, number], [x1, y1]: [number, number]): Ranges => ({
  x: [Math.min(x0, x1), Math.max(x0, x1)],
  y: [Math.min(y0, y1), Math.max(y0, y1)],
});

const isInside = ({ x, y }: Point, ranges: Ranges): boolean =>
  Number(x) >= ranges.x[0] &&
  Number(x) <= ranges.x[1] &&
  Number(y) >= ranges.y[0] &&
  Number(y) <= ranges.y[1];

/** Adds the ranges of a rectangle to the conditions of a study. */
function filterOf({ x, y, filter }: NonNullable<Props['chosen']>, ranges: Ranges): string {
  const range = ([gte, lte]: [number, number]) => [
    { gte: Number(gte.toPrecision(6)), lte: Number(lte.toPrecision(6)) },
  ];
  return writeConditions([
    ...readConditions(filter),
    { is: { attribute: x, ranges: range(ranges.x) } },
    { is: { attribute: y, ranges: range(ranges.y) } },
  ]);
}

function optionsOf({ kind, points, line }: Plotted, names: Props['names'], logs: string): Plot.PlotOptions {
  const hasColour = points.some(({ colour }) => colour !== undefined);
  const isScale = points.every(({ colour }) => colour === undefined || typeof colour === 'number');
  const color: Plot.ScaleOptions = {
    ...(hasColour && { legend: true, label: names.colour ?? null }),
    ...(isScale
      ? { range: [sequence[0], categories[4]], type: 'linear' }
      : { range: [...categories], type: 'categorical' }),
  };
  const axes = {
    height: 420,
    marginLeft: 60,
    marginBottom: 48,
    color,
    x: { label: names.x, ...(logs.includes('x') && { type: 'log' as const }) },
    y: { grid: true, label: names.y, ...(logs.includes('y') && { type: 'log' as const }) },
  };
  if (kind === 'numbers')
    return { ...axes, marks: [...dotMarks(points, hasColour), ...lineMarks(points, line, logs)] };
  if (kind === 'boxes') {
    const isUpright = points.some(({ x }) => typeof x === 'string');
    const marks = isUpright
      ? [Plot.boxY(points, { x: 'x', y: 'y', fill: mainColour, fillOpacity: 0.3 })]
      : [Plot.boxX(points, { x: 'x', y: 'y', fill: mainColour, fillOpacity: 0.3 })];
    return { ...axes, marginLeft: isUpright ? 60 : 140, marks };
  }
  if (new Set(points.map(({ y }) => y)).size <= stackedMax)
    return {
      ...axes,
      color: { legend: true, label: names.y, range: [...categories], type: 'categorical' },
      y: { grid: true, label: 'subjects' },
      marks: [
        Plot.barY(points, Plot.groupX({ y: 'count' }, { x: 'x', fill: 'y', tip: true })),
        Plot.ruleY([0]),
      ],
    };
  return {
    ...axes,
    marginLeft: 140,
    color: { legend: true, label: 'subjects', range: [sequence[0], categories[4]] },
    marks: [Plot.cell(points, Plot.group({ fill: 'count' }, { x: 'x', y: 'y', tip: true }))],
  };
}

function dotMarks(points: readonly Point[], hasColour: boolean): Plot.Markish[] {
  const isCategory = points.some(({ colour }) => typeof colour === 'string');
  const list = points.map((one) => ({ ...one, ...(isCategory && { colour: one.colour ?? 'no value' }) }));
  if (list.length > dotsMax)
    return [
      Plot.rect(
        list,
        Plot.bin({ fill: 'count' }, { x: 'x', y: 'y', thresholds: 50 } as Plot.BinInputs<Plot.RectOptions>),
      ),
    ];
  return [
    Plot.dot(list, { x: 'x', y: 'y', r: 3, fillOpacity: 0.6, fill: hasColour ? 'colour' : mainColour }),
    Plot.tip(list, Plot.pointer({ x: 'x', y: 'y' })),
  ];
}

/** Draws the line with its interval. On logarithmic scales it is that of the logarithms. */
function lineMarks(points: readonly Point[], line: Plotted['line'], logs: string): Plot.Markish[] {
  if (!line) return [];
  const of = (value: number): number => (logs.includes('x') ? Math.log10(value) : value);
  const back = (axis: 'x' | 'y', value: number): number => (logs.includes(axis) ? 10 ** value : value);
  const places = points.map(({ x }) => of(Number(x)));
  const [low, high] = [
    places.reduce((one, next) => Math.min(one, next)),
    places.reduce((one, next) => Math.max(one, next)),
  ];
  const rows = Array.from({ length: 41 }, (_, at) => {
    const x = low + ((high - low) * at) / 40;
    const found = line.at(x);
    return { x: back('x', x), y: back('y', found.y), low: back('y', found.low), high: back('y', found.high) };
  });
  return [
    Plot.areaY(rows, { x: 'x', y1: 'low', y2: 'high', fillOpacity: 0.15 }),
    Plot.line(rows, { x: 'x', y: 'y', stroke: categories[4], strokeWidth: 2 }),
  ];
}
