import { Button, Progress, Stack, Text, Title } from '@mantine/core';
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { linkOptions } from '@tanstack/react-router';
import { members } from '../../api/account.ts';
import { api, take } from '../../api/client.ts';
import { bytesText } from '../../api/files.ts';
import { projects, type Shape, useMay } from '../../api/lists.ts';
import { Empty, ErrorAlert, Loaded, notify, reportError } from '../../shell/Feedback.tsx';
import { AnchorLink } from '../../shell/links.tsx';
import { Page as Frame } from '../../shell/Page.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { type OpenWork, openSyncs, openWork } from './open-work.ts';

type Project = Shape<'Project'>;
type Row = OpenWork & { project: Project };

/** Projects whose work is shown; one request each would be too many beyond. */
const projectsMax = 100;

/** Work that runs in the account, and the storage of its projects. */
export function Page() {
  const query = useQuery(projects());
  return (
    <Frame title="Work and storage">
      <Loaded query={query}>
        {(list) => (
          <>
            {list.length > projectsMax && <Text size="sm">The first {projectsMax} projects, by name.</Text>}
            <Running projects={list.slice(0, projectsMax)} />
            <Storage projects={list.slice(0, projectsMax)} />
          </>
        )}
      </Loaded>
    </Frame>
  );
}

function Running({ projects: list }: { projects: Project[] }) {
  const queries = useQueryClient();
  const { data: people = [] } = useQuery(members());
  const { rows, error, isLoading } = useQueries({
    queries: [...list.map(({ id }) => openWork(id)), openSyncs()],
    combine: (results) => ({
      rows: results.flatMap(({ data = [] }) =>
        data.flatMap((one): Row[] => {
          const project = list.find(({ id }) => id === one.projectId);
          return project ? [{ ...one, project }] : [];
        }),
      ),
      error: results.find((result) => result.error)?.error,
      isLoading: results.some((result) => result.isLoading),
    }),
  });
  const refresh = () => queries.invalidateQueries({ queryKey: ['work'] });
  const cancel = async ({ cancel: stop, kind }: Row): Promise<void> => {
    await stop();
    notify(`The ${kind} is cancelled.`);
    await refresh();
  };
  const name = (id: string): string => {
    const profile = people.find((one) => one.id === id)?.profile;
    return profile?.name || profile?.email || id;
  };
  const columns: Column<Row>[] = [
    { name: 'kind', value: ({ kind }) => kind },
    {
      name: 'project',
      value: ({ project }) => project.name,
      render: ({ project, kind }) => (
        <AnchorLink size="sm" {...placeOf(kind, project)}>
          {project.name}
        </AnchorLink>
      ),
    },
    { name: 'file, statement or system', value: ({ what }) => what },
    { name: 'user', value: ({ userId }) => name(userId) },
    { name: 'since', value: ({ started }) => started, render: ({ started }) => timeOf(started) },
    {
      name: 'progress',
      value: ({ state, progress }) =>
        progress === undefined ? state : `${state}, ${Math.round(progress * 100)} %`,
      render: ({ state, progress, what }) =>
        state === 'queued' || progress === undefined ? (
          state
        ) : (
          <Progress value={progress * 100} mt={6} animated aria-label={`Progress of ${what}`} />
        ),
    },
    {
      name: 'actions',
      isAction: true,
      value: () => '',
      render: (row) => (
        <Button size="compact-xs" variant="default" onClick={() => void cancel(row).catch(reportError)}>
          Cancel
        </Button>
      ),
    },
  ];
  return (
    <Stack component="section" gap="xs">
      <Title order={2} size="h4">
        Running work
      </Title>
      {error && <ErrorAlert error={error} />}
      {rows.length === 0 ? (
        <Empty
          title={isLoading ? 'Loading…' : 'No running work'}
          action={
            <Button variant="default" onClick={() => void refresh()}>
              Refresh
            </Button>
          }
        >
          Queries, ingestions and syncs of the projects appear here until they end.
        </Empty>
      ) : (
        <Grid name="Running work" columns={columns} rows={rows}>
          <Button size="xs" variant="default" onClick={() => void refresh()}>
            Refresh
          </Button>
        </Grid>
      )}
    </Stack>
  );
}

/** Returns the address of the page that shows work of a kind. */
function placeOf(kind: Row['kind'], { id }: Project) {
  const params = { project: id };
  if (kind === 'sync') return linkOptions({ to: '/account/connections' });
  if (kind === 'query') return linkOptions({ to: '/projects/$project/sql', params });
  return linkOptions({ to: '/projects/$project/files', params, search: { tab: 'ingestions' } });
}

function timeOf(moment: string): string {
  return new Date(moment).toLocaleString();
}

function Storage({ projects: list }: { projects: Project[] }) {
  const may = useMay('projectAdmin', { type: 'project' });
  return may ? <StorageTable projects={list} /> : null;
}

function StorageTable({ projects: list }: { projects: Project[] }) {
  const { rows, error } = useQueries({
    queries: list.map(({ id }) => ({
      queryKey: ['storage', id],
      queryFn: () =>
        take(api.GET('/v1/projects/{id}', { params: { path: { id }, query: { include: 'storage' } } })),
    })),
    combine: (results) => ({
      rows: results.flatMap(({ data }) => data ?? []),
      error: results.find((result) => result.error)?.error,
    }),
  });
  const total = rows.reduce((sum, { storage }) => sum + (storage?.bytes ?? 0), 0);
  const columns: Column<Project>[] = [
    {
      name: 'project',
      value: ({ name }) => name,
      render: ({ id, name }) => (
        <AnchorLink size="sm" to="/projects/$project/files" params={{ project: id }}>
          {name}
        </AnchorLink>
      ),
    },
    { name: 'files', value: ({ storage }) => storage?.files, numeric: true },
    {
      name: 'bytes',
      value: ({ storage }) => storage?.bytes,
      render: ({ storage }) => bytesText(storage?.bytes ?? 0),
      numeric: true,
    },
  ];
  return (
    <Stack component="section" gap="xs">
      <Title order={2} size="h4">
        Storage
      </Title>
      {error && <ErrorAlert error={error} />}
      <Text size="sm">Files of all shown projects: {bytesText(total)}</Text>
      <Grid name="Storage" columns={columns} rows={rows} />
    </Stack>
  );
}
