import { Badge, Button, Checkbox, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, take } from '../../api/client.ts';
import type { Shape } from '../../api/lists.ts';
import { Ask } from '../../shell/Ask.tsx';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { useRowActions } from '../../shell/RowActions.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';

type Bucket = Shape<'Bucket'>;

const looksEveryMs = 2000;
const colors = { ready: 'teal', failed: 'red', looking: 'blue', removing: 'gray' } as Record<string, string>;

/** Buckets whose objects are files of a project, where they are. */
export function Buckets({ project }: { project: string }) {
  const queries = useQueryClient();
  const [making, { open, close }] = useDisclosure();
  const path = { id: project };
  const query = useQuery({
    queryKey: ['buckets', project],
    queryFn: async () => (await take(api.GET('/v1/projects/{id}/buckets', { params: { path } }))).items,
    refetchInterval: ({ state: { data = [] } }) =>
      data.some(({ state }) => state === 'looking' || state === 'removing') && looksEveryMs,
  });
  const found = JSON.stringify(query.data?.map(({ id, files, looked }) => [id, files, looked]));
  // The work on a bucket adds and removes files without a request of this page.
  useEffect(() => {
    if (found !== undefined) void queries.invalidateQueries({ queryKey: ['files', project] });
  }, [queries, project, found]);
  const { column, confirmation } = useRowActions<Bucket>({
    changes: ['buckets'],
    width: 212,
    of: ({ id: bucketId, address, state }) => {
      const params = { path: { ...path, bucketId } };
      return [
        state !== 'removing' && {
          label: 'Look now',
          run: () => take(api.POST('/v1/projects/{id}/buckets/{bucketId}/look', { params })),
        },
        {
          label: 'Disconnect',
          question: `Disconnect ${address}?`,
          warning: 'Its files leave the project. Rows that were ingested stay, and so do the objects.',
          run: () => take(api.DELETE('/v1/projects/{id}/buckets/{bucketId}', { params })),
        },
      ];
    },
  });
  const columns: Column<Bucket>[] = [
    {
      name: 'state',
      value: ({ state }) => state,
      render: ({ state }) => <Badge color={colors[state] ?? 'gray'}>{state}</Badge>,
    },
    { name: 'bucket', value: ({ address }) => address },
    { name: 'reason', value: ({ failure = '' }) => failure },
    { name: 'folder', value: ({ folder }) => folder },
    { name: 'files', value: ({ files }) => files },
    { name: 'skipped', value: ({ skipped }) => skipped },
    { name: 'missing', value: ({ missing }) => missing },
    { name: 'looked', value: ({ looked }) => looked, isTime: true },
    column,
  ];
  return (
    <>
      <Button onClick={open} mb="sm">
        Connect a bucket
      </Button>
      <Loaded query={query}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No bucket">
              Objects of a bucket of S3 can be files of this project and stay where they are.
            </Empty>
          ) : (
            <Grid name="Buckets" columns={columns} rows={list} />
          )
        }
      </Loaded>
      {making && (
        <Connect
          project={project}
          close={close}
          done={() => queries.invalidateQueries({ queryKey: ['buckets', project] })}
        />
      )}
      {confirmation}
    </>
  );
}

function Connect({
  project,
  close,
  done,
}: {
  project: string;
  close: () => void;
  done: () => Promise<void>;
}) {
  const [ingest, setIngest] = useState(false);
  const connect = async (values: Record<string, string>): Promise<void> => {
    const { address = '', ...others } = values;
    const given = Object.entries(others).filter(([, value]) => value !== '');
    const body = { address, ingest, ...Object.fromEntries(given) };
    await take(api.POST('/v1/projects/{id}/buckets', { params: { path: { id: project } }, body }));
    await done();
  };
  return (
    <Ask
      title="Connect a bucket"
      action="Connect"
      fields={[
        { name: 'address', label: 'Address', value: 's3://' },
        { name: 'folder', label: 'Folder of its files', optional: true },
        { name: 'accessKeyId', label: 'Access key id', optional: true },
        { name: 'secretAccessKey', label: 'Secret access key', type: 'password', optional: true },
      ]}
      run={connect}
      close={close}
    >
      <Checkbox
        label="Ingest new and changed files"
        checked={ingest}
        onChange={(event) => setIngest(event.currentTarget.checked)}
      />
      <Text size="xs" c="dimmed">
        As s3://bucket/prefix?region=eu-central-1, with &amp;endpoint=https://… for a store other than AWS.
        The key has to allow listing and reading; nothing is written.
      </Text>
    </Ask>
  );
}
