import { Text } from '@mantine/core';
import * as Plot from '@observablehq/plot';
import { type Followed, kaplanMeier, logRank } from '@ploidy/statistics';
import { useMemo } from 'react';
import { Chart } from '../chart/Chart.tsx';
import { categories } from '../design/palette.ts';
import { statedP } from '../words/dictionary.ts';

/** Tables and columns with dates on which a patient was seen. */
export const contacts = [
  ['encounter', ['start_date', 'end_date']],
  ['condition', ['onset_date', 'recorded_date']],
  ['procedure', ['performed_date']],
  ['medication', ['start_date', 'authored_date']],
] as const;

interface CurvesProps {
  names: string[];
  groups: Followed[][];
  title?: string;
}

/** Survival of groups as curves, with the test of them in a sentence. */
export function Curves({ names, groups, title = 'Survival by cohort' }: CurvesProps) {
  const labels = names.map((name, at) => `${at + 1}. ${name}`);
  const data = useMemo(
    () =>
      groups.flatMap((group, at) =>
        stepsOf(group).map((step) => ({ cohort: `${at + 1}. ${names[at]}`, ...step })),
      ),
    [groups, names],
  );
  const options = useMemo(() => optionsOf(data), [data]);
  const p = groups.length > 1 ? logRank(groups)?.p : undefined;
  return (
    <>
      <Text size="sm">
        {groups.map((group, at) => (
          <span key={labels[at]}>
            {at > 0 && '; '}
            <bdi>{labels[at]}</bdi>: {group.length} followed, {group.filter(({ isEvent }) => isEvent).length}{' '}
            died
          </span>
        ))}
        .{p !== undefined && ` Log-rank test: ${statedP(p)}.`} Subjects without a death are followed until
        their last date on record.
      </Text>
      <Chart title={title} data={data} options={options} />
    </>
  );
}

type Drawn = { cohort: string; time: number; survival: number; censored: number };

/** Returns the steps of a curve, from time 0. */
function stepsOf(group: readonly Followed[]): Omit<Drawn, 'cohort'>[] {
  const { steps } = kaplanMeier(group);
  return [{ time: 0, survival: 1, censored: 0 }, ...steps];
}

function optionsOf(data: Drawn[]): Plot.PlotOptions {
  const place = { x: 'time', y: 'survival', stroke: 'cohort' } as const;
  return {
    height: 320,
    color: { legend: true, range: [...categories] },
    x: { label: 'years' },
    // Values of a percent scale are multiplied by 100.
    y: { domain: [0, 100], grid: true, percent: true, label: 'alive (%)' },
    marks: [
      Plot.lineY(data, { ...place, curve: 'step-after', strokeWidth: 2 }),
      Plot.dot(
        data.filter(({ censored }) => censored > 0),
        { ...place, symbol: 'plus', r: 3 },
      ),
      Plot.ruleY([0]),
    ],
  };
}
