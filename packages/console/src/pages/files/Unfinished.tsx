import { Alert, Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { bytesText } from '../../api/files.ts';
import { notify } from '../../shell/Feedback.tsx';
import { addUploads, forgetUnfinished, isSame, type Unfinished, unfinishedIn } from './uploads.ts';

interface Props {
  project: string;
  prefix: string;
  done: () => void;
}

/** Uploads that a closed page has cut off: each goes on when its file is chosen again. */
export function UnfinishedUploads({ project, prefix, done }: Props) {
  const [list, setList] = useState(() => unfinishedIn(project));
  if (list.length === 0) return null;
  const goOn = (one: Unfinished, file: File | null): void => {
    if (!file) return;
    const name = `${prefix}${file.name}`;
    if (!isSame(one, project, name, file)) {
      notify('This is another file, or the upload was in another folder: open that folder first.');
      return;
    }
    addUploads(project, [{ file, name }], { ingest: true, overwrite: false }, done);
    setList(unfinishedIn(project));
  };
  return (
    <Alert color="yellow" variant="light" title="Uploads that are not complete" styles={labelColour}>
      <Stack gap="xs">
        {list.map((one) => (
          <Group key={one.key} justify="space-between">
            <Text size="sm">
              A file of {bytesText(one.size)}, changed on {new Date(one.changed).toLocaleString()}:{' '}
              {one.parts} {one.parts === 1 ? 'part has' : 'parts have'} arrived
            </Text>
            <Group gap="xs">
              <FileButton onChange={(file) => goOn(one, file)}>
                {(props) => (
                  <Button size="compact-sm" variant="default" {...props}>
                    Choose the file again
                  </Button>
                )}
              </FileButton>
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => {
                  forgetUnfinished(one);
                  setList(unfinishedIn(project));
                }}
              >
                Remove
              </Button>
            </Group>
          </Group>
        ))}
      </Stack>
    </Alert>
  );
}

const labelColour = { label: { color: 'var(--mantine-color-text)' } };
