import { Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Chart } from '../../chart/Chart.tsx';
import { type ChartKind, chartKinds, chartOf } from '../../chart/kinds.ts';
import { KeepableContext } from '../../reports/keeping.ts';
import { answerOf } from '../../study/study.ts';
import { chartedRowsMax } from './run.ts';

interface Charted {
  /** Statement that has the rows. */
  sql: string;
  headings: string[];
  /** Rows from the first on. */
  rows: (readonly unknown[])[];
}

/** A chart over two columns of a result. */
export function ChartBuilder({ sql, headings, rows }: Charted) {
  const { project } = useParams({ from: '/projects/$project/sql' });
  const { data: counted } = useQuery(
    answerOf({ datasetId: project, unit: 'patient', filter: { and: [] }, aggregates: [] }),
  );
  const data = useMemo(() => numbered(headings, rows), [headings, rows]);
  const isNumeric = (name: string): boolean => data.some((row) => typeof row[name] === 'number');
  const [kind, setKind] = useState<ChartKind>('bar');
  const [x, setX] = useState(headings[0] ?? '');
  const [y, setY] = useState(headings.find((name, at) => at > 0 && isNumeric(name)) ?? headings[0] ?? '');
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
      <KeepableContext
        value={{
          ...{ project, page: 'sql', version: counted?.version },
          state: String(new URLSearchParams({ sql, kind, x, y })),
        }}
      >
        <ResultChart {...{ kind, x, y, headings, rows }} />
      </KeepableContext>
    </Stack>
  );
}

interface Drawn extends Omit<Charted, 'sql'> {
  kind: string;
  x: string;
  y: string;
}

/** Chart of a kind over two columns of a result. */
export function ResultChart({ kind, x, y, headings, rows }: Drawn) {
  const data = useMemo(() => numbered(headings, rows), [headings, rows]);
  const options = useMemo(() => {
    const known = chartKinds.find((one) => one === kind) ?? 'bar';
    return { width: 860, height: 340, ...chartOf(known, data, x, y) };
  }, [kind, data, x, y]);
  return <Chart title={kind === 'histogram' ? x : `${y} by ${x}`} data={data} options={options} />;
}

function numbered(headings: string[], rows: (readonly unknown[])[]): Record<string, unknown>[] {
  return rows.map((cells) =>
    Object.fromEntries(headings.map((name, column) => [name, typed(cells[column] ?? null)])),
  );
}

function typed(value: unknown): unknown {
  return typeof value !== 'string' || Number.isNaN(Number(value)) ? value : Number(value);
}
