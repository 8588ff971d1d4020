import { Stack, Text, Title } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { buckets } from '../../api/ask.ts';
import { type Shape, schema } from '../../api/lists.ts';
import { Chart } from '../../chart/Chart.tsx';
import { comparedBars } from '../../chart/kinds.ts';
import { type Facet, facetsOf, isRange } from '../../facets/facets.ts';
import { ErrorAlert, Waiting } from '../../shell/Feedback.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { type Compared, compared } from './comparison.ts';
import { Survival } from './Survival.tsx';

type Cohort = Shape<'Cohort'>;

const facetsCompared = ['sex', 'deceased', 'race', 'condition', 'medication', 'gene', 'significance'];
const isCompared = (facet: Facet): boolean =>
  facetsCompared.includes(facet.id) || (facet.id.includes('.') && !isRange(facet));

const barsMax = 12;

/** Cohorts beside each other: share of subjects by value, with a test where there are two. */
export function Compare({ project, cohorts }: { project: string; cohorts: Cohort[] }) {
  const { data = [] } = useQuery(schema(project));
  const { data: facets = [] } = useQuery(facetsOf(project));
  const shown = facets.filter(
    (facet) => data.some(({ table }) => table === facet.target) && isCompared(facet),
  );
  return (
    <Stack>
      <Text size="sm">
        {cohorts.length === 2
          ? "p: Fisher's exact test, two-sided. q: adjusted for the number of values (Benjamini and Hochberg)."
          : 'Share of the subjects of each cohort. Choose exactly two cohorts to compare them by statistical tests.'}
      </Text>
      <Survival project={project} cohorts={cohorts} />
      {shown.map((facet) => (
        <ComparedFacet key={facet.id} project={project} cohorts={cohorts} facet={facet} />
      ))}
    </Stack>
  );
}

function ComparedFacet({ project, cohorts, facet }: { project: string; cohorts: Cohort[]; facet: Facet }) {
  const options = {
    groupBy: [facet.field],
    metrics: [{ op: 'countDistinct', field: 'patient_id' }],
    limit: 1000,
  };
  const { lists, error } = useQueries({
    queries: cohorts.map(({ id }) => buckets(project, { target: facet.target, cohortId: id, options })),
    combine: (queries) => ({
      lists: queries.every(({ data }) => data) ? queries.map(({ data }) => data ?? []) : undefined,
      error: queries.find((query) => query.error)?.error,
    }),
  });
  const rows = useMemo(
    () =>
      lists &&
      compared(
        facet.field,
        cohorts.map(({ resultCount }) => resultCount),
        lists,
      ),
    [lists, facet, cohorts],
  );
  const bars = useMemo(
    () => (rows ?? []).slice(0, barsMax).flatMap((row) => sharesOf(row, cohorts)),
    [rows, cohorts],
  );
  const drawn = useMemo(() => comparedBars(bars, 'value', 'percent', 'cohort'), [bars]);
  if (error) return <ErrorAlert error={error} />;
  if (!rows) return <Waiting />;
  if (rows.length === 0) return null;
  return (
    <Stack component="section" gap="xs">
      <Title order={2} size="h4" mb="xs">
        {facet.title}
      </Title>
      <Chart title={`${facet.title} by cohort`} data={bars} options={drawn} />
      <Grid name={facet.title} columns={columnsOf(cohorts)} rows={rows} heightMax={260} />
    </Stack>
  );
}

function sharesOf({ value, subjects }: Compared, cohorts: Cohort[]): Record<string, unknown>[] {
  return cohorts.map(({ name, resultCount }, at) => ({
    value,
    cohort: name,
    subjects: subjects[at],
    percent: resultCount === 0 ? 0 : ((subjects[at] ?? 0) / resultCount) * 100,
  }));
}

function columnsOf(cohorts: Cohort[]): Column<Compared>[] {
  const counts = cohorts.map(
    ({ id, name, resultCount }, at): Column<Compared> => ({
      name: cohorts.some((other) => other.id !== id && other.name === name) ? `${name} ${at + 1}` : name,
      value: ({ subjects }) => subjects[at],
      render: ({ subjects }) =>
        `${subjects[at]} (${resultCount === 0 ? 0 : Math.round(((subjects[at] ?? 0) / resultCount) * 100)} %)`,
      numeric: true,
      width: 150,
    }),
  );
  const tests: Column<Compared>[] = (['p', 'q'] as const).map((name) => ({
    name,
    value: (row) => row[name],
    render: (row) => row[name]?.toPrecision(3),
    numeric: true,
    width: 120,
  }));
  return [{ name: 'value', value: ({ value }) => value }, ...counts, ...(cohorts.length === 2 ? tests : [])];
}
