import { Group, Select, Stack, Text } from '@mantine/core';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Chart } from '../../chart/Chart.tsx';
import { type ChartKind, chartKinds, chartOf } from '../../chart/kinds.ts';

/** Marks in a drawing at most: more are neither seen nor drawn in time. */
export const chartedRowsMax = 5000;

interface Charted {
  headings: string[];
  /** Rows from the first on. */
  rows: (readonly unknown[])[];
}

/** A chart over two columns of a result. */
export function ChartBuilder({ headings, rows }: Charted) {
  const data = useMemo(() => numbered(headings, rows), [headings, rows]);
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
      {rows.length === chartedRowsMax && (
        <Text size="sm">A chart shows the first {chartedRowsMax.toLocaleString()} rows at most.</Text>
      )}
      <Chart title={kind === 'histogram' ? `${x}` : `${y} by ${x}`} data={data} options={options} />
    </Stack>
  );
}

function numbered(headings: string[], rows: (readonly unknown[])[]): Record<string, unknown>[] {
  return rows.map((cells) =>
    Object.fromEntries(headings.map((name, column) => [name, typed(cells[column] ?? null)])),
  );
}

function typed(value: unknown): unknown {
  return typeof value !== 'string' || Number.isNaN(Number(value)) ? value : Number(value);
}
