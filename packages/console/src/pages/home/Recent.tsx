import { Stack, Text, Title } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { linkOptions } from '@tanstack/react-router';
import { type Shape, self } from '../../api/lists.ts';
import { ErrorAlert, Waiting } from '../../shell/Feedback.tsx';
import { AnchorLink } from '../../shell/links.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { newest, type RecentWork, recentWork } from './recent.ts';

type Project = Shape<'Project'>;
type Row = RecentWork & { project: string };

/** Projects that are looked through; three requests each would be too many beyond. */
const projectsMax = 30;
const rowsMax = 10;

/** Latest work of the caller in the projects, each with the way back to it. */
export function Recent({ projects }: { projects: Project[] }) {
  const { data: me } = useQuery(self);
  return me && <Listed projects={projects} userId={me.id} />;
}

function Listed({ projects, userId }: { projects: Project[]; userId: string }) {
  const looked = projects.slice(0, projectsMax);
  const { rows, error, isLoading } = useQueries({
    queries: looked.map(({ id }) => recentWork(id, userId, rowsMax)),
    combine: (results) => ({
      rows: results.flatMap(({ data = [] }, at) =>
        data.map((one): Row => ({ ...one, project: looked[at]?.name ?? '' })),
      ),
      error: results.find((result) => result.error)?.error,
      isLoading: results.some((result) => result.isLoading),
    }),
  });
  return (
    <Stack component="section" gap="xs" mt="md">
      <Title order={2} size="h4">
        Recent work
      </Title>
      {projects.length > projectsMax && <Text size="sm">In the first {projectsMax} projects, by name.</Text>}
      {error && <ErrorAlert error={error} />}
      {isLoading ? (
        <Waiting />
      ) : rows.length === 0 ? (
        <Text size="sm" c="var(--soft)">
          Your latest queries, ingestions and cohorts appear here.
        </Text>
      ) : (
        <Grid name="Recent work" columns={columns} rows={newest(rows).slice(0, rowsMax)} />
      )}
    </Stack>
  );
}

const columns: Column<Row>[] = [
  {
    name: 'work',
    value: ({ what }) => oneLine(what),
    render: (row) => (
      <AnchorLink size="sm" {...placeOf(row)}>
        {oneLine(row.what) || row.kind}
      </AnchorLink>
    ),
  },
  { name: 'kind', value: ({ kind }) => kind },
  { name: 'project', value: ({ project }) => project },
  { name: 'state', value: ({ state }) => state },
  { name: 'at', value: ({ at }) => at, render: ({ at }) => new Date(at).toLocaleString() },
];

const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

/** Returns the address that continues a work. */
function placeOf({ kind, id, what, projectId }: Row) {
  const params = { project: projectId };
  if (kind === 'query') return linkOptions({ to: '/projects/$project/sql', params, search: { sql: what } });
  if (kind === 'cohort')
    return linkOptions({
      to: '/projects/$project',
      params,
      search: { filter: JSON.stringify([{ is: { cohort: id } }]), view: 'subjects' },
    });
  return linkOptions({ to: '/projects/$project/files', params, search: { tab: 'ingestions' } });
}
