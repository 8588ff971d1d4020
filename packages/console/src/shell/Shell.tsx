import { AppShell, Burger, Group, NavLink, type NavLinkProps, ScrollArea, Select, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { createLink, Outlet, useNavigate, useParams } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { account, api, chooseAccount, take } from '../api/client.ts';
import { accounts, projects, useMay } from '../api/lists.ts';
import { Loaded } from './Feedback.tsx';
import { AnchorLink } from './links.tsx';
import { PersonMenu } from './PersonMenu.tsx';

const pages = [
  ['Study', '/projects/$project'],
  ['Genes and variants', '/projects/$project/variants'],
  ['Cohorts', '/projects/$project/cohorts'],
  ['Compare', '/projects/$project/compare'],
  ['Plots', '/projects/$project/plots'],
  ['Reports', '/projects/$project/reports'],
  ['SQL', '/projects/$project/sql'],
  ['Files', '/projects/$project/files'],
  ['Genome', '/projects/$project/genome'],
] as const;

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
        return <Frame />;
      }}
    </Loaded>
  );
}

function Frame() {
  const [opened, { toggle, close }] = useDisclosure();
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
          <PersonMenu />
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
              {pages.map(([label, to]) => (
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
          {mayAudit && <MenuLink to="/account/audit" label="Audit" {...entry} />}
          <MenuLink to="/me" label="Me" {...entry} />
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
