import { Alert, Button, Code, Stack, Text, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, take } from '../api/client.ts';
import { ErrorAlert } from '../shell/Feedback.tsx';
import type { Node } from './conditions.ts';

interface Props {
  label?: string;
  description?: string;
  /** Word on the button. */
  action?: string;
  /** Called with the lines as a condition, and as one line of text. */
  add: (node: Node, text: string) => void;
}

const examples =
  'A gene, a colon, then changes: BRAF: V600E · TP53: TRUNC AND NOT KRAS · EML4::ALK · MYC: AMP';

/** Form of lines of genes, such as `BRAF: V600E` or `TP53: TRUNC AND NOT KRAS`. An error names its place and a word. */
export function GenesForm({
  label = 'Genes and their changes',
  description = examples,
  action = 'Add',
  add,
}: Props) {
  const [text, setText] = useState('');
  const work = useMutation({
    mutationFn: () => take(api.POST('/v1/analytics/study/parse', { body: { text } })),
    onSuccess: ({ filter }) => filter && add(filter, text.trim().replace(/\s+/g, ' ')),
  });
  const fault = work.data?.error;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        work.mutate();
      }}
    >
      <Stack>
        <Textarea
          label={label}
          description={description}
          rows={4}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            work.reset();
          }}
        />
        {fault && (
          <Alert color="red" role="alert" title={fault.message}>
            <Code>{text.slice(Math.max(0, fault.at - 20), fault.at)}</Code>
            <Code color="red">{text.slice(fault.at, fault.at + Math.max(1, fault.length)) || '…'}</Code>
            {fault.suggestion && <Text size="sm">Did you mean {fault.suggestion}?</Text>}
          </Alert>
        )}
        {work.error && <ErrorAlert error={work.error} />}
        <Button type="submit" disabled={text.trim() === ''} loading={work.isPending}>
          {action}
        </Button>
      </Stack>
    </form>
  );
}
