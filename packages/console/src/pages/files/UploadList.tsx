import { Button, Card, Group, Progress, Stack, Text } from '@mantine/core';
import { ErrorAlert } from '../../shell/Feedback.tsx';
import { AnchorLink } from '../../shell/links.tsx';
import { cancelUpload, forgetEnded, retryUpload, type Upload, useUploads } from './uploads.ts';

/** Files on their way, with progress. */
export function UploadList({ project, done }: { project: string; done: () => void }) {
  const uploads = useUploads(project);
  if (uploads.length === 0) return null;
  const arrived = uploads.filter(({ state }) => state === 'done').length;
  const open = uploads.filter(({ state }) => state !== 'done').slice(0, 20);
  return (
    <Card withBorder mt="sm" padding="sm">
      <Stack gap="xs">
        <Group justify="space-between">
          <Text size="sm" role="status">
            {arrived} of {uploads.length} files uploaded
            {uploads.some(({ state, ingest }) => state === 'done' && ingest) && (
              <>
                {'; '}
                <AnchorLink
                  size="sm"
                  to="/projects/$project/files"
                  params={{ project }}
                  search={{ tab: 'ingestions' }}
                >
                  their ingestions
                </AnchorLink>
              </>
            )}
          </Text>
          <Button size="compact-xs" variant="default" onClick={() => forgetEnded(project)}>
            Clear ended
          </Button>
        </Group>
        {open.map((one) => (
          <Line key={one.key} upload={one} done={done} />
        ))}
      </Stack>
    </Card>
  );
}

function Line({ upload, done }: { upload: Upload; done: () => void }) {
  const { name, size, sent, state, error, isStalled } = upload;
  const percent = size === 0 ? 0 : Math.floor((sent / size) * 100);
  return (
    <div>
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" truncate>
          {name}
        </Text>
        <Group gap="xs" wrap="nowrap">
          <Text size="xs">
            {state !== 'sending'
              ? state
              : isStalled
                ? `${percent} %, the service cannot be reached: trying again`
                : `${percent} %`}
          </Text>
          {(state === 'sending' || state === 'waiting') && (
            <Button size="compact-xs" variant="default" onClick={() => cancelUpload(upload)}>
              Cancel
            </Button>
          )}
          {(state === 'failed' || state === 'cancelled') && (
            <Button size="compact-xs" variant="default" onClick={() => retryUpload(upload, done)}>
              Try again
            </Button>
          )}
        </Group>
      </Group>
      {state === 'sending' && <Progress value={percent} size="sm" aria-label={`Upload of ${name}`} />}
      {state === 'failed' && error && <ErrorAlert error={error} />}
    </div>
  );
}
