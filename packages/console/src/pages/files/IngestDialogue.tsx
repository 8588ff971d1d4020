import { Button, Checkbox, Group, Modal, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { ingestionTypes } from '@ploidy/client';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, take } from '../../api/client.ts';
import { ErrorAlert } from '../../shell/Feedback.tsx';
import type { Entry } from './entry.ts';

const texts = [
  ['name', 'Name of the set'],
  ['sampleId', 'Sample (if the file names none)'],
  ['patientId', 'Patient of the only sample'],
  ['specimenId', 'Specimen of the only sample'],
] as const;

const tableTexts = [
  ['name', 'Name of the table (default: the name of the file)'],
  ['patientColumn', 'Column with the patient (default: patient_id)'],
  ['sampleColumn', 'Column with the sample (default: sample_id)'],
] as const;

/** Options of an ingestion; without any, the content of the file decides. */
export function IngestDialogue({ project, entry, changed, close }: Props) {
  const [type, setType] = useState<(typeof ingestionTypes)[number] | null>(null);
  const [given, setGiven] = useState<Record<string, string>>({});
  const [skip, setSkip] = useState(false);
  const navigate = useNavigate({ from: '/projects/$project/files' });
  const isTable = type === 'table';
  const fields = isTable ? tableTexts : texts;
  const wishes = Object.fromEntries(
    fields.flatMap(([name]) => (given[name] ? [[name, given[name]] as const] : [])),
  );
  const work = useMutation({
    mutationFn: () =>
      take(
        api.POST('/v1/ingestions', {
          body: {
            datasetId: project,
            fileId: entry.id ?? '',
            ...(type !== null && { type }),
            ...(isTable ? { table: wishes } : wishes),
            ...(skip && { onError: 'skip' as const }),
          },
        }),
      ),
    onSuccess: () => {
      changed();
      close();
      void navigate({ search: { tab: 'ingestions' } });
    },
  });
  return (
    <Modal
      opened
      onClose={close}
      title={`Ingest ${entry.name}`}
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <Select
          label="Type"
          placeholder="Recognised by content"
          data={ingestionTypes}
          value={type}
          onChange={setType}
          clearable
          data-autofocus
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {fields.map(([name, label]) => (
            <TextInput
              key={name}
              label={label}
              value={given[name] ?? ''}
              onChange={(event) => {
                const { value } = event.currentTarget;
                setGiven((all) => ({ ...all, [name]: value }));
              }}
            />
          ))}
        </SimpleGrid>
        <Checkbox
          label="Skip invalid lines, with a warning for each"
          checked={skip}
          onChange={(event) => setSkip(event.currentTarget.checked)}
        />
        {work.error && <ErrorAlert error={work.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button loading={work.isPending} onClick={() => work.mutate()}>
            Ingest
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

interface Props {
  project: string;
  entry: Entry;
  changed: () => void;
  close: () => void;
}
