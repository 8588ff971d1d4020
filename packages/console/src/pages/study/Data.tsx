import { Card, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { count } from '../../api/ask.ts';
import { AnchorLink } from '../../shell/links.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { NextSteps } from './NextSteps.tsx';
import { TimeChart } from './TimeChart.tsx';

const counted = [
  ['patient', 'Subjects'],
  ['sequence', 'Samples'],
  ['variant', 'Variants in samples'],
  ['condition', 'Conditions'],
  ['observation', 'Observations'],
  ['medication', 'Medications'],
] as const;

/** Table of a project. */
export interface Table {
  table: string;
  created: string;
  columns: { name: string }[];
}

/** Data behind a study: numbers of rows, ingested files, tables, and the ways on. */
export function Data({ project, tables }: { project: string; tables: Table[] }) {
  const names = tables.map(({ table }) => table);
  const columns: Column<Table>[] = [
    {
      name: 'table',
      value: ({ table }) => table,
      render: ({ table }) => (
        <AnchorLink
          size="sm"
          to="/projects/$project/sql"
          params={{ project }}
          search={{ sql: `SELECT * FROM ${table} LIMIT 100` }}
        >
          {table}
        </AnchorLink>
      ),
    },
    { name: 'columns', value: (one) => one.columns.length, numeric: true },
    { name: 'first data', value: ({ created }) => created, isTime: true },
  ];
  return (
    <Stack>
      <Counts project={project} tables={names} />
      <NextSteps project={project} tables={names} />
      <TimeChart project={project} />
      <Grid name="Tables" columns={columns} rows={tables} />
    </Stack>
  );
}

/** Numbers of subjects and rows. */
function Counts({ project, tables }: { project: string; tables: string[] }) {
  const shown = counted.filter(([target]) => target === 'patient' || tables.includes(target));
  const counts = useQueries({ queries: shown.map(([target]) => count(project, target)) });
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }}>
      {shown.map(([target, label], at) => (
        <Card key={target} withBorder padding="sm">
          <Text fz={26} fw={700}>
            {counts[at]?.data?.toLocaleString() ?? (counts[at]?.error ? '–' : '…')}
          </Text>
          <Text size="sm">{label}</Text>
        </Card>
      ))}
    </SimpleGrid>
  );
}
