import { Group, Select, Stack } from '@mantine/core';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Chart } from '../../chart/Chart.tsx';
import { type ChartKind, chartKinds, chartOf } from '../../chart/kinds.ts';
import type { CsvRows } from '../../table/csv.ts';

/** Marks in a drawing at most: more are neither seen nor drawn in time. */
const rowsMax = 5000;

/** A chart over two columns of a result. */
export function ChartBuilder({ rows }: { rows: CsvRows }) {
  const { headings } = rows;
  const data = useMemo(() => numbered(rows), [rows]);
  const isNumeric = (name: string): boolean => data.some((row) => typeof row[name] === 'number');
  const [kind, setKind] = useState<ChartKind>('bar');
  const [x, setX] = useState(headings[0] ?? '');
  const [y, setY] = useState(headings.find((name, at) => at > 0 && isNumeric(name)) ?? headings[0] ?? '');
  const options = useMemo(
    () => ({ width: 860, height: 340, ...chartOf(kind, data, x, y) }),
    [kind, data, x, y],
  );
  const place = useRef<HTMLDivElement>(null);
  // The table above may fill the window.
  useEffect(() => {
    void place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <Stack ref={place}>
      <Group>
        <Select
          label="Chart"
          data={chartKinds}
          value={kind}
          onChange={(value) => setKind(value as ChartKind)}
          allowDeselect={false}
        />
        <Select
          label="Across"
          data={headings}
          value={x}
          onChange={(value) => setX(value ?? '')}
          allowDeselect={false}
        />
        {kind !== 'histogram' && (
          <Select
            label="Upwards"
            data={headings}
            value={y}
            onChange={(value) => setY(value ?? '')}
            allowDeselect={false}
          />
        )}
      </Group>
      <Chart title={kind === 'histogram' ? `${x}` : `${y} by ${x}`} data={data} options={options} />
    </Stack>
  );
}

function numbered(rows: CsvRows): Record<string, unknown>[] {
  return Array.from({ length: Math.min(rows.length, rowsMax) }, (_, at) => {
    const cells = rows.at(at);
    return Object.fromEntries(rows.headings.map((name, column) => [name, typed(cells[column] ?? null)]));
  });
}

function typed(value: string | null): string | number | null {
  return value === null || Number.isNaN(Number(value)) ? value : Number(value);
}
