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
}

interface Step extends Record<string, number | null> {
  survival: number;
}

/** Half the length of the stroke of a subject whose observation ends, in per cent of survival. */
const strokeHalf = 2.5;

/** Steps of a curve as rows of a table. */
export function stepsIn({ curves }: Survival): Step[] {
  return curves.flatMap(({ steps, patients }) => [
    { time: 0, survival: 100, low: 100, high: 100, atRisk: patients, events: 0, censored: 0 },
    ...steps.map(({ time, survival, low, high, atRisk, events, censored }) => ({
      ...{ time, atRisk, events, censored },
      survival: survival * 100,
      low: low === null ? null : low * 100,
      high: high === null ? null : high * 100,
    })),
  ]);
}

/** Returns a time in words; `null`: none. */
const shown = (time: number | null): string =>
  time?.toLocaleString(undefined, { maximumFractionDigits: 1 }) ?? 'not reached';

/** Returns the numbers of a curve in words: followed, died, and the median. */
export function survivalNote({ curves, leftOut }: Survival): string {
  const [curve] = curves;
  if (!curve) return 'No subject has a time and a status.';
  const median =
    curve.median === null
      ? 'median not reached'
      : `median ${shown(curve.median)} months (95 %: ${shown(curve.medianLow)}–${shown(curve.medianHigh)})`;
  const rest = leftOut === 0 ? '' : `; ${leftOut.toLocaleString()} without a time or status`;
  return `n = ${curve.patients.toLocaleString()}, ${curve.events.toLocaleString()} events, ${median}${rest}`;
}

/** Estimate of Kaplan and Meier of the chosen subjects with its interval; strokes are subjects whose observation ends. */
export function SurvivalChart({ title, survival, place }: Props) {
  const data = useMemo(() => stepsIn(survival), [survival]);
  const options = useMemo((): Plot.PlotOptions => {
    const common = { x: 'time', curve: 'step-after' } as const;
    return {
      marginLeft: 42,
      marginRight: 10,
      marginTop: 8,
      marginBottom: 34,
      x: { label: 'months', labelArrow: 'none', labelOffset: 32, tickSize: 0, ticks: 5 },
      y: {
        domain: [0, 100],
        grid: true,
        label: null,
        ticks: 4,
        tickSize: 0,
        tickFormat: (n: number) => `${n}%`,
      },
      marks: [
        Plot.areaY(data, { ...common, y1: 'low', y2: 'high', fill: mainColour, fillOpacity: 0.18 }),
        Plot.lineY(data, { ...common, y: 'survival', stroke: mainColour, strokeWidth: 2 }),
        Plot.ruleX(
          data.filter((step) => Number(step['censored']) > 0),
          {
            x: 'time',
            y1: ({ survival: at }: Step) => at - strokeHalf,
            y2: ({ survival: at }: Step) => at + strokeHalf,
            stroke: mainColour,
          },
        ),
        Plot.tip(data, Plot.pointerX({ x: 'time', y: 'survival', channels: { 'at risk': 'atRisk' } })),
        Plot.ruleY([0]),
      ],
    };
  }, [data]);
  return <Plotted title={title} data={data} options={options} place={place} isFilling />;
}
