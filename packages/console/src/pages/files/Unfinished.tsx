import { Alert, Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { pages } from '@ploidy/client';
import { useQuery } from '@tanstack/react-query';
import { all, api, take } from '../../api/client.ts';
import { bytesText } from '../../api/files.ts';
import type { Shape } from '../../api/lists.ts';
import { notify, reportError } from '../../shell/Feedback.tsx';
import { addUploads, forgetUnfinished, isSame, isUnderWay, placeOf } from './uploads.ts';

type Unfinished = Shape<'UnfinishedUpload'>;

interface Props {
  project: string;
  done: () => void;
}

/** Uploads of the user that are not complete: each goes on when its file is chosen again, or is removed with its parts. */
export function UnfinishedUploads({ project, done }: Props) {
  const { data = [], refetch } = useQuery({
    queryKey: ['uploads', project],
    queryFn: () =>
      all(
        pages((nextPageToken) =>
          api.GET('/v1/projects/{id}/uploads', {
            params: { path: { id: project }, query: { pageSize: 100, nextPageToken } },
          }),
        ),
      ),
  });
  const list = data.filter(({ uploadId }) => !isUnderWay(uploadId));
  if (list.length === 0) return null;
  const goOn = ({ uploadId, name }: Unfinished, file: File | null): void => {
    if (!file) return;
    if (!isSame(uploadId, project, name, file)) {
      notify('This is another file, or it was changed since.');
      return;
    }
    addUploads(project, [{ file, name }], { ingest: true, overwrite: false }, done);
    void refetch();
  };
  const remove = async ({ uploadId }: Unfinished): Promise<void> => {
    await take(api.DELETE('/v1/uploads/{id}/parts', { params: { path: { id: uploadId } } }));
    forgetUnfinished(uploadId, project);
    await refetch();
  };
  return (
    <Alert color="yellow" variant="light" title="Uploads that are not complete" styles={labelColour}>
      <Stack gap="xs">
        {list.map((one) => (
          <Group key={one.uploadId} justify="space-between">
            <Text size="sm">
              <bdi>{one.name}</bdi>: {bytesText(one.bytes)}
              {one.size !== undefined && ` of ${bytesText(one.size)}`} arrived. Its parts are removed on{' '}
              {new Date(one.expires).toLocaleString()}.
            </Text>
            <Group gap="xs">
              {placeOf(one.uploadId, project) !== undefined && (
                <FileButton onChange={(file) => goOn(one, file)}>
                  {(props) => (
                    <Button size="compact-sm" variant="default" {...props}>
                      Choose the file again
                    </Button>
                  )}
                </FileButton>
              )}
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Remove ${one.name}`}
                onClick={() => void remove(one).catch(reportError)}
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
