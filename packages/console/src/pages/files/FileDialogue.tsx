import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { api, take } from '../../api/client.ts';
import { Ask } from '../../shell/Ask.tsx';
import { Confirm } from '../../shell/Confirm.tsx';
import type { Doing, Entry } from './entry.ts';
import { IngestDialogue } from './IngestDialogue.tsx';
import { Preview } from './Preview.tsx';

interface Props {
  project: string;
  entry: Entry;
  doing: Doing;
  changed: () => void;
  close: () => void;
}

/** The dialogue of an action on a file. */
export function FileDialogue({ project, entry, doing, changed, close }: Props) {
  const { id = '', name } = entry;
  const path = { path: { id } };
  if (doing === 'preview') return <Preview entry={entry} close={close} />;
  if (doing === 'ingest')
    return <IngestDialogue project={project} entry={entry} changed={changed} close={close} />;
  if (doing === 'delete') return <DeleteFile id={id} name={name} changed={changed} close={close} />;
  return (
    <Ask
      title="Rename or move"
      action="Save"
      fields={[{ name: 'name', label: 'Path in the project', value: name }]}
      run={async ({ name: given = '' }) => {
        await take(api.PATCH('/v1/files/{id}', { params: path, body: { name: given } }));
        changed();
      }}
      close={close}
    />
  );
}

function DeleteFile({
  id,
  name,
  changed,
  close,
}: {
  id: string;
  name: string;
  changed: () => void;
  close: () => void;
}) {
  const [keepRows, setKeepRows] = useState(false);
  return (
    <Confirm
      title="Delete the file?"
      action="Delete"
      close={close}
      run={async () => {
        const params = { path: { id }, query: keepRows ? { keepRows } : {} };
        await take(api.DELETE('/v1/files/{id}', { params }));
        changed();
      }}
    >
      {name} will be removed, and the rows that were ingested from it. This cannot be undone.
      <Checkbox
        mt="md"
        label="Keep the rows"
        checked={keepRows}
        onChange={(event) => setKeepRows(event.currentTarget.checked)}
      />
    </Confirm>
  );
}
