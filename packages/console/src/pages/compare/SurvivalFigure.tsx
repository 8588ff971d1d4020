import { Switch } from '@mantine/core';
import * as Plot from '@observablehq/plot';
import { useMemo, useState } from 'react';
import type { Shape } from '../../api/lists.ts';
import { Chart, type Drawing } from '../../chart/Chart.tsx';
import { labelSize } from '../../design/palette.ts';
import { ticksUpTo } from './endpoints.ts';
import type { Drawn } from './groups.ts';

export type Survival = Shape<'StudyGroupSurvival'>;

interface Props {
  groups: readonly Drawn[];
  survival: Survival;
  /** Name of the endpoint, and unit of its times. */
  name: string;
  unit: string;
}

interface Point extends Record<string, unknown> {
  group: string;
  time: number;
  survival: number;
  low: number | null;
  high: number | null;
  atRisk: number;
  events: number;
  censored: number;
}

/** Curves of the groups with their intervals, crosses where observation ends, and numbers at risk below. */
export function SurvivalFigure({ groups, survival, name, unit }: Props) {
  const [hasIntervals, setIntervals] = useState(true);
  const points = useMemo(() => pointsOf(groups, survival), [groups, survival]);
  const options = useMemo(
    () => drawingOf({ groups, survival, points, unit, hasIntervals }),
    [groups, survival, points, unit, hasIntervals],
  );
  return (
    <Chart title={`Survival: ${name}`} data={points} options={options}>
      <Switch
        size="xs"
        label="95 % intervals"
        checked={hasIntervals}
        onChange={(event) => setIntervals(event.currentTarget.checked)}
      />
    </Chart>
  );
}

function pointsOf(groups: readonly Drawn[], { curves }: Survival): Point[] {
  return curves.flatMap(({ id, patients, steps }) => {
    const group = groups.find((one) => one.id === id)?.name ?? id;
    const percent = (value: number | null): number | null => (value === null ? null : value * 100);
    const start = {
      group,
      time: 0,
      survival: 100,
      low: 100,
      high: 100,
      atRisk: patients,
      events: 0,
      censored: 0,
    };
    return [
      start,
      ...steps.map(
        ({ time, survival, low, high, atRisk, events, censored }): Point => ({
          ...{
            group,
            time,
            survival: survival * 100,
            low: percent(low),
            high: percent(high),
            atRisk,
            events,
            censored,
          },
        }),
      ),
    ];
  });
}

/** Counts the subjects of a curve at risk at a time. */
function atRiskAt({ steps, patients }: Survival['curves'][number], time: number): number {
  return time === 0 ? patients : (steps.find((step) => step.time >= time)?.atRisk ?? 0);
}

/** Room of a row of numbers at risk, and of the axis above, in pixels. */
const rowHeight = 18;
const axisRoom = 62;
/** Longest name of a group beside its numbers, in letters. */
const nameMax = 20;

function drawingOf({
  groups,
  survival: { curves },
  points,
  unit,
  hasIntervals,
}: Omit<Props, 'name'> & { points: Point[]; hasIntervals: boolean }): Drawing {
  const last = Math.max(0, ...points.map(({ time }) => time));
  const ticks = ticksUpTo(last);
  const names = groups.map(({ name }) => name);
  const short = (name: string): string => (name.length > nameMax ? `${name.slice(0, nameMax - 1)}…` : name);
  const room = Math.max(
    64,
    Math.min(160, Math.max(...names.map((name) => short(name).length)) * labelSize * 0.66 + 36),
  );
  const numbers = curves.flatMap((curve, row) =>
    ticks.map((time) => ({ time, row, text: atRiskAt(curve, time).toLocaleString() })),
  );
  const below = (row: number): number => axisRoom + row * rowHeight;
  return {
    height: 340 + curves.length * rowHeight,
    marginLeft: room,
    marginRight: 24,
    marginBottom: axisRoom + curves.length * rowHeight,
    color: { domain: names, range: groups.map(({ colour }) => colour), legend: true },
    x: { domain: [0, last || 1], ticks, label: null },
    y: { domain: [0, 100], grid: true, label: 'without the event (%)' },
    marks: [
      ...(hasIntervals
        ? [
            Plot.areaY(
              points.filter(({ low }) => low !== null),
              { x: 'time', y1: 'low', y2: 'high', fill: 'group', fillOpacity: 0.14, curve: 'step-after' },
            ),
          ]
        : []),
      ...groups.map(({ name, colour, dash }) =>
        Plot.lineY(
          points.filter(({ group }) => group === name),
          {
            x: 'time',
            y: 'survival',
            stroke: colour,
            strokeWidth: 2,
            strokeDasharray: dash,
            curve: 'step-after',
          },
        ),
      ),
      Plot.dot(
        points.filter(({ censored }) => censored > 0),
        { x: 'time', y: 'survival', stroke: 'group', symbol: 'plus', r: 3 },
      ),
      Plot.ruleY([0]),
      Plot.text([unit], { frameAnchor: 'bottom-right', dy: 36, text: (text: string) => text }),
      Plot.text(['At risk'], {
        frameAnchor: 'bottom-left',
        dx: 8 - room,
        dy: 42,
        text: (text: string) => text,
        fontWeight: 600,
        textAnchor: 'start',
      }),
      ...curves.flatMap((_, row) => [
        Plot.text(
          numbers.filter((one) => one.row === row),
          { x: 'time', text: 'text', frameAnchor: 'bottom', dy: below(row), fill: 'currentColor' },
        ),
        Plot.text([short(names[row] ?? '')], {
          ...{ frameAnchor: 'bottom-left', dx: 8 - room, dy: below(row), textAnchor: 'start' },
          ...{ text: (text: string) => text, fill: 'currentColor', fontWeight: 600 },
        } as Plot.TextOptions),
      ]),
      Plot.tip(
        points,
        Plot.pointer({ x: 'time', y: 'survival', stroke: 'group', channels: { 'at risk': 'atRisk' } }),
      ),
    ],
  };
}
