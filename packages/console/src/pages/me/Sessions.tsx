import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, take } from '../../api/client.ts';
import type { Shape } from '../../api/lists.ts';
import { Loaded } from '../../shell/Feedback.tsx';
import { useRowActions } from '../../shell/RowActions.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';

type Session = Shape<'Session'>;

/** Sessions of the user, each of which may be ended. */
export function Sessions() {
  const query = useQuery({ queryKey: ['sessions'], queryFn: () => take(api.GET('/v1/sessions')) });
  const { column } = useRowActions<Session>({
    changes: ['sessions'],
    width: 130,
    of: ({ id, current }) => [
      current ? (
        <Text key={id} size="sm">
          this browser
        </Text>
      ) : (
        { label: 'Sign out', run: () => take(api.DELETE('/v1/sessions/{id}', { params: { path: { id } } })) }
      ),
    ],
  });
  const columns: Column<Session>[] = [
    { name: 'browser', value: ({ userAgent }) => userAgent },
    { name: 'address', value: ({ address }) => address },
    { name: 'last seen', value: ({ lastSeen }) => lastSeen, isTime: true },
    column,
  ];
  return (
    <Loaded query={query}>{({ items }) => <Grid name="Sessions" columns={columns} rows={items} />}</Loaded>
  );
}
