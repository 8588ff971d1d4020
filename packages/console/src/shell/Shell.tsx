import {
  Alert,
  AppShell,
  Burger,
  Button,
  Group,
  Kbd,
  NavLink,
  type NavLinkProps,
  ScrollArea,
  Select,
  Text,
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createLink, Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { type ComponentProps, lazy, Suspense, useEffect, useSyncExternalStore } from 'react';
import { account, api, chooseAccount, take } from '../api/client.ts';
import { accounts, projects, useMay } from '../api/lists.ts';
import { at } from '../api/place.ts';
import { connectionState, isConnected, serviceAnswers } from '../api/reachable.ts';
import { notePageShown, sessionState } from '../api/session.ts';
import { Empty, Loaded } from './Feedback.tsx';
import { AnchorLink } from './links.tsx';
import { projectPages } from './menu.ts';
import { PersonMenu } from './PersonMenu.tsx';
import { ViewBanner } from './ViewBanner.tsx';

const SignedOut = lazy(async () => ({ default: (await import('./SignedOut.tsx')).SignedOut }));
const Search = lazy(() => import('./Search.tsx').then(({ Search }) => ({ default: Search })));

/** An entry of the menu. */
const MenuLink = createLink((props: NavLinkProps & Omit<ComponentProps<'a'>, keyof NavLinkProps>) => (
  <NavLink component="a" {...props} />
));

/** The frame around every page. An account is chosen before anything is asked for. */
export function Shell() {
  const query = useQuery(accounts);
  return (
    <Loaded query={query}>
      {(list) => {
        if (!list.some(({ id }) => id === account())) chooseAccount(list[0]?.id ?? '');
        if (list.length === 0)
          return (
            <Empty title="You belong to no account" action={<PersonMenu />}>
              Ask an administrator for an invitation, then load this page anew.
            </Empty>
          );
        return <Frame />;
      }}
    </Loaded>
  );
}

function Frame() {
  const [opened, { toggle, close }] = useDisclosure();
  const [searches, search] = useDisclosure();
  const isSignedOut = useSyncExternalStore(sessionState.subscribe, sessionState.isSignedOut);
  useEffect(notePageShown, []);
  useHotkeys([['mod+K', search.open]], [], true);
  const { project } = useParams({ strict: false });
  const mayConnect = useMay('accountAdmin');
  const mayAudit = useMay('auditRead', { type: 'audit' });
  const entry = {
    activeOptions: { exact: true, includeSearch: false },
    activeProps: { active: true },
    variant: 'filled',
    onClick: close,
  } as const;
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 210, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="md"
      // While it moves, a page is wider than a narrow screen.
      transitionDuration={0}
    >
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group wrap="nowrap" gap="sm">
            <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Menu" />
            <AnchorLink to="/" fw={700} fz="lg" underline="never">
              Ploidy
            </AnchorLink>
            <ProjectPicker />
          </Group>
          <Group wrap="nowrap" gap="xs">
            <Button
              variant="default"
              size="sm"
              px={{ base: 'xs', sm: 'md' }}
              onClick={search.open}
              flex="none"
            >
              <VisuallyHidden>Search</VisuallyHidden>
              <span aria-hidden="true">
                <Text span inherit hiddenFrom="sm">
                  ⌕
                </Text>
                <Text span inherit visibleFrom="sm">
                  Search
                </Text>
              </span>
              <Kbd size="xs" ml="xs" visibleFrom="md">
                Ctrl K
              </Kbd>
            </Button>
            <PersonMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
        <ScrollArea>
          <MenuLink to="/" label="Home" {...entry} />
          {project !== undefined && (
            <>
              <Text size="xs" fw={600} px="sm" pt="md" pb={4}>
                Project
              </Text>
              {projectPages
                .filter(([, to]) => to !== '/projects/$project/oncoprint')
                .map(([label, to]) => (
                  <MenuLink key={to} to={to} params={{ project }} label={label} {...entry} />
                ))}
            </>
          )}
          <Text size="xs" fw={600} px="sm" pt="md" pb={4}>
            Account
          </Text>
          <MenuLink to="/account/people" label="People and access" {...entry} />
          {mayConnect && <MenuLink to="/account/connections" label="Connections" {...entry} />}
          <MenuLink to="/account/work" label="Work and storage" {...entry} />
          {mayConnect && <MenuLink to="/account/health" label="Health" {...entry} />}
          {mayAudit && <MenuLink to="/account/audit" label="Audit" {...entry} />}
          <MenuLink to="/me" label="Me" {...entry} />
          <NavLink component="a" href={at('/docs')} label="API description" />
          <Version />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <ViewBanner />
        <Reconnecting />
        <Outlet />
      </AppShell.Main>
      {isSignedOut && (
        <Suspense>
          <SignedOut />
        </Suspense>
      )}
      {searches && (
        <Suspense>
          <Search close={search.close} />
        </Suspense>
      )}
    </AppShell>
  );
}

function Version() {
  const { data } = useQuery({ queryKey: ['version'], queryFn: () => take(api.GET('/v1/version')) });
  return (
    <Text size="xs" c="var(--soft)" px="sm" pt="md">
      {data && (
        <span
          title={data.commit}
        >{`Ploidy ${data.version}${data.commit ? ` (${data.commit.slice(0, 8)})` : ''}`}</span>
      )}
    </Text>
  );
}

function ProjectPicker() {
  const { project } = useParams({ strict: false });
  const { data = [] } = useQuery(projects());
  const navigate = useNavigate();
  const options = data
    .filter(({ deletionDate }) => !deletionDate)
    .map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Select
      aria-label="Project"
      placeholder="Choose a project"
      searchable
      data={options}
      value={project ?? null}
      onChange={(id) => id !== null && void navigate({ to: '/projects/$project', params: { project: id } })}
      w={{ base: 120, sm: 260 }}
      size="sm"
    />
  );
}

/** A note while the service does not answer. When it is back, what failed is asked for again. */
function Reconnecting() {
  const connected = useSyncExternalStore(connectionState.subscribe, isConnected);
  const queries = useQueryClient();
  useEffect(() => {
    if (connected) return;
    void serviceAnswers().then(() =>
      queries.refetchQueries({ predicate: ({ state }) => state.status === 'error', type: 'active' }),
    );
  }, [connected, queries]);
  if (connected) return null;
  return (
    <Alert
      color="yellow"
      variant="light"
      role="status"
      className="reconnecting"
      title="Reconnecting…"
      styles={{ label: { color: 'var(--mantine-color-text)' } }}
    >
      The service does not answer. The page goes on when it is back; nothing that you wrote is lost.
    </Alert>
  );
}
