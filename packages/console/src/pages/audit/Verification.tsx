import { Alert, Button, Group, Progress, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, take } from '../../api/client.ts';
import { ErrorAlert } from '../../shell/Feedback.tsx';

interface Part {
  verified: number;
  total: number;
  brokenAt?: number;
}

/** Verifies that no event of the log was changed or removed, in parts. */
export function Verification() {
  const [part, setPart] = useState<Part>();
  const work = useMutation({ mutationFn: () => verify(setPart) });
  return (
    <>
      <Group>
        <Button variant="default" onClick={() => work.mutate()} loading={work.isPending}>
          Verify the log
        </Button>
        <Text size="sm" role="status">
          {work.data && !work.isPending && sentenceOf(work.data)}
        </Text>
      </Group>
      {work.isPending && part && (
        <Progress value={(part.verified / part.total) * 100} aria-label="Progress of the verification" />
      )}
      {work.error && <ErrorAlert error={work.error} />}
      {work.data?.brokenAt !== undefined && !work.isPending && (
        <Alert color="red" variant="light" title="The log was changed" role="alert">
          Event {work.data.brokenAt.toLocaleString()} is missing or does not follow from those before it. Keep
          the database as it is, and compare it with a backup.
        </Alert>
      )}
    </>
  );
}

function sentenceOf({ verified, brokenAt, at }: Part & { at: Date }): string {
  const count = verified.toLocaleString();
  const time = at.toLocaleTimeString();
  if (brokenAt !== undefined) return `${count} events are intact.`;
  return `All ${count} events are intact, verified at ${time}.`;
}

async function verify(show: (part: Part) => void): Promise<Part & { at: Date }> {
  for (let after = 0; ; ) {
    const part = await take(api.GET('/v1/audit-events/verification', { params: { query: { after } } }));
    show(part);
    if (part.brokenAt !== undefined || part.verified >= part.total) return { ...part, at: new Date() };
    after = part.verified;
  }
}
