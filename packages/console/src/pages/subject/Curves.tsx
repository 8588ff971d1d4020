import { MultiSelect, SimpleGrid, Stack } from '@mantine/core';
import * as Plot from '@observablehq/plot';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type Row, rows } from '../../api/ask.ts';
import type { Where } from '../../api/where.ts';
import { Chart } from '../../chart/Chart.tsx';
import { mainColour, rangeColour } from '../../design/palette.ts';
import { Loaded } from '../../shell/Feedback.tsx';

const fields = [
  'display',
  'code',
  'effective_date',
  'value_quantity',
  'value_unit',
  'reference_low',
  'reference_high',
];
const shownAtFirst = 4;

type Point = Row & { date: Date; value: number };

/** Measured values of a patient over time, with their reference ranges. */
export function Curves({ project, where, isAlone }: { project: string; where: Where; isAlone: boolean }) {
  const query = useQuery(rows(project, { target: 'observation', where, options: { fields } }));
  return <Loaded query={query}>{(list) => <Chosen list={list} isAlone={isAlone} />}</Loaded>;
}

function Chosen({ list, isAlone }: { list: Row[]; isAlone: boolean }) {
  const groups = useMemo(() => measured(list), [list]);
  const names = [...groups.keys()];
  const [chosen, setChosen] = useState<string[]>();
  if (names.length === 0) return null;
  const shown = chosen ?? names.slice(0, shownAtFirst);
  return (
    <Stack gap="xs">
      <MultiSelect label="Observations" data={names} value={shown} onChange={setChosen} searchable />
      <SimpleGrid cols={{ base: 1, md: isAlone ? 2 : 1 }}>
        {shown.map((name) => (
          <Curve key={name} name={name} points={groups.get(name) ?? []} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

function Curve({ name, points }: { name: string; points: Point[] }) {
  const options = useMemo(() => curveOf(points), [points]);
  return <Chart title={name} data={points} options={options} />;
}

function curveOf(points: Point[]): Plot.PlotOptions {
  const [first] = points;
  const low = first?.['reference_low'];
  const high = first?.['reference_high'];
  const range = typeof low === 'number' && typeof high === 'number' ? [{ low, high }] : [];
  return {
    x: { type: 'utc', label: null },
    y: { grid: true, label: String(first?.['value_unit'] ?? 'value'), nice: true },
    marks: [
      Plot.rect(range, { y1: 'low', y2: 'high', fill: rangeColour, fillOpacity: 0.15 }),
      Plot.lineY(points, { x: 'date', y: 'value', stroke: mainColour }),
      Plot.dot(points, { x: 'date', y: 'value', fill: mainColour, tip: true }),
    ],
  };
}

/** Groups numeric observations by name, the most frequent first. */
function measured(list: Row[]): Map<string, Point[]> {
  const points = list
    .filter((row) => typeof row['value_quantity'] === 'number' && typeof row['effective_date'] === 'string')
    .map((row) => ({
      ...row,
      date: new Date(String(row['effective_date'])),
      value: Number(row['value_quantity']),
    }))
    .sort((one, other) => one.date.getTime() - other.date.getTime()) as Point[];
  const groups = Map.groupBy(points, (row) => String(row['display'] ?? row['code']));
  return new Map([...groups].sort(([, one], [, other]) => other.length - one.length));
}
