import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, take } from '../../api/client.ts';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { type Query, statementOf } from './run.ts';

interface Props {
  project: string;
  open: (queryId: string) => void;
  edit: (statement: string) => void;
}

/** Earlier queries of the project that the caller may see. */
export function History({ project, open, edit }: Props) {
  const query = useQuery({
    queryKey: ['queries', project],
    queryFn: () =>
      take(
        api.GET('/api/v1/analytics/data-lake/query', {
          params: { query: { datasetId: project, pageSize: 200 } },
        }),
      ),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(({ state }) => state === 'running') ? 1000 : false,
  });
  const columns: Column<Query>[] = [
    {
      name: 'started',
      value: (one) => new Date(one.startTime).toISOString(),
      render: (one) => new Date(one.startTime).toLocaleString(),
    },
    { name: 'state', value: (one) => one.state },
    { name: 'rows', value: (one) => one.rowCount, numeric: true },
    { name: 'statement', value: (one) => statementOf(one).replace(/\s+/g, ' ') },
    {
      name: 'again',
      isAction: true,
      width: 130,
      value: () => '',
      render: (one) => (
        <>
          <Button size="compact-xs" variant="default" onClick={() => open(one.id)}>
            Open
          </Button>{' '}
          <Button size="compact-xs" variant="default" onClick={() => edit(statementOf(one))}>
            Edit
          </Button>
        </>
      ),
    },
  ];
  return (
    <Loaded query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title="No query yet">Results appear beside this tab.</Empty>
        ) : (
          <Grid name="History" columns={columns} rows={items} />
        )
      }
    </Loaded>
  );
}
