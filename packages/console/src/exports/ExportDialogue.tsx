import { Anchor, Button, Group, Modal, Progress, Radio, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { download } from '../api/files.ts';
import type { Shape } from '../api/lists.ts';
import { ErrorAlert, Loaded, reportError } from '../shell/Feedback.tsx';
import { AnchorLink } from '../shell/links.tsx';
import type { Column } from '../table/column.ts';
import { Grid } from '../table/Grid.tsx';
import {
  dropExport,
  type ExportFormat,
  type ExportScope,
  exportState,
  keepExport,
  lastExport,
  startExport,
} from './exports.ts';

interface Props extends ExportScope {
  /** Name of the project or cohort. */
  name: string;
  close: () => void;
}

/** Exports the data of a project or cohort as files. An export goes on when the dialogue is closed. */
export function ExportDialogue({ name, close, ...scope }: Props) {
  const [id, setId] = useState(() => lastExport(scope));
  const follow = (next: string): void => {
    keepExport(scope, next);
    setId(next);
  };
  return (
    <Modal
      opened
      onClose={close}
      title={`Export ${name}`}
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {id === '' ? (
        <Start scope={scope} started={follow} />
      ) : (
        <Followed key={id} id={id} project={scope.project} forget={() => follow('')} />
      )}
    </Modal>
  );
}

function Start({ scope, started }: { scope: ExportScope; started: (id: string) => void }) {
  const [format, setFormat] = useState<ExportFormat>('fhir');
  const work = useMutation({ mutationFn: () => startExport(scope, format), onSuccess: started });
  return (
    <Stack>
      <Radio.Group label="Files" value={format} onChange={(value) => setFormat(value as ExportFormat)}>
        <Stack gap="xs" mt="xs">
          <Radio value="fhir" label="FHIR resources: one NDJSON file for each type" />
          <Radio value="vcf" label="Variants: one VCF for each sample of each ingested file" />
          <Radio value="cbioportal" label="Study: the files of a study folder, as cBioPortal reads them" />
        </Stack>
      </Radio.Group>
      <Text size="sm">To export tables as CSV, Parquet or Arrow, run a query on the SQL page.</Text>
      {work.error && <ErrorAlert error={work.error} />}
      <Group justify="flex-end">
        <Button loading={work.isPending} onClick={() => work.mutate()}>
          Export
        </Button>
      </Group>
    </Stack>
  );
}

function Followed({ id, project, forget }: { id: string; project: string; forget: () => void }) {
  const query = useQuery(exportState(id));
  const drop = useMutation({ mutationFn: () => dropExport(id), onSuccess: forget, onError: reportError });
  const isOver = query.error !== null || (query.data !== undefined && 'output' in query.data);
  return (
    <Stack>
      <Loaded query={query}>
        {(state) => ('output' in state ? <Output files={state.output} /> : <Running {...state} />)}
      </Loaded>
      <Text size="sm">
        The files are in the folder{' '}
        <AnchorLink
          size="sm"
          to="/projects/$project/files"
          params={{ project }}
          search={{ prefix: `exports/${id}/` }}
        >
          exports/{id}
        </AnchorLink>{' '}
        of the project.
      </Text>
      <Group justify="flex-end">
        <Button variant="default" loading={drop.isPending} onClick={() => drop.mutate()}>
          {isOver ? 'Delete these files' : 'Cancel the export'}
        </Button>
        {isOver && <Button onClick={forget}>New export</Button>}
      </Group>
    </Stack>
  );
}

function Running({ done, parts }: { done: number; parts: number }) {
  return (
    <>
      <Progress value={parts === 0 ? 0 : (100 * done) / parts} animated aria-label="Progress of the export" />
      <Text size="sm" role="status">
        {done} of {parts} files written. The export continues when you close this window.
      </Text>
    </>
  );
}

type Exported = Shape<'ExportManifest'>['output'][number];

function Output({ files }: { files: Exported[] }) {
  const columns: Column<Exported>[] = [
    {
      name: 'file',
      value: ({ name }) => name,
      render: ({ fileId, name }) => (
        <Anchor component="button" size="sm" onClick={() => void download(fileId).catch(reportError)}>
          {name}
        </Anchor>
      ),
    },
    { name: 'type', value: ({ type }) => type },
    { name: 'sample', value: ({ sampleId }) => sampleId },
    { name: 'resources', value: ({ count }) => count, numeric: true },
  ];
  return files.length === 0 ? (
    <Text size="sm">There is no data of this kind to export.</Text>
  ) : (
    <Grid name="Exported files" heightMax={280} rows={files} columns={columns} />
  );
}
