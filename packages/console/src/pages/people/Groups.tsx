import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { groups } from '../../api/account.ts';
import { api, take } from '../../api/client.ts';
import type { Shape } from '../../api/lists.ts';
import { Ask } from '../../shell/Ask.tsx';
import { Loaded } from '../../shell/Feedback.tsx';
import { useRowActions } from '../../shell/RowActions.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';

type GroupOf = Shape<'Group'>;

/** Groups of the account, which policies name. */
export function Groups({ manages }: { manages: boolean }) {
  const queries = useQueryClient();
  const query = useQuery(groups());
  const [making, { open, close }] = useDisclosure();
  const refresh = () => queries.invalidateQueries({ queryKey: ['groups'] });
  const make = async ({ name = '', description = '' }: Record<string, string>): Promise<void> => {
    await take(api.POST('/v1/account/groups', { body: { name, description } }));
    await refresh();
  };
  const { column, confirmation } = useRowActions<GroupOf>({
    changes: ['groups'],
    of: ({ id, name }) => [
      manages && {
        label: 'Delete',
        question: `Delete ${name}?`,
        warning: 'The group will be removed. People who are in no other group leave the account.',
        run: () => take(api.DELETE('/v1/account/groups/{id}', { params: { path: { id } } })),
      },
    ],
  });
  const columns: Column<GroupOf>[] = [
    { name: 'group', value: ({ name }) => name },
    { name: 'description', value: ({ description }) => description },
    { name: 'type', value: ({ type }) => type },
    { name: 'id', value: ({ id }) => id },
    column,
  ];
  return (
    <>
      {manages && (
        <Button onClick={open} mb="sm">
          New group
        </Button>
      )}
      <Loaded query={query}>{(list) => <Grid name="Groups" columns={columns} rows={list} />}</Loaded>
      {making && (
        <Ask
          title="New group"
          action="Create"
          fields={[
            { name: 'name', label: 'Name' },
            { name: 'description', label: 'Description', optional: true },
          ]}
          run={make}
          close={close}
        />
      )}
      {confirmation}
    </>
  );
}
