import { Anchor, Button, Group } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { self, useMay } from '../../api/lists.ts';
import { Confirm } from '../../shell/Confirm.tsx';
import { Empty, Loaded, tellError } from '../../shell/Feedback.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { members } from '../people/queries.ts';
import { SaveDialogue } from './SaveDialogue.tsx';
import { remove, type SavedQuery, type SavedQueryItem, savedQueries, savedQuery } from './saved.ts';

/** Reports whether the user may change a saved query. */
export function useMayChange(project: string): (query: SavedQueryItem) => boolean {
  const { data: me } = useQuery(self);
  const administers = useMay('projectAdmin', { dataset: project, type: 'query' });
  return ({ ownerId }) => ownerId === me?.id || administers === true;
}

/** Own and shared queries of a project: open, rename, share, delete. */
export function SavedList({ project }: { project: string }) {
  const queries = useQueryClient();
  const query = useQuery(savedQueries(project));
  const { data: me } = useQuery(self);
  const { data: people = [] } = useQuery(members());
  const mayChange = useMayChange(project);
  const [removed, setRemoved] = useState<SavedQueryItem>();
  const [edited, setEdited] = useState<SavedQuery>();
  const owner = ({ ownerId }: SavedQueryItem): string => {
    const profile = people.find(({ id }) => id === ownerId)?.profile;
    return ownerId === me?.id ? 'me' : profile?.name || profile?.email || ownerId;
  };
  const columns: Column<SavedQueryItem>[] = [
    {
      name: 'name',
      value: ({ name }) => name,
      render: ({ id, name }) => (
        <Anchor component={Link} size="sm" to="." {...({ search: { saved: id } } as object)}>
          {name}
        </Anchor>
      ),
    },
    { name: 'description', value: ({ description }) => description },
    { name: 'readers', value: ({ shared }) => (shared ? 'project' : 'owner only') },
    { name: 'owner', value: owner },
    {
      name: 'changed',
      value: ({ modificationTime }) => modificationTime,
      render: ({ modificationTime }) => new Date(modificationTime).toLocaleString(),
    },
    {
      name: 'actions',
      isAction: true,
      value: () => '',
      render: (one) =>
        mayChange(one) && (
          <Group gap={4} wrap="nowrap">
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => void queries.fetchQuery(savedQuery(project, one.id)).then(setEdited, tellError)}
            >
              Rename or share
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
      <Loaded query={query}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="No saved query yet">Save a statement to find it here, or to share it.</Empty>
          ) : (
            <Grid name="Saved queries" columns={columns} rows={items} />
          )
        }
      </Loaded>
      {edited && (
        <SaveDialogue
          project={project}
          statement={edited.statement}
          replaces={edited}
          saved={() => undefined}
          close={() => setEdited(undefined)}
        />
      )}
      {removed && (
        <Confirm
          title={`Delete ${removed.name}?`}
          action="Delete"
          run={async () => {
            await remove(project, removed.id);
            await queries.invalidateQueries({ queryKey: ['saved', project], exact: true });
          }}
          close={() => setRemoved(undefined)}
        >
          The saved query will be removed{removed.shared && ', also for everybody it is shared with'}. Results
          of its runs stay.
        </Confirm>
      )}
    </>
  );
}
