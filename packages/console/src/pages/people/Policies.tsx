import { Button, Group } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { policies } from '../../api/account.ts';
import { api, take } from '../../api/client.ts';
import type { Shape } from '../../api/lists.ts';
import { Loaded } from '../../shell/Feedback.tsx';
import { useRowActions } from '../../shell/RowActions.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { grantsOf, sentenceOf } from './grants.ts';
import { nameIn, useChoices } from './names.ts';
import { PolicyEditor } from './PolicyEditor.tsx';
import { Recipe } from './Recipe.tsx';

type NamedPolicy = Shape<'NamedPolicy'>;

/** Policies of the account; a change shows the users who gain or lose by it before it is saved. */
export function Policies() {
  const query = useQuery(policies());
  const queries = useQueryClient();
  const choices = useChoices();
  const [edited, setEdited] = useState<Partial<NamedPolicy>>();
  const refresh = () => queries.invalidateQueries({ queryKey: ['policies'] });
  const { column, confirmation } = useRowActions<NamedPolicy>({
    changes: ['policies'],
    width: 140,
    of: (one) => [
      { label: 'Edit', run: () => setEdited(one) },
      {
        label: 'Delete',
        question: `Delete ${one.name}?`,
        warning: 'Everything that only this policy allows is refused at once.',
        run: () => take(api.DELETE('/v1/policies/{policyId}', { params: { path: { policyId: one.id } } })),
      },
    ],
  });
  const inWords = (policy: NamedPolicy['policy']): string =>
    grantsOf(policy)
      ?.map((grant) => sentenceOf(grant, (kind, id) => nameIn(choices, kind, id)))
      .join('; ') ?? `${Object.keys(policy.rules).join(', ')} under conditions that only its text can show`;
  const columns: Column<NamedPolicy>[] = [
    { name: 'policy', value: ({ name }) => name },
    { name: 'grants', value: ({ policy }) => inWords(policy) },
    column,
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
      {confirmation}
    </>
  );
}
