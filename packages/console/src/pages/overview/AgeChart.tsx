import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { buckets } from '../../api/ask.ts';
import { Chart } from '../../chart/Chart.tsx';
import { histogramOf } from '../../chart/kinds.ts';
import type { Filter } from '../../facets/facets.ts';
import { Loaded } from '../../shell/Feedback.tsx';

type Bar = { from: number; to: number; subjects: number };

/** Subjects by age in tens of years. */
export function AgeChart({ project, lead }: { project: string; lead: (filter: Filter) => void }) {
  const query = useQuery(
    buckets(project, {
      target: 'patient',
      options: { metrics: [{ op: 'histogram', field: 'age', interval: 10 }] },
    }),
  );
  return (
    <Loaded query={query}>
      {(list) => {
        const value = list[0]?.metrics?.[0]?.value;
        const bars = (Array.isArray(value) ? value : []) as { from: number; to: number; count: number }[];
        return <Bars data={bars.map(({ from, to, count }) => ({ from, to, subjects: count }))} lead={lead} />;
      }}
    </Loaded>
  );
}

function Bars({ data, lead }: { data: Bar[]; lead: (filter: Filter) => void }) {
  const options = useMemo(() => histogramOf(data, 'from', 'to', 'subjects'), [data]);
  const pick = useMemo(
    () => (row: Record<string, unknown>) =>
      lead({ age: [String(row['from']), String(Number(row['to']) - 1)] }),
    [lead],
  );
  return <Chart title="Age in years" data={data} options={options} pick={pick} />;
}
