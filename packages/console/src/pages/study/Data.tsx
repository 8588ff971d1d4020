import { Stack } from '@mantine/core';
import { AnchorLink } from '../../shell/links.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { Counts } from './Counts.tsx';
import { NextSteps } from './NextSteps.tsx';
import { TimeChart } from './TimeChart.tsx';

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
