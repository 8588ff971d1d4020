import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useMay } from '../../api/lists.ts';
import { type Ingestion, ingestedFiles, ingestionsMax, placeOf } from '../../api/work.ts';
import { Chart } from '../../chart/Chart.tsx';
import { stackedBars } from '../../chart/kinds.ts';
import { Loaded } from '../../shell/Feedback.tsx';

interface Bar extends Record<string, unknown> {
  month: string;
  type: string;
  files: number;
  rows: number;
}

/** Minimum months that are shown, so that the bars of a new project are not as wide as the chart. */
const monthsMin = 6;

/** Ingested files by month and type; a bar leads to their ingestions. */
export function TimeChart({ project }: { project: string }) {
  const resource = { dataset: project, type: 'ingestion' } as const;
  const mayRead = useMay('readData', resource);
  const mayCreate = useMay('createData', resource);
  return mayRead || mayCreate ? <Ingested project={project} /> : null;
}

function Ingested({ project }: { project: string }) {
  const query = useQuery(ingestedFiles(project));
  return (
    <Loaded query={query}>
      {(list) => (list.length === 0 ? null : <Bars project={project} list={list} />)}
    </Loaded>
  );
}

function Bars({ project, list }: { project: string; list: Ingestion[] }) {
  const navigate = useNavigate({ from: '/projects/$project' });
  const data = useMemo(() => barsOf(list), [list]);
  const options = useMemo(() => stackedBars(data, 'month', 'files', 'type', monthsOf(data)), [data]);
  const pick = useMemo(
    () =>
      ({ month, type }: Record<string, unknown>) =>
        void navigate({
          to: '/projects/$project/files',
          params: { project },
          search: { tab: 'ingestions', month: String(month), type: String(type) },
        }),
    [navigate, project],
  );
  const title =
    list.length < ingestionsMax
      ? 'Ingested files by month'
      : `Ingested files by month, the latest ${ingestionsMax.toLocaleString()}`;
  return <Chart title={title} data={data} options={options} pick={pick} />;
}

function barsOf(list: Ingestion[]): Bar[] {
  const bars = new Map<string, Bar>();
  for (const one of list) {
    const { month, type } = placeOf(one);
    const bar = bars.get(`${month} ${type}`) ?? { month, type, files: 0, rows: 0 };
    bars.set(`${month} ${type}`, { ...bar, files: bar.files + 1, rows: bar.rows + one.progress.rows });
  }
  return [...bars.values()].sort((one, other) =>
    `${one.month} ${one.type}`.localeCompare(`${other.month} ${other.type}`),
  );
}

/** Months from the first bar to the last one, without a gap. */
function monthsOf(bars: Bar[]): string[] {
  const first = bars[0]?.month ?? '';
  const last = new Date(`${bars.at(-1)?.month}-01T00:00:00Z`);
  const months: string[] = [];
  while (months.length < monthsMin || (months[0] ?? '') > first) {
    months.unshift(last.toISOString().slice(0, 7));
    last.setUTCMonth(last.getUTCMonth() - 1);
  }
  return months;
}
