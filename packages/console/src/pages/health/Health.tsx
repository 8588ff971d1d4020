import { Alert, Badge, Code, Group, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { account, api, take } from '../../api/client.ts';
import { bytesText } from '../../api/files.ts';
import type { Shape } from '../../api/lists.ts';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { Page as Frame } from '../../shell/Page.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';

type Health = Shape<'Health'>;
type JobCount = Health['jobs'][number];

/** Time between two looks at the service, in milliseconds. */
const everyMs = 15_000;

/** State of the service: parts, disk, jobs of the account, and what an operator should change. */
export function Page() {
  const query = useQuery({
    queryKey: ['health', account()],
    queryFn: () => take(api.GET('/v1/health')),
    refetchInterval: everyMs,
  });
  return (
    <Frame title="Health">
      <Loaded query={query}>
        {(health) => (
          <>
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <Service {...health} />
              <Disk disk={health.service?.disk} />
            </SimpleGrid>
            {health.service && <Risks risks={health.service.risks} />}
            <JobTable jobs={health.jobs} />
          </>
        )}
      </Loaded>
    </Frame>
  );
}

function Service({ version, commit, service }: Health) {
  return (
    <Stack component="section" gap={4}>
      <Title order={2} size="h4">
        Service
      </Title>
      {service ? (
        <Group gap="xs" role="status">
          <Badge color={service.failure === undefined ? 'teal.9' : 'red.9'} variant="filled">
            {service.failure === undefined ? 'ready' : 'not ready'}
          </Badge>
          <Text size="sm">{service.failure ?? 'Records, files and engine answer.'}</Text>
        </Group>
      ) : (
        <Text size="sm">Its operator watches over parts, disk and backups of all accounts.</Text>
      )}
      <Text size="sm">Version {version}</Text>
      {commit && (
        <Text size="sm">
          Commit <Code>{commit}</Code>
        </Text>
      )}
      {service?.lastBackup !== undefined && (
        <Text size="sm">Last backup {new Date(service.lastBackup).toLocaleString()}</Text>
      )}
    </Stack>
  );
}

function Disk({ disk }: { disk: NonNullable<Health['service']>['disk'] }) {
  if (!disk) return null;
  const used = ((disk.bytes - disk.freeBytes) / disk.bytes) * 100;
  return (
    <Stack component="section" gap={4}>
      <Title order={2} size="h4">
        Disk of the data
      </Title>
      <Text size="sm">
        {bytesText(disk.freeBytes)} of {bytesText(disk.bytes)} are free
      </Text>
      <Progress value={used} color={used > 90 ? 'red.9' : undefined} aria-label="Used part of the disk" />
    </Stack>
  );
}

function Risks({ risks }: Pick<NonNullable<Health['service']>, 'risks'>) {
  return (
    <Stack component="section" gap="xs">
      <Title order={2} size="h4">
        Risks
      </Title>
      {risks.length === 0 && <Text size="sm">No setting needs a change.</Text>}
      {risks.map(({ what, remedy }) => (
        <Alert
          key={what}
          color="yellow"
          variant="light"
          title={what}
          styles={{ label: { color: 'var(--mantine-color-text)' } }}
        >
          {remedy}
        </Alert>
      ))}
    </Stack>
  );
}

function JobTable({ jobs }: Pick<Health, 'jobs'>) {
  const columns: Column<JobCount>[] = [
    { name: 'kind', value: ({ kind }) => kind },
    { name: 'state', value: ({ state }) => state },
    { name: 'jobs', value: ({ count }) => count, numeric: true },
    { name: 'oldest', value: ({ since }) => new Date(since).toISOString(), isTime: true },
  ];
  return (
    <Stack component="section" gap="xs">
      <Title order={2} size="h4">
        Jobs of the account
      </Title>
      {jobs.length === 0 ? (
        <Empty title="No job">Jobs that wait, run, or failed within a day appear here.</Empty>
      ) : (
        <Grid name="Jobs" columns={columns} rows={jobs} />
      )}
    </Stack>
  );
}
