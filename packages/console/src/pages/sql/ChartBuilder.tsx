import { Group, Select, Stack, Text } from '@mantine/core';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Chart } from '../../chart/Chart.tsx';
import { measures, type Rows } from '../../chart/measured.ts';
import { barLayouts, type ChartChoice, chartKinds, resultChart } from '../../chart/result-chart.ts';

/** Marks in a drawing at most: more are neither seen nor drawn in time. */
export const chartedRowsMax = 5000;

interface Charted {
  headings: string[];
  /** Rows from the first on. */
  rows: (readonly unknown[])[];
}

/** A chart over columns of a result: kind, places, colour and measure are chosen. */
export function ChartBuilder({ headings, rows }: Charted) {
  const data = useMemo(() => numbered(headings, rows), [headings, rows]);
  const [choice, setChoice] = useState(() => firstChoice(headings, data));
  const set = (change: Partial<ChartChoice>): void => setChoice((now) => ({ ...now, ...change }));
  const chart = useMemo(() => resultChart(data, choice), [data, choice]);
  const { kind, colour } = choice;
  const isHeatMap = kind === 'heat map';
  const isMeasured = kind === 'bar' || kind === 'line' || isHeatMap;
  const place = useRef<HTMLDivElement>(null);
  // The table above may fill the window.
  useEffect(() => {
    void place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <Stack ref={place}>
      <Group align="end" gap="sm">
        <Choice label="Chart" data={chartKinds} value={kind} set={(value) => set({ kind: value })} />
        <Choice label="Across" data={headings} value={choice.x} set={(x) => set({ x })} />
        {kind !== 'histogram' && (
          <Choice label="Upwards" data={headings} value={choice.y} set={(y) => set({ y })} />
        )}
        <Select
          size="xs"
          w={150}
          label={isHeatMap ? 'Value' : 'Colour'}
          placeholder={isHeatMap ? 'rows' : 'one colour'}
          data={headings}
          value={colour ?? null}
          clearable
          clearButtonProps={{ 'aria-label': 'No colour' }}
          onChange={(value) => set({ colour: value ?? undefined })}
        />
        {isMeasured && (
          <Choice
            label="Measure"
            data={measures}
            value={choice.measure}
            set={(measure) => set({ measure })}
          />
        )}
        {kind === 'bar' && colour !== undefined && (
          <Choice label="Bars" data={barLayouts} value={choice.layout} set={(layout) => set({ layout })} />
        )}
      </Group>
      {rows.length === chartedRowsMax && (
        <Text size="sm">A chart shows the first {chartedRowsMax.toLocaleString()} rows at most.</Text>
      )}
      <Chart {...chart} />
    </Stack>
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  data: readonly T[];
  value: T;
  set: (value: T) => void;
}

function Choice<T extends string>({ label, data, value, set }: ChoiceProps<T>) {
  return (
    <Select
      size="xs"
      w={150}
      label={label}
      data={[...data]}
      value={value}
      allowDeselect={false}
      onChange={(next) => next !== null && set(next as T)}
    />
  );
}

/** Proposes names across, a number upwards, and the colour of a second name; several rows of one place are added. */
function firstChoice(headings: string[], data: Rows): ChartChoice {
  const isNumeric = (name: string): boolean => data.some((row) => typeof row[name] === 'number');
  const x = headings[0] ?? '';
  const number = headings.find((name, at) => at > 0 && isNumeric(name));
  const y = number ?? x;
  const colour = headings.find((name) => name !== x && !isNumeric(name));
  const places = new Set(data.map((row) => JSON.stringify([row[x], colour && row[colour]])));
  const isRepeated = places.size < data.length;
  const measure = number === undefined ? 'count' : isRepeated ? 'sum' : 'none';
  return { kind: 'bar', x, y, colour, measure, layout: 'stacked' };
}

function numbered(headings: string[], rows: (readonly unknown[])[]): Rows {
  return rows.map((cells) =>
    Object.fromEntries(headings.map((name, column) => [name, typed(cells[column] ?? null)])),
  );
}

function typed(value: unknown): unknown {
  return typeof value !== 'string' || value === '' || Number.isNaN(Number(value)) ? value : Number(value);
}
