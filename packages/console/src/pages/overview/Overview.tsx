import { Button, SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { project as projectOf, schema, useMay } from '../../api/lists.ts';
import { ExportDialogue } from '../../exports/ExportDialogue.tsx';
import { type Facet, type Filter, facetsOf, isRange, writeFilter } from '../../facets/facets.ts';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { AnchorLink, ButtonLink } from '../../shell/links.tsx';
import { Page as Frame, MaskedNote } from '../../shell/Page.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { AgeChart } from './AgeChart.tsx';
import { Counts } from './Counts.tsx';
import { NextSteps } from './NextSteps.tsx';
import { TimeChart } from './TimeChart.tsx';
import { ValueChart } from './ValueChart.tsx';

interface Table {
  table: string;
  created: string;
  columns: { name: string }[];
}

const chartedFacets = [
  'sex',
  'age',
  'deceased',
  'condition',
  'consequence',
  'significance',
  'gene',
  'medication',
];

/** Own tables are charted by the columns that hold texts. */
const isCharted = (facet: Facet): boolean =>
  chartedFacets.includes(facet.id) || (facet.id.includes('.') && !isRange(facet));

/** A project at a glance: counts, ways on, charts whose bars lead to the subjects, tables. */
export function Page() {
  const { project } = useParams({ from: '/projects/$project' });
  const { data } = useQuery(projectOf(project));
  const tables = useQuery(schema(project));
  const mayExport = useMay('readData', { dataset: project, type: 'table' });
  const [isExporting, setExporting] = useState(false);
  const name = data?.name ?? 'Project';
  const actions = mayExport && (
    <Button variant="default" onClick={() => setExporting(true)}>
      Export
    </Button>
  );
  return (
    <Frame title={name} actions={actions}>
      <MaskedNote project={project} />
      <Loaded query={tables}>
        {(list) =>
          list.length === 0 ? (
            <Empty
              title="No data yet"
              action={
                <ButtonLink to="/projects/$project/files" params={{ project }}>
                  Add files
                </ButtonLink>
              }
            >
              Charts appear when clinical or genomic files are ingested.
            </Empty>
          ) : (
            <Content project={project} tables={list} />
          )
        }
      </Loaded>
      {isExporting && <ExportDialogue project={project} name={name} close={() => setExporting(false)} />}
    </Frame>
  );
}

function Content({ project, tables }: { project: string; tables: Table[] }) {
  const navigate = useNavigate();
  const { data: facets = [] } = useQuery(facetsOf(project));
  const charted = facets.filter(
    (facet) => tables.some(({ table }) => table === facet.target) && isCharted(facet),
  );
  const lead = (filter: Filter): void =>
    void navigate({
      to: '/projects/$project/subjects',
      params: { project },
      search: { filter: writeFilter(filter) },
    });
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
    {
      name: 'first data',
      value: ({ created }) => created,
      render: ({ created }) => new Date(created).toLocaleString(),
    },
  ];
  return (
    <>
      <Counts project={project} tables={tables.map(({ table }) => table)} />
      <NextSteps project={project} tables={tables.map(({ table }) => table)} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {charted.map((facet) =>
          facet.id === 'age' ? (
            <AgeChart key="age" project={project} lead={lead} />
          ) : (
            <ValueChart key={facet.id} project={project} facet={facet} lead={lead} />
          ),
        )}
        <TimeChart project={project} />
      </SimpleGrid>
      <Grid name="Tables" columns={columns} rows={tables} />
    </>
  );
}
