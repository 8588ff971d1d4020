import { Button, Progress, Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { linkOptions } from '@tanstack/react-router';
import { members } from '../../api/account.ts';
import { bytesText } from '../../api/files.ts';
import { projects, type Shape } from '../../api/lists.ts';
import { Empty, ErrorAlert, Loaded, notify, reportError } from '../../shell/Feedback.tsx';
import { AnchorLink } from '../../shell/links.tsx';
import { Page as Frame } from '../../shell/Page.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { type OpenWork, openSyncs, openWork } from './open-work.ts';

type Project = Shape<'Project'>;

/** Work that runs in the account, and the storage of its projects. */
export function Page() {
  return (
    <Frame title="Work and storage">
      <Running />
      <Storage />
    </Frame>
  );
}

function Running() {
  const queries = useQueryClient();
  const { data: people = [] } = useQuery(members());
  const { data: list = [] } = useQuery(projects('rights,counts'));
  const projectOf = ({ projectId }: OpenWork): string =>
    list.find(({ id }) => id === projectId)?.name ?? projectId;
  const work = useQuery(openWork());
  const syncs = useQuery(openSyncs());
  const rows: OpenWork[] = [...(work.data ?? []), ...(syncs.data ?? [])];
  const error = work.error ?? syncs.error;
  const isLoading = work.isLoading || syncs.isLoading;
  const refresh = () => queries.invalidateQueries({ queryKey: ['work'] });
  const cancel = async ({ cancel: stop, kind }: OpenWork): Promise<void> => {
    await stop();
    notify(`The ${kind} is cancelled.`);
    await refresh();
  };
  const name = (id: string): string => {
    const profile = people.find((one) => one.id === id)?.profile;
    return profile?.name || profile?.email || id;
  };
  const columns: Column<OpenWork>[] = [
    { name: 'kind', value: ({ kind }) => kind },
    {
      name: 'project',
      value: projectOf,
      render: (row) => (
        <AnchorLink size="sm" {...placeOf(row)}>
          <bdi>{projectOf(row)}</bdi>
        </AnchorLink>
      ),
    },
    { name: 'file, statement or system', value: ({ what }) => what },
    { name: 'user', value: ({ userId }) => name(userId) },
    { name: 'since', isTime: true, value: ({ started }) => started },
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

/** Returns the address of the page that shows a work. */
function placeOf({ kind, projectId }: OpenWork) {
  const params = { project: projectId };
  if (kind === 'sync') return linkOptions({ to: '/account/connections' });
  if (kind === 'query') return linkOptions({ to: '/projects/$project/sql', params });
  return linkOptions({ to: '/projects/$project/files', params, search: { tab: 'ingestions' } });
}

/** Files of all projects of which the user may know them, the largest project first. */
function Storage() {
  const query = useQuery(projects('rights,counts'));
  return (
    <Loaded query={query}>
      {(list) => {
        const known = list.filter(({ counts }) => counts !== undefined);
        return known.length > 0 && <StorageTable projects={known} />;
      }}
    </Loaded>
  );
}

function StorageTable({ projects }: { projects: Project[] }) {
  const bytesOf = ({ counts }: Project): number => counts?.bytes ?? 0;
  const rows = projects.toSorted((one, other) => bytesOf(other) - bytesOf(one));
  const total = rows.reduce((sum, one) => sum + bytesOf(one), 0);
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
    { name: 'files', value: ({ counts }) => counts?.files, numeric: true },
    {
      name: 'bytes',
      value: bytesOf,
      render: (one) => bytesText(bytesOf(one)),
      numeric: true,
    },
  ];
  return (
    <Stack component="section" gap="xs">
      <Title order={2} size="h4">
        Storage
      </Title>
      <Text size="sm">Files of all shown projects: {bytesText(total)}</Text>
      <Grid name="Storage" columns={columns} rows={rows} />
    </Stack>
  );
}
