import { ActionIcon, Badge, Button, Group, Menu, Stack, Text, Title } from '@mantine/core';
import type { Privilege } from '@ploidy/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { account, api, take } from '../../api/client.ts';
import { bytesText } from '../../api/files.ts';
import type { Shape } from '../../api/lists.ts';
import { Ask } from '../../shell/Ask.tsx';
import { Confirm } from '../../shell/Confirm.tsx';
import { reportError } from '../../shell/Feedback.tsx';
import { AnchorLink, MenuItemLink } from '../../shell/links.tsx';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';

type Project = Shape<'Project'>;

const has = ({ rights = [] }: Project, wanted: Privilege): boolean =>
  rights.some(({ privilege }) => privilege === wanted);
const mayAdminister = (project: Project): boolean => has(project, 'projectAdmin');

/** Projects that the user may know of: favourites first; searched, sorted, renamed, deleted and restored. */
export function ProjectTable({ projects }: { projects: Project[] }) {
  const favourites = useFavourites();
  const [doing, setDoing] = useState<{ action: 'rename' | 'delete'; project: Project }>();
  const change = useProjectChange();
  const rows = projects.toSorted((one, other) => favourites.rank(other.id) - favourites.rank(one.id));
  const close = (): void => setDoing(undefined);
  const columns: Column<Project>[] = [
    {
      name: 'favourite',
      width: 110,
      value: ({ id }) => favourites.rank(id),
      render: ({ id, name }) => (
        <ActionIcon
          size="sm"
          variant="subtle"
          aria-label={`Favourite ${name}`}
          aria-pressed={favourites.rank(id) > 0}
          onClick={() => favourites.toggle(id)}
        >
          {favourites.rank(id) > 0 ? '★' : '☆'}
        </ActionIcon>
      ),
    },
    {
      name: 'project',
      value: ({ name }) => name,
      render: ({ id, name }) => (
        <AnchorLink size="sm" fw={600} to="/projects/$project" params={{ project: id }}>
          <bdi>{name}</bdi>
        </AnchorLink>
      ),
    },
    { name: 'description', value: ({ description }) => description },
    { name: 'you may', value: rightsText },
    { name: 'files', value: ({ counts }) => counts?.files, numeric: true },
    {
      name: 'size',
      value: ({ counts }) => counts?.bytes,
      render: ({ counts }) => counts && bytesText(counts.bytes),
      numeric: true,
    },
    {
      name: 'changed',
      isTime: true,
      width: 180,
      value: ({ counts }) => counts?.changedAt && new Date(counts.changedAt).toISOString(),
    },
    {
      name: 'actions',
      isAction: true,
      width: 230,
      value: () => '',
      render: (project) =>
        project.deletionDate ? (
          <Group gap={4} wrap="nowrap">
            <Badge color="red.9">{countdown(project.deletionDate)}</Badge>
            {mayAdminister(project) && (
              <Button
                size="compact-xs"
                variant="default"
                onClick={() => void change(project.id, { deletionDate: null }).catch(reportError)}
              >
                Restore
              </Button>
            )}
          </Group>
        ) : (
          mayAdminister(project) && (
            <Menu position="bottom-end">
              <Menu.Target>
                <ActionIcon size="sm" variant="default" aria-label={`Actions for ${project.name}`}>
                  ⋯
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item onClick={() => setDoing({ action: 'rename', project })}>Rename</Menu.Item>
                {has(project, 'accessAdmin') && (
                  <MenuItemLink to="/account/people" search={{ tab: 'access', project: project.id }}>
                    Access
                  </MenuItemLink>
                )}
                <Menu.Item color="red" onClick={() => setDoing({ action: 'delete', project })}>
                  Delete
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          )
        ),
    },
  ];
  return (
    <Stack component="section" gap="xs">
      <Title order={2} size="h4">
        All projects
      </Title>
      <Grid name="Projects" columns={columns} rows={rows} />
      {doing?.action === 'rename' && (
        <Ask
          title={`Rename ${doing.project.name}`}
          action="Rename"
          fields={[
            { name: 'name', label: 'Name', value: doing.project.name },
            {
              name: 'description',
              label: 'Description',
              value: doing.project.description ?? '',
              optional: true,
            },
          ]}
          run={(body) => change(doing.project.id, body)}
          close={close}
        />
      )}
      {doing?.action === 'delete' && (
        <Confirm
          title={`Delete ${doing.project.name}?`}
          action="Delete"
          typed={doing.project.name}
          run={() => change(doing.project.id, undefined)}
          close={close}
        >
          <Text size="sm">
            All files, tables, cohorts and query results of the project will be removed after a grace period.
            Until then it can be restored.
          </Text>
        </Confirm>
      )}
    </Stack>
  );
}

/** Changes a project, or deletes it where no change is given, and asks for the list anew. */
function useProjectChange() {
  const queries = useQueryClient();
  return async (
    id: string,
    body: { name?: string; description?: string; deletionDate?: null } | undefined,
  ): Promise<void> => {
    const path = { params: { path: { id } } };
    await (body
      ? take(api.PATCH('/v1/projects/{id}', { ...path, body }))
      : take(api.DELETE('/v1/projects/{id}', path)));
    await queries.invalidateQueries({ queryKey: ['projects'] });
  };
}

/** Words for the rights of a person in a project, the widest alone. */
function rightsText({ rights = [] }: Project): string {
  const has = (name: string) => rights.find(({ privilege }) => privilege === name);
  const part = (name: string, word: string): string[] => {
    const right = has(name);
    return right ? [right.isWhole ? word : `${word} in part`] : [];
  };
  const reading = has('readData') ? part('readData', 'read') : part('readMaskedData', 'read masked');
  return [...reading, ...part('createData', 'add'), ...part('projectAdmin', 'administer')].join(', ');
}

function countdown(date: string): string {
  const hours = Math.max(0, (Date.parse(date) - Date.now()) / 3_600_000);
  return hours > 48 ? `Removed in ${Math.round(hours / 24)} days` : `Removed in ${Math.ceil(hours)} hours`;
}

interface Favourites {
  /** 1 for a favourite, else 0. */
  rank: (id: string) => number;
  toggle: (id: string) => void;
}

/** Reads favourite projects of an account from the storage of the browser, where they are ids alone. */
function useFavourites(): Favourites {
  const key = `favourites:${account()}`;
  const [ids, setIds] = useState<readonly string[]>(() => read(key));
  return {
    rank: (id) => (ids.includes(id) ? 1 : 0),
    toggle: (id) => {
      const changed = ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id];
      localStorage.setItem(key, JSON.stringify(changed));
      setIds(changed);
    },
  };
}

function read(key: string): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : [];
  } catch {
    // Another program wrote there: nothing is a favourite.
    return [];
  }
}
