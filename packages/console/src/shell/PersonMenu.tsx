import { Button, Menu, Text, useMantineColorScheme, VisuallyHidden } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { account, api, chooseAccount, take } from '../api/client.ts';
import { accounts, self } from '../api/lists.ts';
import { at, keptAs } from '../api/place.ts';
import { forgetView } from '../api/view.ts';
import { reportError } from './Feedback.tsx';

/** Ends the session of this browser, and forgets what it was about, also when the service cannot be reached. */
async function signOut(): Promise<void> {
  // A view shows no session.
  forgetView();
  try {
    const { items } = await take(api.GET('/v1/sessions'));
    const current = items.find((one) => one.current);
    if (current) await take(api.DELETE('/v1/sessions/{id}', { params: { path: { id: current.id } } }));
    location.assign(at('/v1/oauth/sign-in'));
  } finally {
    for (const storage of [localStorage, sessionStorage])
      for (const key of Object.keys(storage)) if (key.startsWith(keptAs(''))) storage.removeItem(key);
  }
}

/** The menu of the signed-in user: account, colours, signing out. */
export function PersonMenu() {
  const { data: user } = useQuery(self);
  const { data: list = [] } = useQuery(accounts);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const name = user?.profile.name || user?.profile.email || 'Me';
  const choose = (id: string): void => {
    chooseAccount(id);
    queries.clear();
    void navigate({ to: '/' });
  };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <Button variant="default" size="sm" maw={260} px={{ base: 'xs', sm: 'md' }} flex="none">
          <VisuallyHidden>{name}</VisuallyHidden>
          <Text span inherit hiddenFrom="sm" aria-hidden="true">
            {initialsOf(name)}
          </Text>
          <Text span inherit truncate visibleFrom="sm" aria-hidden="true">
            {name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{user?.profile.email}</Menu.Label>
        <Menu.Item onClick={() => void navigate({ to: '/me' })}>Profile, sessions, keys</Menu.Item>
        <Menu.Divider />
        <Menu.Label>Account</Menu.Label>
        {list.map(({ id, name }) => (
          <Menu.Item key={id} onClick={() => choose(id)} fw={id === account() ? 700 : 400}>
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        {(['auto', 'light', 'dark'] as const).map((scheme) => (
          <Menu.Item
            key={scheme}
            onClick={() => setColorScheme(scheme)}
            fw={scheme === colorScheme ? 700 : 400}
          >
            {{ auto: 'As the system', light: 'Light', dark: 'Dark' }[scheme]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut().catch(reportError)}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** First letters of the first and the last word of a name, where there is no room for it. */
function initialsOf(name: string): string {
  const words = name.split(/[\s@]+/).filter((word) => word !== '');
  return [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => word?.slice(0, 1).toUpperCase() ?? '')
    .join('');
}
