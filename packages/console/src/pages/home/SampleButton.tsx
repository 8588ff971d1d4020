import { Button, Modal, Progress, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorAlert } from '../../shell/Feedback.tsx';
import { loadSample, type SampleProgress } from './sample.ts';

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
