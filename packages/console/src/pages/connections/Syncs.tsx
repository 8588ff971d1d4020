import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, take } from '../../api/client.ts';
import { Empty, Loaded, tellError } from '../../shell/Feedback.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { isOpen, type Sync } from './sync.ts';

/** Syncs of an EHR system, newest first. */
export function Syncs({ ehrId }: { ehrId: string }) {
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: ['syncs', ehrId],
    queryFn: async () =>
      (
        await take(
          api.GET('/v1/ehrs/{ehrId}/syncs', { params: { path: { ehrId }, query: { pageSize: 100 } } }),
        )
      ).items,
    refetchInterval: ({ state: { data } }) => (data?.some(isOpen) ? 1000 : false),
  });
  const cancel = async (syncId: string): Promise<void> => {
    await take(api.DELETE('/v1/ehrs/{ehrId}/syncs/{syncId}', { params: { path: { ehrId, syncId } } }));
    await queries.invalidateQueries({ queryKey: ['syncs', ehrId] });
  };
  const columns: Column<Sync>[] = [
    { name: 'created', value: ({ created }) => created, isTime: true },
    { name: 'state', value: ({ state }) => state },
    { name: 'by', value: ({ startedBy }) => startedBy.toLowerCase() },
    { name: 'resources', value: ({ progress }) => progress.resources, numeric: true },
    { name: 'rows', value: ({ progress }) => progress.rows, numeric: true },
    { name: 'warnings', value: ({ warningCount }) => warningCount, numeric: true },
    { name: 'error', value: ({ error }) => error?.message },
    {
      name: 'actions',
      isAction: true,
      width: 100,
      value: () => '',
      render: (sync) =>
        isOpen(sync) && (
          <Button size="compact-xs" variant="default" onClick={() => void cancel(sync.id).catch(tellError)}>
            Cancel
          </Button>
        ),
    },
  ];
  return (
    <Loaded query={query}>
      {(list) =>
        list.length === 0 ? (
          <Empty title="No sync yet" />
        ) : (
          <Grid name="Syncs" columns={columns} rows={list} />
        )
      }
    </Loaded>
  );
}
