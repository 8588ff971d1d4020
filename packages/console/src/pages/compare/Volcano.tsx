import * as Plot from '@observablehq/plot';
import { useMemo } from 'react';
import { Chart } from '../../chart/Chart.tsx';
import { mainColour, restColour } from '../../design/palette.ts';
import type { Drawn } from './groups.ts';
import type { Test } from './methods.ts';

interface Props {
  title: string;
  groups: readonly Drawn[];
  items: readonly Test[];
  nameOf: (test: Test) => string;
}

/** Number of names beside dots. */
const namedMax = 10;

/** Effects of genes against their p-values; tests with q below 0.05 are coloured, the smallest are named. */
export function Volcano({ title, groups, items, nameOf }: Props) {
  const rows = useMemo(
    () =>
      items.flatMap((test) =>
        test.effect === null
          ? []
          : [
              {
                name: nameOf(test),
                effect: test.effect,
                strength: -Math.log10(Math.max(test.p, 1e-300)),
                q: test.q,
              },
            ],
      ),
    [items, nameOf],
  );
  const [one, other] = groups;
  const options = useMemo((): Plot.PlotOptions => {
    const reach = Math.max(1, ...rows.map(({ effect }) => Math.abs(effect))) * 1.1;
    const named = rows.filter(({ q }) => q < 0.05).slice(0, namedMax);
    return {
      height: 320,
      marginBottom: 46,
      x: {
        labelOffset: 40,
        domain: [-reach, reach],
        label: `← ${other?.name ?? ''} · effect · ${one?.name ?? ''} →`,
      },
      y: { grid: true, label: '−log10 p' },
      marks: [
        Plot.ruleX([0], { strokeDasharray: '4 3' }),
        Plot.ruleY([0]),
        Plot.dot(rows, {
          ...{ x: 'effect', y: 'strength', r: 4, fillOpacity: 0.7 },
          fill: (row: { q: number }) => (row.q < 0.05 ? mainColour : restColour),
        }),
        Plot.text(named, { x: 'effect', y: 'strength', text: 'name', dy: -10, fill: 'currentColor' }),
        Plot.tip(rows, Plot.pointer({ x: 'effect', y: 'strength', channels: { name: 'name', q: 'q' } })),
      ],
    };
  }, [rows, one, other]);
  if (rows.length === 0) return null;
  return <Chart title={title} data={rows} options={options} />;
}
