import { Checkbox, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Ask } from '../../shell/Ask.tsx';
import { notify } from '../../shell/Feedback.tsx';
import { type SavedQuery, save } from './saved.ts';

interface Props {
  project: string;
  statement: string;
  /** Query to replace; absent: a new one. */
  replaces?: SavedQuery | undefined;
  saved: (query: SavedQuery) => void;
  close: () => void;
}

/** Asks for name, description and readers of a statement, and saves it. */
export function SaveDialogue({ project, statement, replaces, saved, close }: Props) {
  const [shared, setShared] = useState(replaces?.shared ?? false);
  const queries = useQueryClient();
  const run = async (values: Record<string, string>): Promise<void> => {
    const { name = '', description = '' } = values;
    const made = await save(project, replaces?.id, { name, description, statement, shared });
    await queries.invalidateQueries({ queryKey: ['saved', project] });
    notify(`${made.name} is saved.`);
    saved(made);
  };
  return (
    <Ask
      title={replaces ? `Save ${replaces.name}` : 'Save the query'}
      action="Save"
      fields={[
        { name: 'name', label: 'Name', value: replaces?.name ?? '' },
        { name: 'description', label: 'Description', value: replaces?.description ?? '', optional: true },
      ]}
      run={run}
      close={close}
    >
      <Checkbox
        label="Share with everybody who may read data of this project"
        checked={shared}
        onChange={(event) => setShared(event.currentTarget.checked)}
      />
      {shared && (
        <Text size="sm" c="var(--soft)">
          Readers of masked data can also read the statement: do not name a patient in it.
        </Text>
      )}
    </Ask>
  );
}
