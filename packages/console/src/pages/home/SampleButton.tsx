import { Button, Modal, Progress, Text } from '@mantine/core';
import { PloidyClient } from '@ploidy/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { connection } from '../../api/client.ts';
import { ErrorAlert } from '../../shell/Feedback.tsx';

/** Loads the sample project by one click, and opens its overview with examples. */
export function SampleButton() {
  const [progress, setProgress] = useState<SampleProgress>();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const work = useMutation({
    mutationFn: () => loadSample(setProgress),
    onSuccess: (id) =>
      navigate({ to: '/projects/$project', params: { project: id }, search: { tour: 'sample' } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['projects'] }),
  });
  const { step = 'Uploading', done = 0, total = 1 } = progress ?? {};
  return (
    <>
      <Button variant="default" onClick={() => work.mutate()}>
        Load the sample project
      </Button>
      <Modal
        opened={work.isPending || work.isError}
        onClose={() => work.reset()}
        title="Sample project"
        withCloseButton={work.isError}
        closeOnEscape={work.isError}
        closeOnClickOutside={false}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {work.error ? (
          <ErrorAlert error={work.error} />
        ) : (
          <>
            <Text size="sm" mb="xs" role="status">
              {step} files: {done} of {total}
            </Text>
            <Progress
              value={((done + (step === 'Reading' ? total : 0)) / (2 * total)) * 100}
              aria-label="Loading the sample project"
              animated
            />
            <Text size="sm" mt="xs" c="var(--soft)">
              Twenty invented patients with records, variants, reads and expression. It can be deleted at any
              time.
            </Text>
          </>
        )}
      </Modal>
    </>
  );
}

/** Files of the sample project, each at an address of its own that the build made. */
const addresses = import.meta.glob<string>('../../../../../samples/data/{bam,fasta,fhir,omic,vcf}/*', {
  query: '?url',
  import: 'default',
  eager: true,
});

/** Stage of loading the sample project. */
interface SampleProgress {
  step: 'Uploading' | 'Reading';
  done: number;
  total: number;
}

/** Creates the sample project, uploads its files and ingests them. Resolves to the id of the project. */
async function loadSample(report: (progress: SampleProgress) => void): Promise<string> {
  const client = new PloidyClient(connection);
  const description = '20 invented patients with clinical and genomic data';
  const { id: datasetId } = await client.createProject('Sample project', description);
  const files = Object.entries(addresses);
  const started: string[] = [];
  for (const [at, [path, address]] of files.entries()) {
    report({ step: 'Uploading', done: at, total: files.length });
    const bytes = await (await fetch(address)).blob();
    const fileId = await client.upload(datasetId, path.split('/').slice(-2).join('/'), bytes);
    started.push((await client.ingest({ datasetId, fileId })).id);
  }
  for (const [at, id] of started.entries()) {
    report({ step: 'Reading', done: at, total: started.length });
    const { fileName, state, error } = await client.waitForIngestion(id);
    if (state !== 'succeeded') throw new Error(`${fileName}: ${error?.message ?? state}.`);
  }
  return datasetId;
}
