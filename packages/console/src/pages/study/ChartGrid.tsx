import { useSize } from '../../chart/useSize.ts';
import type { Placed } from './layout.ts';
import { type ChartProps, StudyChart } from './StudyChart.tsx';

interface Props {
  charts: readonly Placed[];
  setCharts: (charts: Placed[]) => void;
  /** Props of a chart that its place does not decide. */
  chartOf: (id: string) => Omit<ChartProps, 'placed' | 'columns' | 'edit'>;
}

/** Smallest width of a column with its gap, in pixels. */
const columnWidth = 186;
const columnsMax = 8;

/** Charts on a grid; small ones fill gaps. */
export function ChartGrid({ charts, setCharts, chartOf }: Props) {
  const [reference, { width }] = useSize();
  const columns = Math.min(columnsMax, Math.max(1, Math.floor(width / columnWidth)));
  const at = (id: string): number => charts.findIndex((chart) => chart.id === id);
  const moved = (from: number, to: number): Placed[] => {
    const chart = charts[from];
    const place = Math.min(charts.length - 1, Math.max(0, to));
    return chart ? charts.toSpliced(from, 1).toSpliced(place, 0, chart) : [...charts];
  };
  return (
    <div
      ref={reference}
      className="study-grid"
      style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
    >
      {charts.map((placed, place) => (
        <StudyChart
          key={placed.id}
          {...chartOf(placed.id)}
          placed={placed}
          columns={columns}
          edit={{
            resize: (part) =>
              setCharts(charts.map((one) => (one.id === placed.id ? { ...one, ...part } : one))),
            move: (by) => setCharts(moved(place, place + by)),
            drop: (id) => at(id) >= 0 && setCharts(moved(at(id), place)),
            remove: () => setCharts(charts.filter(({ id }) => id !== placed.id)),
          }}
        />
      ))}
    </div>
  );
}
