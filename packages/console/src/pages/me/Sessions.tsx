import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, take } from '../../api/client.ts';
import type { Shape } from '../../api/lists.ts';
import { Loaded, tellError } from '../../shell/Feedback.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';

type Session = Shape<'Session'>;

/** Sessions of the user, each of which may be ended. */
export function Sessions() {
  const queries = useQueryClient();
  const query = useQuery({ queryKey: ['sessions'], queryFn: () => take(api.GET('/v1/sessions')) });
  const end = async (id: string): Promise<void> => {
    await take(api.DELETE('/v1/sessions/{id}', { params: { path: { id } } }));
    await queries.invalidateQueries({ queryKey: ['sessions'] });
  };
  const columns: Column<Session>[] = [
    { name: 'browser', value: ({ userAgent }) => userAgent },
    { name: 'address', value: ({ address }) => address },
    {
      name: 'last seen',
      value: ({ lastSeen }) => lastSeen,
      render: ({ lastSeen }) => new Date(lastSeen).toLocaleString(),
    },
    {
      name: 'actions',
      value: ({ current }) => (current ? 'this browser' : ''),
      render: ({ id, current }) =>
        current ? (
          'this browser'
        ) : (
          <Button size="compact-xs" variant="default" onClick={() => void end(id).catch(tellError)}>
            Sign out
          </Button>
        ),
    },
  ];
  return (
    <Loaded query={query}>{({ items }) => <Grid name="Sessions" columns={columns} rows={items} />}</Loaded>
  );
}
