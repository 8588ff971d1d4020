import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { Dropzone, type FileWithPath } from '@mantine/dropzone';
import { useRef, useState } from 'react';
import { reportError } from '../../shell/Feedback.tsx';
import { type Dropped, packed, studiesIn } from './study-folder.ts';
import { addUploads } from './uploads.ts';

/** Takes files and folders, by dropping or choosing. */
export function DropArea({ project, prefix, done }: { project: string; prefix: string; done: () => void }) {
  const [ingest, setIngest] = useState(true);
  const [overwrite, setOverwrite] = useState(false);
  const [folder, setFolder] = useState('');
  const [packing, setPacking] = useState('');
  const take = async (files: FileWithPath[]): Promise<void> => {
    const under = folder.trim().replace(/^\/+|(?<!\/)\/+$/g, '');
    const start = `${prefix}${under && `${under}/`}`;
    const dropped = files.map((file) => ({
      file,
      name: (file.path || file.webkitRelativePath || file.name).replace(/^\.?\/+/, ''),
    }));
    // Without ingestion the files are wanted as they are.
    const { studies, others } = ingest ? await studiesIn(dropped) : { studies: [], others: dropped };
    const add = (list: Dropped[]): void =>
      addUploads(
        project,
        list.map(({ file, name }) => ({ file, name: start + name })),
        { ingest, overwrite },
        done,
      );
    if (others.length > 0) add(others);
    for (const study of studies) {
      setPacking(study.name);
      const file = await packed(study);
      add([{ file, name: file.name }]);
    }
    setPacking('');
  };
  const takeAll = (files: FileWithPath[]): void => void take(files).catch(reportError);
  return (
    <Stack gap="xs">
      <Dropzone
        onDrop={takeAll}
        useFsAccessApi={false}
        multiple
        inputProps={{ 'aria-label': 'Files to upload' }}
        p="md"
      >
        <Group justify="center" gap="md">
          <Text>Drop files or folders here, also a study of cBioPortal: its folder or archive</Text>
          <Button variant="default" component="span">
            Choose files
          </Button>
        </Group>
      </Dropzone>
      <Group>
        <FolderButton take={takeAll} />
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
      {packing !== '' && (
        <Text size="sm" role="status">
          {packing} is a study of cBioPortal. Its files are packed into one archive…
        </Text>
      )}
    </Stack>
  );
}

/** Button that chooses a folder with everything in it. */
function FolderButton({ take }: { take: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => input.current?.click()}>
        Choose a folder
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        aria-label="Folder to upload"
        {...{ webkitdirectory: '' }}
        onChange={(event) => {
          take([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = '';
        }}
      />
    </>
  );
}
