import {
  Button,
  Checkbox,
  Group,
  Modal,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { ingestionTypes } from '@ploidy/client';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, take } from '../../api/client.ts';
import { ErrorAlert } from '../../shell/Feedback.tsx';
import type { Entry } from './entry.ts';
import { TablePreview, type TableWishes } from './TablePreview.tsx';

const texts = [
  ['name', 'Name of the set'],
  ['sampleId', 'Sample (if the file names none)'],
  ['patientId', 'Patient of the only sample'],
  ['specimenId', 'Specimen of the only sample'],
] as const;

/** New names of samples by those in the file, from lines like `TUMOR = S1`; undefined where a line has no two names. */
function namesIn(text: string): Record<string, string> | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const pairs = lines.map((line) => line.split('=').map((name) => name.trim()));
  const areNames = pairs.every((pair) => pair.length === 2 && !pair.includes(''));
  return areNames ? Object.fromEntries(pairs) : undefined;
}

/** Options of an ingestion; without any, the content of the file decides. */
export function IngestDialogue({ project, entry, changed, close }: Props) {
  const [type, setType] = useState<(typeof ingestionTypes)[number] | null>(null);
  const [given, setGiven] = useState<Record<string, string>>({});
  const [skip, setSkip] = useState(false);
  const [renamed, setRenamed] = useState('');
  const navigate = useNavigate({ from: '/projects/$project/files' });
  const [table, setTable] = useState<TableWishes>({});
  const isTable = type === 'table';
  const mayBeTable = type === null && /\.(?:csv|tsv|txt)$/i.test(entry.name);
  const wishes = Object.fromEntries(
    texts.flatMap(([name]) => (given[name] ? [[name, given[name]] as const] : [])),
  );
  const sampleIds = isTable ? {} : namesIn(renamed);
  const work = useMutation({
    mutationFn: () =>
      take(
        api.POST('/v1/ingestions', {
          body: {
            datasetId: project,
            fileId: entry.id ?? '',
            ...(type !== null && { type }),
            ...(isTable ? { table } : wishes),
            ...(sampleIds && Object.keys(sampleIds).length > 0 && { sampleIds }),
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
      size="xl"
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
        {mayBeTable && (
          <Group>
            <Text size="sm">Tables of known programs are recognised. Is this a table of your own?</Text>
            <Button size="compact-sm" variant="default" onClick={() => setType('table')}>
              Make it a table
            </Button>
          </Group>
        )}
        {isTable && <TablePreview entry={entry} change={setTable} />}
        {!isTable && (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {texts.map(([name, label]) => (
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
        )}
        {!isTable && (
          <Textarea
            label="New names of samples"
            description="One line for each sample: its name in the file, =, its name in the tables"
            placeholder="TUMOR = S1-T"
            autosize
            minRows={2}
            maxRows={8}
            value={renamed}
            onChange={(event) => setRenamed(event.currentTarget.value)}
            error={sampleIds === undefined && 'Each line needs two names with = between them.'}
          />
        )}
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
          <Button loading={work.isPending} disabled={sampleIds === undefined} onClick={() => work.mutate()}>
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
