import * as Plot from '@observablehq/plot';
import { labelSize, mainColour } from '../../design/palette.ts';
import { type Point, violinOf } from './axes.ts';

/** Groups that have room for a violin beside their box. */
const groupsMax = 12;
/** Places across a group, from -1 to 1: the box, and the beginning of the violin. */
const [boxFrom, boxTo, violinFrom] = [-0.62, -0.18, 0.02];

/** Reports whether groups of values have room for violins. */
export function mayBeViolins(points: readonly Point[]): boolean {
  const groups = new Set(points.map(({ x, y }) => (typeof x === 'number' ? y : x)));
  return groups.size > 0 && groups.size <= groupsMax;
}

/** Draws a box and the density of the values of each group. On a logarithmic scale both are of the logarithms. */
export function violinOptions(
  points: readonly Point[],
  names: { x: string; y: string },
  logs: string,
): Plot.PlotOptions {
  const isUpright = points.some(({ x }) => typeof x === 'string');
  const [number, group] = isUpright ? (['y', 'x'] as const) : (['x', 'y'] as const);
  const isLog = logs.includes(number);
  const [to, back] = isLog
    ? [Math.log10, (value: number): number => 10 ** value]
    : [Number, (value: number): number => value];
  const groups = [...Map.groupBy(points, (one) => String(one[group]))].map(([name, list]) => {
    const { density, outliers, ...box } = violinOf(list.map((one) => to(Number(one[number]))));
    const highest = density.reduce((most, { height }) => Math.max(most, height), 0);
    return {
      ...{ name, count: list.length, outliers: outliers.map(back) },
      ...{ q1: back(box.q1), median: back(box.median), q3: back(box.q3) },
      ...{ low: back(box.low), high: back(box.high) },
      density: density.map(({ value, height }) => ({ name, value: back(value), height: height / highest })),
    };
  });
  const facet = isUpright ? { fx: 'name' } : { fy: 'name' };
  // Across a group is the other axis of the drawing.
  const across = isUpright ? 'x' : 'y';
  const along = isUpright ? 'y' : 'x';
  const span = (from: number, end: number) => ({ [`${across}1`]: from, [`${across}2`]: end });
  const range = (from: string, end: string) => ({ [`${along}1`]: from, [`${along}2`]: end });
  const middle = (boxFrom + boxTo) / 2;
  const area = isUpright ? Plot.areaX : Plot.areaY;
  const rule = isUpright ? Plot.ruleY : Plot.ruleX;
  const stem = isUpright ? Plot.ruleX : Plot.ruleY;
  return {
    ...(isUpright
      ? { marginLeft: 60, marginTop: 46, fx: { label: names.x } }
      : { marginLeft: 140, fy: { label: names.y } }),
    [across]: { domain: [-1, 1], axis: null },
    [along]: { grid: true, nice: true, label: names[number], ...(isLog && { type: 'log' }) },
    marks: [
      area(
        groups.flatMap(({ density }) => density),
        {
          ...facet,
          [along]: 'value',
          [`${across}1`]: violinFrom,
          [`${across}2`]: ({ height }: { height: number }) => violinFrom + height * 0.9,
          ...{ fill: mainColour, fillOpacity: 0.35, stroke: mainColour },
        } as Plot.AreaYOptions & Plot.AreaXOptions,
      ),
      stem(groups, { ...facet, [across]: middle, ...range('low', 'high'), stroke: 'currentColor' }),
      Plot.rect(groups, {
        ...{ ...facet, ...span(boxFrom, boxTo), ...range('q1', 'q3') },
        ...{ fill: mainColour, fillOpacity: 0.35, stroke: 'currentColor' },
      }),
      rule(groups, {
        ...{ ...facet, ...span(boxFrom, boxTo), [along]: 'median', stroke: 'currentColor', strokeWidth: 2.5 },
      }),
      Plot.dot(
        groups.flatMap(({ name, outliers }) => outliers.map((value) => ({ name, value }))),
        { ...facet, [across]: middle, [along]: 'value', r: 2, stroke: 'currentColor' },
      ),
      Plot.text(groups, {
        ...{ ...facet, text: ({ count }: { count: number }) => `n = ${count}`, fontSize: labelSize },
        ...(isUpright ? { frameAnchor: 'top', dy: -10 } : { frameAnchor: 'right', dx: 4 }),
      }),
    ],
  };
}
