import { Text } from '@mantine/core';
import * as Plot from '@observablehq/plot';
import { useMemo } from 'react';
import type { Shape } from '../../api/lists.ts';
import { Chart, type Drawing } from '../../chart/Chart.tsx';
import { labelSize, mainColour } from '../../design/palette.ts';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';

type Step = Shape<'StudyAttrition'>['steps'][number];

interface Row extends Record<string, unknown> {
  step: string;
  subjects: number | null;
  /** Part of the subjects of the step before. */
  kept: number | null;
  /** Subjects whom this step alone would leave. */
  alone: number | null;
  events: number | null;
}

/** Subjects who are left after each step: a funnel, and its numbers. */
export function Attrition({ steps }: { steps: readonly Step[] }) {
  const rows = useMemo(() => rowsOf(steps), [steps]);
  const options = useMemo(() => drawingOf(rows), [rows]);
  return (
    <>
      <Chart title="Attrition" data={rows} options={options} />
      <Grid name="Attrition" columns={columns} rows={rows} />
      <Text size="sm">
        Alone: subjects with an index event that passes this step, whatever the others do. The index event
        itself does not count for a rule.
      </Text>
    </>
  );
}

const names = {
  matching: 'All that are chosen',
  index: 'With the index event',
  prior: 'On record long enough before',
  rule: 'Rule',
} as const;

function rowsOf(steps: readonly Step[]): Row[] {
  return steps.map(({ step, name, patients, alone = null, events = null }, at) => {
    const before = steps[at - 1]?.patients;
    return {
      step: `${at + 1}. ${name ?? names[step]}`,
      subjects: patients,
      kept: before && patients !== null ? patients / before : null,
      ...{ alone, events },
    };
  });
}

const shown = (number: number | null): string => (number === null ? '' : number.toLocaleString());

const columns: Column<Row>[] = [
  { name: 'step', value: ({ step }) => step, width: 240 },
  {
    name: 'subjects',
    value: ({ subjects }) => (subjects === null ? 'few' : shown(subjects)),
    numeric: true,
  },
  {
    name: 'of the step before',
    value: ({ kept }) => (kept === null ? '' : `${(kept * 100).toFixed(1)} %`),
    numeric: true,
    width: 150,
  },
  { name: 'alone', value: ({ alone }) => shown(alone), numeric: true },
  { name: 'index events', value: ({ events }) => shown(events), numeric: true },
];

/** Room of the names of steps, in pixels. */
const namesRoom = 190;

function drawingOf(rows: Row[]): Drawing {
  const place = { x: 'subjects', y: 'step' } as const;
  return {
    height: rows.length * 34 + 50,
    marginLeft: namesRoom,
    marginRight: 60,
    x: { grid: true, label: 'subjects', zero: true },
    y: { domain: rows.map(({ step }) => step), label: null },
    marks: [
      Plot.axisY({
        ...{ label: null, tickSize: 0, lineWidth: namesRoom / labelSize - 1, textOverflow: 'ellipsis' },
      } as Plot.AxisYOptions),
      Plot.barX(rows, { ...place, fill: mainColour }),
      Plot.text(rows, {
        ...{ ...place, dx: 6, textAnchor: 'start', fill: 'currentColor' },
        text: (row: Row) => (row.subjects === null ? 'few' : row.subjects.toLocaleString()),
      } as Plot.TextOptions),
    ],
  };
}
