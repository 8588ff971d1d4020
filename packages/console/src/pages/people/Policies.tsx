import { Button, Group } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, take } from '../../api/client.ts';
import type { Shape } from '../../api/lists.ts';
import { Confirm } from '../../shell/Confirm.tsx';
import { Loaded } from '../../shell/Feedback.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { grantsOf, sentenceOf } from './grants.ts';
import { nameIn, useChoices } from './names.ts';
import { PolicyEditor } from './PolicyEditor.tsx';
import { policies } from './queries.ts';
import { Recipe } from './Recipe.tsx';

type NamedPolicy = Shape<'NamedPolicy'>;

/** Policies of the account; a change shows the users who gain or lose by it before it is saved. */
export function Policies() {
  const query = useQuery(policies());
  const queries = useQueryClient();
  const choices = useChoices();
  const [edited, setEdited] = useState<Partial<NamedPolicy>>();
  const [removed, setRemoved] = useState<NamedPolicy>();
  const refresh = () => queries.invalidateQueries({ queryKey: ['policies'] });
  const remove = async (): Promise<void> => {
    await take(api.DELETE('/v1/policies/{policyId}', { params: { path: { policyId: removed?.id ?? '' } } }));
    await refresh();
  };
  const inWords = (policy: NamedPolicy['policy']): string =>
    grantsOf(policy)
      ?.map((grant) => sentenceOf(grant, (kind, id) => nameIn(choices, kind, id)))
      .join('; ') ?? `${Object.keys(policy.rules).join(', ')} under conditions of its text`;
  const columns: Column<NamedPolicy>[] = [
    { name: 'policy', value: ({ name }) => name },
    { name: 'gives', value: ({ policy }) => inWords(policy) },
    {
      name: 'actions',
      isAction: true,
      width: 140,
      value: () => '',
      render: (one) => (
        <Group gap={4} wrap="nowrap">
          <Button size="compact-xs" variant="default" onClick={() => setEdited(one)}>
            Edit
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => setRemoved(one)}>
            Delete
          </Button>
        </Group>
      ),
    },
  ];
  return (
    <>
      <Recipe propose={setEdited} />
      <Group my="sm">
        <Button onClick={() => setEdited({ name: '', policy: { rules: {} } })}>New policy</Button>
      </Group>
      <Loaded query={query}>{(list) => <Grid name="Policies" columns={columns} rows={list} />}</Loaded>
      {edited && (
        <PolicyEditor given={edited} saved={() => void refresh()} close={() => setEdited(undefined)} />
      )}
      {removed && (
        <Confirm
          title={`Delete ${removed.name}?`}
          action="Delete"
          run={remove}
          close={() => setRemoved(undefined)}
        >
          What this policy alone allows is lost at once.
        </Confirm>
      )}
    </>
  );
}
