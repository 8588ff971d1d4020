import { Anchor, AppShell, Burger, Group, NavLink, ScrollArea, Select, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useParams, useRouterState } from '@tanstack/react-router';
import { account, api, chooseAccount, take } from '../api/client.ts';
import { accounts, projects, useMay } from '../api/lists.ts';
import { Loaded } from './Feedback.tsx';
import { PersonMenu } from './PersonMenu.tsx';

const pages = [
  ['Overview', ''],
  ['Subjects', '/subjects'],
  ['Variants', '/variants'],
  ['Cohorts', '/cohorts'],
  ['SQL', '/sql'],
  ['Files', '/files'],
  ['Genome', '/genome'],
] as const;

/** The frame around every page. An account is chosen before anything is asked for. */
export function Shell() {
  const query = useQuery(accounts);
  return (
    <Loaded query={query}>
      {(list) => {
        if (!list.some(({ id }) => id === account())) chooseAccount(list[0]?.id ?? '');
        return <Frame />;
      }}
    </Loaded>
  );
}

function Frame() {
  const [opened, { toggle, close }] = useDisclosure();
  const { project } = useParams({ strict: false });
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const mayConnect = useMay('accountAdmin');
  const mayAudit = useMay('auditRead', { type: 'audit' });
  const entry = (label: string, to: string) => (
    <NavLink
      key={to}
      component={Link}
      to={to}
      activeOptions={{ exact: true }}
      label={label}
      active={path === to}
      variant="filled"
      aria-current={path === to ? 'page' : undefined}
      onClick={close}
    />
  );
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
            <Anchor component={Link} to="/" fw={700} fz="lg" underline="never">
              Ploidy
            </Anchor>
            <ProjectPicker />
          </Group>
          <PersonMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
        <ScrollArea>
          {entry('Home', '/')}
          {project !== undefined && (
            <>
              <Text size="xs" fw={600} px="sm" pt="md" pb={4}>
                Project
              </Text>
              {pages.map(([label, end]) => entry(label, `/projects/${project}${end}`))}
            </>
          )}
          <Text size="xs" fw={600} px="sm" pt="md" pb={4}>
            Account
          </Text>
          {entry('People and access', '/account/people')}
          {mayConnect && entry('Connections', '/account/connections')}
          {entry('Work and storage', '/account/work')}
          {mayAudit && entry('Audit', '/account/audit')}
          {entry('Me', '/me')}
          <NavLink component="a" href="/docs" label="API description" />
          <Version />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}

function Version() {
  const { data } = useQuery({ queryKey: ['version'], queryFn: () => take(api.GET('/v1/version')) });
  return (
    <Text size="xs" c="var(--soft)" px="sm" pt="md">
      {data && `Ploidy ${data.version}`}
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
      w={{ base: 150, sm: 260 }}
      size="sm"
    />
  );
}
