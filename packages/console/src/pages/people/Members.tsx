import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { members } from '../../api/account.ts';
import { api, take } from '../../api/client.ts';
import { type Shape, self } from '../../api/lists.ts';
import { Loaded } from '../../shell/Feedback.tsx';
import { useRowActions } from '../../shell/RowActions.tsx';
import { useView } from '../../shell/ViewBanner.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { GroupsOfPerson } from './GroupsOfPerson.tsx';

type Person = Shape<'Person'>;

/** People of the account with their groups. */
export function Members({ manages, administers }: { manages: boolean; administers: boolean }) {
  const { data: user } = useQuery(self);
  const see = useView();
  const query = useQuery(members());
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<string>();
  const change = async (person: Person, group: string, member: boolean): Promise<void> => {
    const params = { path: { id: group, username: person.id } };
    const address = '/v1/account/groups/{id}/members/{username}';
    await take(member ? api.PUT(address, { params }) : api.DELETE(address, { params }));
    await queries.invalidateQueries({ queryKey: ['members'] });
  };
  const { column } = useRowActions<Person>({
    width: 150,
    of: ({ id, profile }) => [
      manages && { label: 'Groups', run: () => setChosen(id) },
      manages &&
        administers &&
        id !== user?.id && {
          label: 'See as',
          run: () => see({ id, name: profile.name || profile.email || id }),
        },
    ],
  });
  const columns: Column<Person>[] = [
    { name: 'name', value: ({ profile }) => profile.name },
    { name: 'e-mail', value: ({ profile }) => profile.email },
    { name: 'owner', value: ({ owner }) => (owner ? 'owner' : '') },
    { name: 'groups', value: (one) => (one.groups ?? []).map(({ name }) => name).join(', ') },
    column,
  ];
  return (
    <Loaded query={query}>
      {(list) => {
        const person = list.find(({ id }) => id === chosen);
        return (
          <>
            <Grid name="People" columns={columns} rows={list} />
            {person && <GroupsOfPerson person={person} change={change} close={() => setChosen(undefined)} />}
          </>
        );
      }}
    </Loaded>
  );
}
