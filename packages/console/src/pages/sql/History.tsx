import { useQuery } from '@tanstack/react-query';
import { api, take } from '../../api/client.ts';
import { type Query, statementOf } from '../../api/work.ts';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { useRowActions } from '../../shell/RowActions.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';

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
  const { column } = useRowActions<Query>({
    width: 130,
    of: (one) => [
      { label: 'Open', run: () => open(one.id) },
      { label: 'Edit', run: () => edit(statementOf(one)) },
    ],
  });
  const columns: Column<Query>[] = [
    { name: 'started', value: (one) => new Date(one.startTime).toISOString(), isTime: true },
    { name: 'state', value: (one) => one.state },
    { name: 'rows', value: (one) => one.rowCount, numeric: true },
    { name: 'statement', value: (one) => statementOf(one).replace(/\s+/g, ' ') },
    column,
  ];
  return (
    <Loaded query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title="No query yet">Run a statement: its result appears in a tab here.</Empty>
        ) : (
          <Grid name="History" columns={columns} rows={items} />
        )
      }
    </Loaded>
  );
}
