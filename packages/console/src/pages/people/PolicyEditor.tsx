import { Alert, Button, Code, Group, Modal, Stack, Tabs, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api, take } from '../../api/client.ts';
import type { Shape } from '../../api/lists.ts';
import { ErrorAlert } from '../../shell/Feedback.tsx';
import { GrantForm } from './GrantForm.tsx';
import { type Grant, grantsOf, policyOf } from './grants.ts';

type NamedPolicy = Shape<'NamedPolicy'>;

interface Props {
  given: Partial<NamedPolicy>;
  saved: () => void;
  close: () => void;
}

/** Edits the rules of a policy; they are saved after their effect was looked at. */
export function PolicyEditor({ given, saved, close }: Props) {
  const [name, setName] = useState(given.name ?? '');
  const [text, setText] = useState(JSON.stringify(given.policy ?? { rules: {} }, null, 2));
  const grants = useMemo(() => readGrants(text), [text]);
  const [tab, setTab] = useState<string | null>(grants ? 'form' : 'text');
  const read = (): Shape<'Policy'> => JSON.parse(text);
  const preview = useMutation({
    mutationFn: () => {
      const change = given.id
        ? { replace: { policyId: given.id, name, policy: read() } }
        : { create: { name, policy: read() } };
      return take(api.POST('/v1/policies/preview', { body: { changes: [change] } }));
    },
  });
  const save = useMutation({
    mutationFn: async () => {
      const body = { name, policy: read() };
      if (given.id === undefined) return take(api.POST('/v1/policies', { body }));
      return take(api.PUT('/v1/policies/{policyId}', { params: { path: { policyId: given.id } }, body }));
    },
    onSuccess: () => {
      saved();
      close();
    },
  });
  const change = (next: string): void => {
    setText(next);
    preview.reset();
  };
  const error = preview.error ?? save.error;
  return (
    <Modal
      opened
      onClose={close}
      title={given.id ? `Edit ${given.name}` : 'New policy'}
      size="xl"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <TextInput
          label="Name"
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Tabs value={tab} onChange={setTab} keepMounted={false}>
          <Tabs.List>
            <Tabs.Tab value="form">Form</Tabs.Tab>
            <Tabs.Tab value="text">Text</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="form" pt="sm">
            {grants ? (
              <GrantForm grants={grants} change={(next) => change(JSON.stringify(policyOf(next), null, 2))} />
            ) : (
              <Text size="sm">This policy has rules that only its text can show.</Text>
            )}
          </Tabs.Panel>
          <Tabs.Panel value="text" pt="sm">
            <Textarea
              label="Rules"
              description="A privilege applies always (true), or under conditions on user.… and resource.…"
              autosize
              minRows={8}
              maxRows={20}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
              value={text}
              onChange={(event) => change(event.currentTarget.value)}
            />
          </Tabs.Panel>
        </Tabs>
        {error && <ErrorAlert error={error} />}
        {preview.data && <PreviewedRights preview={preview.data} />}
        <Group justify="flex-end">
          {!preview.data && <Text size="sm">Look at the effect before saving.</Text>}
          <Button variant="default" loading={preview.isPending} onClick={() => preview.mutate()}>
            Gains and losses
          </Button>
          <Button disabled={!preview.data} loading={save.isPending} onClick={() => save.mutate()}>
            Save
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** The grants in a text; `undefined` where it is no policy, or one that the form cannot show. */
function readGrants(text: string): Grant[] | undefined {
  try {
    return grantsOf(JSON.parse(text) as Shape<'Policy'>);
  } catch {
    // The text is being written.
    return undefined;
  }
}

interface PreviewProps {
  preview: {
    examined: number;
    affected: number;
    items: { user: { id: string; email: string }; privileges: { privilege: string; change: string }[] }[];
    warnings: { code: string; message: string }[];
  };
}

/** Users and groups whose rights a change of policies would change. */
function PreviewedRights({ preview: { examined, affected, items, warnings } }: PreviewProps) {
  return (
    <Alert
      title={`${affected} of ${examined} people are concerned`}
      color={affected > 0 ? 'yellow' : 'teal'}
      variant="light"
    >
      <Stack gap={4}>
        {items.map(({ user, privileges }) => (
          <Text size="sm" key={user.id}>
            {user.email}: {privileges.map(({ privilege, change }) => `${privilege} ${change}`).join('; ')}
          </Text>
        ))}
        {warnings.map(({ message }) => (
          <Text size="sm" key={message} fw={600}>
            {message}
          </Text>
        ))}
        {affected === 0 && warnings.length === 0 && <Text size="sm">No member gains or loses anything.</Text>}
      </Stack>
      <details>
        <summary>All details</summary>
        <Code block>{JSON.stringify(items, null, 2)}</Code>
      </details>
    </Alert>
  );
}
