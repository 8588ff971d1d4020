import { useQuery } from '@tanstack/react-query';
import { api, take } from '../../api/client.ts';
import { isOpen, type Sync } from '../../api/work.ts';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { useRowActions } from '../../shell/RowActions.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';

/** Syncs of an EHR system, newest first. */
export function Syncs({ ehrId }: { ehrId: string }) {
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
  const { column } = useRowActions<Sync>({
    changes: ['syncs', ehrId],
    of: (sync) => [
      isOpen(sync) && {
        label: 'Cancel',
        run: () =>
          take(
            api.DELETE('/v1/ehrs/{ehrId}/syncs/{syncId}', { params: { path: { ehrId, syncId: sync.id } } }),
          ),
      },
    ],
  });
  const columns: Column<Sync>[] = [
    { name: 'created', value: ({ created }) => created, isTime: true },
    { name: 'state', value: ({ state }) => state },
    { name: 'by', value: ({ startedBy }) => startedBy.toLowerCase() },
    { name: 'resources', value: ({ progress }) => progress.resources, numeric: true },
    { name: 'rows', value: ({ progress }) => progress.rows, numeric: true },
    { name: 'warnings', value: ({ warningCount }) => warningCount, numeric: true },
    { name: 'error', value: ({ error }) => error?.message },
    column,
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
