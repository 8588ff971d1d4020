import { Alert, Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { api, take } from '../api/client.ts';
import { currentView, enterView, leaveView } from '../api/view.ts';

/** Notes that everything is shown as another person sees it, and ends that. */
export function ViewBanner() {
  const view = currentView();
  if (!view) return null;
  const end = new Date(view.until).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  return (
    <Alert color="yellow" variant="light" role="status" className="view-banner" aria-label="View">
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm">
          You see this account as <bdi>{view.name}</bdi>, with the rights to read of both of you, until {end}.
          Nothing can be changed. The audit log names you.
        </Text>
        <Button size="compact-sm" flex="none" variant="default" onClick={leaveView}>
          End the view
        </Button>
      </Group>
    </Alert>
  );
}

/** Begins a view as a person of the account, in this tab. */
export function useView() {
  const queries = useQueryClient();
  return async (person: { id: string; name: string }): Promise<void> => {
    const { token, until } = await take(api.POST('/v1/account/views', { body: { user: person.id } }));
    queries.clear();
    enterView({ token, until, name: person.name });
  };
}
