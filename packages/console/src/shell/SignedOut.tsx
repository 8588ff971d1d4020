import { Button, Group, Modal, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { self } from '../api/lists.ts';
import { at } from '../api/place.ts';
import { goOnSignedIn, leaveToSignIn, onSignIn, openSignIn } from '../api/session.ts';
import { reportError } from './Feedback.tsx';

/** Dialogue over a page whose session has ended: the page stays, and goes on after a sign-in in a window beside it. */
export function SignedOut() {
  const queries = useQueryClient();
  useEffect(() => {
    const before = queries.getQueryData(self.queryKey)?.id;
    const goOn = async (): Promise<void> => {
      const response = await fetch(at('/v1/user'), { cache: 'no-store' });
      if (!response.ok) return;
      const { id } = (await response.json()) as { id: string };
      // The page holds data of the one who was here before.
      if (before !== undefined && id !== before) location.assign(at('/'));
      else goOnSignedIn();
    };
    return onSignIn(() => void goOn().catch(reportError));
  }, [queries]);
  return (
    <Modal
      opened
      onClose={() => undefined}
      title="Your session has ended"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Text size="sm">
        Sign in again in a window beside this page. The page then goes on: nothing is lost.
      </Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={() => void leaveToSignIn()}>
          Leave this page
        </Button>
        <Button data-autofocus onClick={openSignIn}>
          Sign in
        </Button>
      </Group>
    </Modal>
  );
}
