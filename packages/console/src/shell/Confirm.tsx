import { Button, Group, Modal, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ErrorAlert } from './Feedback.tsx';

interface Props {
  title: string;
  /** Names the things that will be removed or changed. */
  children: ReactNode;
  action: string;
  /** Text to type before the action, for what cannot be undone. */
  typed?: string;
  run: () => Promise<unknown>;
  close: () => void;
}

/** Asks before a destructive action, and shows why it failed. */
export function Confirm({ title, children, action, typed, run, close }: Props) {
  const [text, setText] = useState('');
  const work = useMutation({ mutationFn: run, onSuccess: close });
  return (
    <Modal opened onClose={close} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Text component="div" size="sm">
        {children}
      </Text>
      {typed !== undefined && (
        <TextInput
          mt="md"
          label={`Type "${typed}" to confirm`}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      {work.error && <ErrorAlert error={work.error} />}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button
          color="red.9"
          loading={work.isPending}
          disabled={typed !== undefined && text !== typed}
          onClick={() => work.mutate()}
        >
          {action}
        </Button>
      </Group>
    </Modal>
  );
}
