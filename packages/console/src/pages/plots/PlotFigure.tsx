import * as Plot from '@observablehq/plot';
import { type PointerEvent, useMemo, useRef, useState } from 'react';
import { Chart, svgIn } from '../../chart/Chart.tsx';
import { categories, mainColour, sequence } from '../../design/palette.ts';
import { ButtonLink } from '../../shell/links.tsx';
import { readConditions, writeConditions } from '../../study/conditions.ts';
import type { Unit } from '../../study/study.ts';
import { type Corner, cornersOf, isInRegion, type Plotted, type Point } from './axes.ts';
import { mayBeViolins, violinOptions } from './violins.ts';

interface Props {
  project: string;
  plotted: Plotted;
  names: { x: string; y: string; colour?: string };
  /** Letters of the axes on a logarithmic scale. */
  logs: string;
  /** Axes of which a drawn line chooses a region, and the conditions that there are; absent where one cannot. */
  chosen: { x: string; y: string; filter: string | undefined; unit: Unit } | undefined;
}

/** Points that are drawn each; more are drawn as a density. */
const dotsMax = 5000;
/** Values of a category up to which bars are stacked; more are drawn as a heat map. */
const stackedMax = 6;

/** Line that is drawn around points: pixels of the drawing, and values of the axes. */
interface Drawn {
  pixels: [number, number][];
  values: [number, number][];
}

/** Distance in pixels after which a line has its next corner. */
const cornerDistance = 4;

/** Drawing of two axes. A line around points of numbers leads to the study with its region as a condition. */
export function PlotFigure({ project, plotted, names, logs, chosen }: Props) {
  const options = useMemo(() => optionsOf(plotted, names, logs), [plotted, names, logs]);
  const [line, setLine] = useState<Drawn>();
  const [isDrawing, setDrawing] = useState(false);
  const area = useRef<HTMLDivElement>(null);
  const mayChoose = plotted.kind === 'numbers' && chosen !== undefined;
  const corners = useMemo(() => cornersOf(line?.values ?? []), [line]);
  const region = !isDrawing && corners.length > 2 ? corners : undefined;
  const inside = useMemo(
    () =>
      region &&
      plotted.points.filter(({ x, y }) => isInRegion({ x: Number(x), y: Number(y) }, region, logs)).length,
    [region, plotted, logs],
  );
  const extend = (event: PointerEvent, before: Drawn): void => {
    const at = placeIn(area.current, event);
    if (!at) return;
    const [x, y] = before.pixels.at(-1) ?? [Number.NEGATIVE_INFINITY, 0];
    if (Math.hypot(at.pixel[0] - x, at.pixel[1] - y) < cornerDistance) return;
    setLine({ pixels: [...before.pixels, at.pixel], values: [...before.values, at.value] });
  };
  return (
    <div
      ref={area}
      style={{ position: 'relative', ...(mayChoose && { userSelect: 'none' as const }) }}
      onPointerDownCapture={(event) => {
        const isOnDrawing = event.target instanceof Element && event.target.closest('.chart') !== null;
        if (!mayChoose || !isOnDrawing) return;
        // The drawing would pin the values of the nearest point.
        event.stopPropagation();
        setDrawing(true);
        setLine(undefined);
        extend(event, { pixels: [], values: [] });
      }}
      onPointerMove={(event) => isDrawing && extend(event, line ?? { pixels: [], values: [] })}
      onPointerUp={() => setDrawing(false)}
    >
      <Chart title={`${names.y} by ${names.x}`} data={plotted.points} options={options}>
        {region && chosen && (
          <ButtonLink
            size="compact-xs"
            variant="default"
            to="/projects/$project"
            params={{ project }}
            search={{ filter: filterOf(chosen, region, logs), unit: chosen.unit }}
          >
            {`${inside?.toLocaleString()} in the region: open in the study`}
          </ButtonLink>
        )}
      </Chart>
      {line && <LassoLine line={line} area={area.current} />}
    </div>
  );
}

/** Line of a region over its drawing. */
function LassoLine({ line: { pixels }, area }: { line: Drawn; area: HTMLElement | null }) {
  const svg = svgIn(area?.querySelector('.chart') ?? null);
  if (!svg || !area) return null;
  const [inner, outer] = [svg.getBoundingClientRect(), area.getBoundingClientRect()];
  return (
    <svg
      className="lasso"
      aria-hidden="true"
      style={{ left: inner.left - outer.left, top: inner.top - outer.top }}
      width={inner.width}
      height={inner.height}
    >
      <polygon points={pixels.map((one) => one.join()).join(' ')} fill={mainColour} stroke={mainColour} />
    </svg>
  );
}

/** Returns the place of a pointer in the drawing, in pixels and in the values of its scales. */
function placeIn(
  area: Element | null,
  event: PointerEvent,
): { pixel: [number, number]; value: [number, number] } | undefined {
  const svg = svgIn(area?.querySelector('.chart') ?? null);
  const drawn = area?.querySelector('.chart > svg, .chart > figure');
  const scaleOf: unknown = drawn && Reflect.get(drawn, 'scale');
  if (!svg || typeof scaleOf !== 'function') return undefined;
  const box = svg.getBoundingClientRect();
  const invert = (name: string, pixel: number): number => Number(scaleOf.call(drawn, name)?.invert?.(pixel));
  const pixel: [number, number] = [event.clientX - box.left, event.clientY - box.top];
  const value: [number, number] = [invert('x', pixel[0]), invert('y', pixel[1])];
  return value.every(Number.isFinite) ? { pixel, value } : undefined;
}

/** Adds a region to the conditions of a study. */
function filterOf({ x, y, filter }: NonNullable<Props['chosen']>, corners: Corner[], logs: string): string {
  const axes = (['x', 'y'] as const).filter((axis) => logs.includes(axis));
  const region = { x, y, ...(axes.length > 0 && { logs: axes }), corners };
  return writeConditions([...readConditions(filter), { is: { region } }]);
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
  if (kind === 'boxes' && mayBeViolins(points)) return { ...axes, ...violinOptions(points, names, logs) };
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
