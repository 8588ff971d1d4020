import { Button, Card, Group, Progress, Stack, Text } from '@mantine/core';
import { bytesText } from '../../api/files.ts';
import { isOpen, useIngestions } from '../../api/work.ts';
import { ErrorAlert } from '../../shell/Feedback.tsx';
import { AnchorLink, ButtonLink } from '../../shell/links.tsx';
import { StateBadge } from '../../table/shown.tsx';
import { cancelUpload, forgetEnded, pauseUpload, retryUpload, type Upload, useUploads } from './uploads.ts';

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
                  underline="always"
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
        {uploads.filter(isIngestedArchive).map(({ key, id }) => (
          <ArchiveLine key={key} project={project} fileId={id} />
        ))}
      </Stack>
    </Card>
  );
}

/** Endings of archives, which may be studies. */
const archives = /\.(?:zip|tar|tar\.gz|tgz)$/i;

const isIngestedArchive = ({ state, ingest, name }: Upload): boolean =>
  state === 'done' && ingest && archives.test(name);

/** Ingestion of an archive that has arrived, and the way to its study. */
function ArchiveLine({ project, fileId }: { project: string; fileId: string | undefined }) {
  const { data } = useIngestions(project);
  const ingestion = data?.find((one) => one.fileId === fileId);
  if (!ingestion) return null;
  const { fileName, state, error, progress } = ingestion;
  const percent = progress.bytesTotal === 0 ? 0 : (progress.bytes / progress.bytesTotal) * 100;
  return (
    <div>
      <Group justify="space-between" gap="xs">
        <Text size="sm" truncate>
          {fileName}
        </Text>
        <Group gap="xs" wrap="nowrap">
          <StateBadge state={state} />
          {state === 'succeeded' && (
            <ButtonLink size="compact-sm" to="/projects/$project" params={{ project }}>
              Open study
            </ButtonLink>
          )}
        </Group>
      </Group>
      {isOpen(ingestion) && (
        <Progress value={percent} size="sm" animated aria-label={`Ingestion of ${fileName}`} />
      )}
      {error && <Text size="sm">{error.message}</Text>}
    </div>
  );
}

function Line({ upload, done }: { upload: Upload; done: () => void }) {
  const { name, size, sent, state, error, isStalled } = upload;
  const percent = size === 0 ? 0 : Math.floor((sent / size) * 100);
  const progress = `${percent} %, ${bytesText(sent)} of ${bytesText(size)}${paceOf(upload)}`;
  return (
    <div>
      <Group justify="space-between">
        <Text size="sm" truncate>
          {name}
        </Text>
        <Group gap="xs" wrap="nowrap">
          <Text size="xs">
            {state !== 'sending'
              ? state
              : isStalled
                ? `${percent} %, the service cannot be reached: trying again`
                : progress}
          </Text>
          {state === 'sending' && (
            <Button size="compact-xs" variant="default" onClick={() => pauseUpload(upload)}>
              Pause
            </Button>
          )}
          {state === 'paused' && (
            <Button size="compact-xs" variant="default" onClick={() => retryUpload(upload, done)}>
              Go on
            </Button>
          )}
          {(state === 'sending' || state === 'waiting' || state === 'paused') && (
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

/** Returns the speed of an upload and the time that is left, once both are known. */
function paceOf({ begun, sent, size }: Upload): string {
  const seconds = begun ? (performance.now() - begun.at) / 1000 : 0;
  const rate = begun && seconds > 1 ? (sent - begun.sent) / seconds : 0;
  if (rate <= 0) return '';
  const left = Math.ceil((size - sent) / rate);
  return `, ${bytesText(rate)}/s, ${left < 90 ? `${left} s` : `${Math.ceil(left / 60)} min`} left`;
}
