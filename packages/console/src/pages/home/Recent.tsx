import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { linkOptions } from '@tanstack/react-router';
import { account, api, take } from '../../api/client.ts';
import type { Shape } from '../../api/lists.ts';
import { Loaded } from '../../shell/Feedback.tsx';
import { AnchorLink } from '../../shell/links.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';

type Row = Shape<'Work'>;

const rowsMax = 10;

/** Latest work of the user in all projects, each with the way back to it. */
export function Recent() {
  const query = useQuery({
    queryKey: ['activity', account()],
    queryFn: async () =>
      (await take(api.GET('/v1/activity', { params: { query: { pageSize: rowsMax } } }))).items,
  });
  return (
    <Stack component="section" gap="xs" mb="md">
      <Title order={2} size="h4">
        Recent work
      </Title>
      <Loaded query={query}>
        {(rows) =>
          rows.length === 0 ? (
            <Text size="sm" c="var(--soft)">
              Your latest queries, ingestions and cohorts appear here.
            </Text>
          ) : (
            <Grid name="Recent work" columns={columns} rows={rows} heightMax={260} />
          )
        }
      </Loaded>
    </Stack>
  );
}

const columns: Column<Row>[] = [
  {
    name: 'work',
    value: ({ what }) => oneLine(what),
    render: (row) => (
      <AnchorLink size="sm" {...placeOf(row)}>
        <bdi>{oneLine(row.what) || row.kind}</bdi>
      </AnchorLink>
    ),
  },
  { name: 'kind', value: ({ kind }) => kind },
  { name: 'project', value: ({ projectName }) => projectName },
  { name: 'state', value: ({ kind, state }) => (kind === 'cohort' ? '' : state) },
  { name: 'at', isTime: true, value: ({ at }) => new Date(at).toISOString() },
];

const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

/** Returns the address that continues a work. */
function placeOf({ kind, id, what, datasetId }: Row) {
  const params = { project: datasetId };
  if (kind === 'query') return linkOptions({ to: '/projects/$project/sql', params, search: { sql: what } });
  if (kind === 'cohort')
    return linkOptions({
      to: '/projects/$project',
      params,
      search: { filter: JSON.stringify([{ is: { cohort: id } }]), view: 'subjects' },
    });
  return linkOptions({ to: '/projects/$project/files', params, search: { tab: 'ingestions' } });
}
