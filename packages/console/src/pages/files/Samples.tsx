import { Button, FileButton, Group, Stack, Text } from '@mantine/core';
import {
  type LinkedSample,
  type LinkedSamples,
  linkedSamples,
  mergedSamples,
  readLinkedSamples,
  replaceLinkedSamples,
} from '@ploidy/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Row, rows } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { useMay } from '../../api/lists.ts';
import { Ask } from '../../shell/Ask.tsx';
import { Empty, Loaded, notify, reportError } from '../../shell/Feedback.tsx';
import { useRowActions } from '../../shell/RowActions.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';

/** A sample of the lake, or one of the list that is not ingested yet. */
interface Sample {
  id: string;
  patient: string;
  specimen: string;
  source: 'file' | 'list' | 'list, not ingested yet';
}

/** Samples of a project with their patients, which the list of a project decides. */
export function Samples({ project }: { project: string }) {
  const ingested = useQuery(rows(project, { target: 'sequence' }));
  const list = useQuery({
    queryKey: ['samples', project],
    queryFn: () => linkedSamples(api, project),
  });
  return (
    <Loaded query={list}>
      {(linked) => (
        <Loaded query={ingested}>
          {(found) => (
            <SampleTable project={project} linked={linked} samples={samplesOf(found, linked.samples)} />
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

function samplesOf(found: readonly Row[], linked: readonly LinkedSample[]): Sample[] {
  const listed = new Map(linked.map((one) => [one.sampleId, one]));
  const known = new Set(found.map((row) => String(row['id'])));
  const waiting = linked.filter(({ sampleId }) => !known.has(sampleId));
  return [
    ...found.map((row): Sample => {
      const id = String(row['id']);
      const source = listed.has(id) ? 'list' : 'file';
      return {
        id,
        patient: String(row['patient_id'] ?? ''),
        specimen: String(row['specimen_id'] ?? ''),
        source,
      };
    }),
    ...waiting.map(
      ({ sampleId: id, patientId: patient = '', specimenId: specimen = '' }): Sample => ({
        ...{ id, patient, specimen },
        source: 'list, not ingested yet',
      }),
    ),
  ];
}

interface Props {
  project: string;
  linked: LinkedSamples;
  samples: Sample[];
}

function SampleTable({ project, linked, samples }: Props) {
  const mayLink = useMay('updateData', { dataset: project, type: 'table' });
  const queries = useQueryClient();
  const [edited, setEdited] = useState<Sample>();
  const save = async (list: LinkedSample[]): Promise<void> => {
    await replaceLinkedSamples(api, project, { samples: list, etag: linked.etag });
    await queries.invalidateQueries({ queryKey: ['samples', project] });
    await queries.invalidateQueries({ queryKey: ['ask', project] });
  };
  const link = ({ id, patient = '', specimen = '' }: Record<string, string>): Promise<void> => {
    const one = {
      sampleId: id ?? '',
      ...(patient && { patientId: patient }),
      ...(specimen && { specimenId: specimen }),
    };
    return save(mergedSamples(linked.samples, [one]));
  };
  const read = async (file: File | null): Promise<void> => {
    if (!file) return;
    const given = readLinkedSamples(await file.text());
    await save(mergedSamples(linked.samples, given));
    notify(`${given.length.toLocaleString()} samples of ${file.name} are in the list.`);
  };
  const { column } = useRowActions<Sample>({
    width: 170,
    of: (sample) => [
      mayLink && { label: 'Patient', run: () => setEdited(sample) },
      mayLink &&
        sample.source !== 'file' && {
          label: 'Unlist',
          run: () => save(linked.samples.filter(({ sampleId }) => sampleId !== sample.id)),
        },
    ],
  });
  const columns: Column<Sample>[] = [
    { name: 'sample', value: ({ id }) => id },
    { name: 'patient', value: ({ patient }) => patient },
    { name: 'specimen', value: ({ specimen }) => specimen },
    { name: 'from', value: ({ source }) => source },
    column,
  ];
  return (
    <Stack>
      {mayLink && (
        <Group>
          <FileButton onChange={(file) => void read(file).catch(reportError)} accept=".csv,.tsv,.txt">
            {(props) => (
              <Button {...props} size="xs" variant="default">
                Read a table
              </Button>
            )}
          </FileButton>
          <Text size="sm" c="var(--soft)">
            CSV or TSV with sample_id, patient_id and, if wanted, specimen_id. A line without a patient
            removes that of the file.
          </Text>
        </Group>
      )}
      {samples.length === 0 ? (
        <Empty title="No samples">Ingest a file with samples, or read a table of their patients.</Empty>
      ) : (
        <Grid name="Samples" columns={columns} rows={samples} />
      )}
      {edited && (
        <Ask
          title={`Patient of ${edited.id}`}
          action="Save"
          fields={[
            { name: 'patient', label: 'Patient (empty for none)', value: edited.patient, optional: true },
            { name: 'specimen', label: 'Specimen', value: edited.specimen, optional: true },
          ]}
          run={(values) => link({ ...values, id: edited.id })}
          close={() => setEdited(undefined)}
        />
      )}
    </Stack>
  );
}
