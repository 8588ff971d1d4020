import * as Plot from '@observablehq/plot';
import { type RefObject, useMemo } from 'react';
import type { Shape } from '../../api/lists.ts';
import { Plotted } from '../../chart/Chart.tsx';
import { mainColour } from '../../design/palette.ts';

type Survival = Shape<'StudySurvival'>;

interface Props {
  title: string;
  survival: Survival;
  place: RefObject<HTMLDivElement | null>;
  /** Height of the drawing in pixels. */
  height: number;
}

/** Steps of a curve as rows of a table. */
export function stepsIn({ curves }: Survival): Record<string, unknown>[] {
  return curves.flatMap(({ steps, patients }) => [
    { time: 0, survival: 100, atRisk: patients, events: 0, censored: 0 },
    ...steps.map((step) => ({ ...step, survival: step.survival * 100 })),
  ]);
}

/** Returns the numbers of a curve in words: followed, died, and the median. */
export function survivalNote({ curves, leftOut }: Survival): string {
  const [curve] = curves;
  if (!curve) return 'No subject has a time and a status.';
  const median = curve.median === null ? 'median not reached' : `median ${curve.median.toLocaleString()}`;
  const rest = leftOut === 0 ? '' : `; ${leftOut.toLocaleString()} without a time or status`;
  return `n = ${curve.patients.toLocaleString()}, ${curve.events.toLocaleString()} events, ${median}${rest}`;
}

/** Estimate of Kaplan and Meier of the chosen subjects; crosses are subjects whose observation ends. */
export function SurvivalChart({ title, survival, place, height }: Props) {
  const data = useMemo(() => stepsIn(survival), [survival]);
  const options = useMemo(
    (): Plot.PlotOptions => ({
      height,
      marginLeft: 38,
      x: { label: null },
      y: { domain: [0, 100], grid: true, label: null, ticks: 4 },
      marks: [
        Plot.lineY(data, {
          x: 'time',
          y: 'survival',
          curve: 'step-after',
          stroke: mainColour,
          strokeWidth: 2,
        }),
        Plot.dot(
          data.filter((step) => Number(step['censored']) > 0),
          { x: 'time', y: 'survival', symbol: 'plus', stroke: mainColour, r: 3 },
        ),
        Plot.tip(data, Plot.pointerX({ x: 'time', y: 'survival', channels: { 'at risk': 'atRisk' } })),
        Plot.ruleY([0]),
      ],
    }),
    [data, height],
  );
  return <Plotted title={title} data={data} options={options} place={place} />;
}
