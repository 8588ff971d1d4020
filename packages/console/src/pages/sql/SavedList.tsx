import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { members } from '../../api/account.ts';
import { self, useMay } from '../../api/lists.ts';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { AnchorLink } from '../../shell/links.tsx';
import { useRowActions } from '../../shell/RowActions.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { SaveDialogue } from './SaveDialogue.tsx';
import { ScheduleDialogue, scheduleText } from './ScheduleDialogue.tsx';
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
  const [edited, setEdited] = useState<SavedQuery>();
  const [planned, setPlanned] = useState<SavedQueryItem>();
  const owner = ({ ownerId }: SavedQueryItem): string => {
    const profile = people.find(({ id }) => id === ownerId)?.profile;
    return ownerId === me?.id ? 'me' : profile?.name || profile?.email || ownerId;
  };
  const { column, confirmation } = useRowActions<SavedQueryItem>({
    changes: ['saved', project],
    width: 300,
    of: (one) =>
      mayChange(one)
        ? [
            {
              label: 'Rename or share',
              run: async () => setEdited(await queries.fetchQuery(savedQuery(project, one.id))),
            },
            one.ownerId === me?.id && { label: 'Schedule', run: () => setPlanned(one) },
            {
              label: 'Delete',
              question: `Delete ${one.name}?`,
              warning: `The saved query will be removed${one.shared ? ', also for everybody with whom it is shared' : ''}. Its results stay.`,
              run: () => remove(project, one.id),
            },
          ]
        : [],
  });
  const columns: Column<SavedQueryItem>[] = [
    {
      name: 'name',
      value: ({ name }) => name,
      render: ({ id, name }) => (
        <AnchorLink size="sm" to="/projects/$project/sql" params={{ project }} search={{ saved: id }}>
          {name}
        </AnchorLink>
      ),
    },
    { name: 'runs at', value: scheduleText, width: 230 },
    { name: 'description', value: ({ description }) => description },
    { name: 'readers', value: ({ shared }) => (shared ? 'project' : 'owner only') },
    { name: 'owner', value: owner },
    { name: 'changed', value: ({ modificationTime }) => modificationTime, isTime: true },
    column,
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
      {planned && <ScheduleDialogue project={project} query={planned} close={() => setPlanned(undefined)} />}
      {confirmation}
    </>
  );
}
