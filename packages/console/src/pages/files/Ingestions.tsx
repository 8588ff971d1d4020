import { Button, Code, Group, Modal, Progress, Stack, Text } from '@mantine/core';
import { ClientError } from '@ploidy/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, take } from '../../api/client.ts';
import { type Ingestion, ingestedFiles, isOpen, placeOf, useIngestions } from '../../api/work.ts';
import { Empty, ErrorAlert, Loaded } from '../../shell/Feedback.tsx';
import { ButtonLink } from '../../shell/links.tsx';
import { useRowActions } from '../../shell/RowActions.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { StateBadge } from '../../table/shown.tsx';
import { IngestDialogue } from './IngestDialogue.tsx';

/** Latest ingestions of a project, or those of a month and type that the address names. */
export function Ingestions({ project }: { project: string }) {
  const { month, type } = useSearch({ from: '/projects/$project/files' });
  const query = useIngestions(project, month === undefined);
  const ofMonth = useQuery({
    ...ingestedFiles(project),
    select: (list) =>
      list.filter((one) => {
        const place = placeOf(one);
        return place.month === month && place.type === type;
      }),
    enabled: month !== undefined,
  });
  if (month === undefined)
    return <Loaded query={query}>{(list) => <List project={project} list={list} />}</Loaded>;
  return (
    <Stack>
      <ButtonLink
        style={{ alignSelf: 'start' }}
        size="compact-xs"
        variant="default"
        to="/projects/$project/files"
        params={{ project }}
        search={{ tab: 'ingestions' }}
      >
        Files of type {type}, ingested in {month} ×
      </ButtonLink>
      <Loaded query={ofMonth}>{(list) => <List project={project} list={list} />}</Loaded>
    </Stack>
  );
}

function List({ project, list }: { project: string; list: Ingestion[] }) {
  const [shown, setShown] = useState<string>();
  const { column } = useRowActions<Ingestion>({
    changes: ['ingestions', project],
    width: 160,
    of: (one) => [
      { label: 'Details', run: () => setShown(one.id) },
      isOpen(one) && {
        label: 'Cancel',
        run: () => take(api.DELETE('/v1/ingestions/{id}', { params: { path: { id: one.id } } })),
      },
    ],
  });
  const columns: Column<Ingestion>[] = [
    { name: 'file', value: ({ fileName }) => fileName },
    { name: 'type', value: ({ type }) => type },
    { name: 'rows', value: ({ progress }) => progress.rows, numeric: true },
    { name: 'warnings', value: ({ warningCount }) => warningCount, numeric: true },
    {
      name: 'state',
      value: stateIn,
      render: (one) => (one.state === 'running' ? <Running ingestion={one} /> : undefined),
    },
    { name: 'created', value: ({ created }) => created, isTime: true },
    column,
  ];
  const chosen = list.find(({ id }) => id === shown);
  return (
    <>
      {list.length === 0 ? (
        <Empty title="No ingestion yet">Ingest a file from the list of files.</Empty>
      ) : (
        <Grid name="Ingestions" columns={columns} rows={list} />
      )}
      {chosen && <Details ingestion={chosen} close={() => setShown(undefined)} />}
    </>
  );
}

function Running({ ingestion: { progress, fileName } }: { ingestion: Ingestion }) {
  const percent = progress.bytesTotal === 0 ? 0 : (progress.bytes / progress.bytesTotal) * 100;
  return <Progress value={percent} mt={6} aria-label={`Ingestion of ${fileName}`} animated />;
}

/** State of an ingestion, with the reason of a failure. */
function stateIn({ state, error }: Ingestion): string {
  return error ? `${state}: ${error.message}` : state;
}

function Details({ ingestion, close }: { ingestion: Ingestion; close: () => void }) {
  const { fileName, state, type, error, warnings, warningCount, progress, samples, sampleId, sampleIds } =
    ingestion;
  const [repeats, setRepeats] = useState(false);
  const queries = useQueryClient();
  if (repeats)
    return (
      <IngestDialogue
        project={ingestion.datasetId}
        entry={{ type: 'FILE', id: ingestion.fileId, name: fileName }}
        changed={() => void queries.invalidateQueries({ queryKey: ['ingestions', ingestion.datasetId] })}
        close={close}
      />
    );
  return (
    <Modal opened onClose={close} title={fileName} size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack>
        <Group>
          <StateBadge state={state} />
          <Text size="sm">
            {type ?? (isOpen(ingestion) ? 'type not recognised yet' : 'type not recognised')},{' '}
            {progress.rows.toLocaleString()} rows
          </Text>
        </Group>
        {(samples ?? []).map((one) => (
          <Text size="sm" key={one.sampleId}>
            Sample {one.sampleId}: patient {one.patientId}
          </Text>
        ))}
        {sampleId && <Text size="sm">Sample {sampleId}</Text>}
        {Object.entries(sampleIds ?? {}).map(([name, id]) => (
          <Text size="sm" key={name}>
            Sample {name}: {id}
          </Text>
        ))}
        <Accounted ingestion={ingestion} />
        {error && (
          <ErrorAlert
            error={new ClientError(placed(error.message, error.line), { status: 422, code: error.code })}
          />
        )}
        {state === 'succeeded' && type === 'cbioportal' && (
          <ButtonLink
            style={{ alignSelf: 'start' }}
            size="xs"
            to="/projects/$project"
            params={{ project: ingestion.datasetId }}
          >
            Open study
          </ButtonLink>
        )}
        {state === 'failed' && (
          <Button style={{ alignSelf: 'start' }} size="xs" variant="default" onClick={() => setRepeats(true)}>
            Ingest again, with other options
          </Button>
        )}
        {warningCount > 0 && (
          <Text size="sm">
            {warningCount.toLocaleString()} {warningCount === 1 ? 'warning' : 'warnings'}
            {warningCount > warnings.length && `, the first ${warnings.length}`}:
          </Text>
        )}
        {warnings.map(({ line, message }) => (
          <Code key={`${line} ${message}`} block style={{ whiteSpace: 'pre-wrap' }}>
            {placed(message, line)}
          </Code>
        ))}
      </Stack>
    </Modal>
  );
}

const listings = [
  ['leftOut', 'Records left out'],
  ['read', 'Read'],
  ['kept', 'Kept as JSON'],
  ['unread', 'In no table'],
] as const;

/** Accounts for the records, columns and keys of the file. */
function Accounted({ ingestion: { found } }: { ingestion: Ingestion }) {
  if (found?.records === undefined) return null;
  return (
    <>
      <Text size="sm">{found.records.toLocaleString()} records</Text>
      {listings.map(([name, title]) => {
        const counted = found[name] ?? [];
        if (counted.length === 0) return null;
        const texts = counted.map((one) => {
          const place = one.line === undefined ? '' : `, first in line ${one.line}`;
          return name === 'read' ? one.name : `${one.name} (${one.count.toLocaleString()}${place})`;
        });
        return (
          <Text size="sm" key={name}>
            {title}: {texts.join(', ')}
          </Text>
        );
      })}
    </>
  );
}

function placed(message: string, line: number | undefined): string {
  return line === undefined ? message : `Line ${line}: ${message}`;
}
