import { Alert, Code, Stack, Text } from '@mantine/core';

interface Props {
  preview: {
    examined: number;
    affected: number;
    items: { user: { id: string; email: string }; privileges: { privilege: string; change: string }[] }[];
    warnings: { code: string; message: string }[];
  };
}

/** Users and groups whose rights a change of policies would change. */
export function PreviewedRights({ preview: { examined, affected, items, warnings } }: Props) {
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
