import * as Plot from '@observablehq/plot';
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { rows } from '../../api/ask.ts';
import { Chart, type Drawing } from '../../chart/Chart.tsx';
import { nameAxis, nameWidth } from '../../chart/kinds.ts';
import { categories } from '../../design/palette.ts';
import { dated, type Event, eventsIn } from './events.ts';

const lanesMax = 40;

/** Conditions, medications, procedures and encounters of a patient over time. */
export function Timeline({ project, patient }: { project: string; patient: string }) {
  const where = { patient: { id: [{ operator: 'eq', value: patient }] } };
  const events = useQueries({
    queries: dated.map(([target, , name, begins, end]) => ({
      ...rows(project, { target, where, options: { fields: [name, 'text', ...begins, end] } }),
      // A project may hold only some of these tables.
      retry: false,
    })),
    combine: (queries) =>
      queries.flatMap(({ data = [] }, at) => eventsIn(data, dated[at] as (typeof dated)[number])),
  });
  const options = useMemo(() => timelineOf(events), [events]);
  if (events.length === 0) return null;
  return <Chart title="Timeline" data={events} options={options} />;
}

function timelineOf(events: Event[]): Drawing {
  const lines = [...new Set(events.map(lineOf))].slice(0, lanesMax);
  const shown = events.filter((event) => lines.includes(lineOf(event)));
  return (width) => ({
    height: lines.length * 18 + 60,
    marginLeft: nameWidth(lines, width),
    color: {
      legend: false,
      domain: ['Condition', 'Medication', 'Procedure', 'Encounter'],
      range: [...categories],
    },
    x: { type: 'utc', grid: true, label: null },
    y: { domain: lines, label: null },
    marks: [
      nameAxis(nameWidth(lines, width)),
      Plot.link(shown, {
        x1: 'from',
        x2: 'to',
        y: lineOf,
        stroke: 'lane',
        strokeWidth: 5,
        strokeLinecap: 'round',
      }),
      Plot.dot(shown, {
        x: 'from',
        y: lineOf,
        fill: 'lane',
        r: 4,
        tip: true,
        channels: { label: 'label', until: 'to' },
      }),
    ],
  });
}

function lineOf({ lane, label }: Event): string {
  return `${lane}: ${label}`;
}
