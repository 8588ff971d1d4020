import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { Dropzone, type FileWithPath } from '@mantine/dropzone';
import { useState } from 'react';
import { addUploads } from './uploads.ts';

/** Takes files and folders, by dropping or choosing. */
export function DropArea({ project, prefix, done }: { project: string; prefix: string; done: () => void }) {
  const [ingest, setIngest] = useState(true);
  const [overwrite, setOverwrite] = useState(false);
  const [folder, setFolder] = useState('');
  const take = (files: FileWithPath[]): void => {
    const under = folder.trim().replace(/^\/+|(?<!\/)\/+$/g, '');
    const start = `${prefix}${under && `${under}/`}`;
    const named = files.map((file) => ({
      file,
      name: start + (file.path ?? file.name).replace(/^\.?\/+/, ''),
    }));
    addUploads(project, named, { ingest, overwrite }, done);
  };
  return (
    <Stack gap="xs">
      <Dropzone
        onDrop={take}
        useFsAccessApi={false}
        multiple
        inputProps={{ 'aria-label': 'Files to upload' }}
        p="md"
      >
        <Group justify="center" gap="md">
          <Text>Drop files or folders here</Text>
          <Button variant="default" component="span">
            Choose files
          </Button>
        </Group>
      </Dropzone>
      <Group>
        <TextInput
          size="xs"
          aria-label="New folder for these files"
          placeholder="New folder (optional)"
          value={folder}
          onChange={(event) => setFolder(event.currentTarget.value)}
        />
        <Checkbox
          label="Ingest when complete"
          checked={ingest}
          onChange={(event) => setIngest(event.currentTarget.checked)}
        />
        <Checkbox
          label="Replace files of the same name"
          checked={overwrite}
          onChange={(event) => setOverwrite(event.currentTarget.checked)}
        />
      </Group>
    </Stack>
  );
}
