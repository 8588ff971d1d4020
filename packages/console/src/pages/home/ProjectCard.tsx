import { ActionIcon, Badge, Button, Card, Group, Menu, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { api, take } from '../../api/client.ts';
import { type Shape, useMay } from '../../api/lists.ts';
import { reportError } from '../../shell/Feedback.tsx';
import { AnchorLink } from '../../shell/links.tsx';
import { Ask, Confirm } from './later.ts';

/** One project: the way into it; renaming, deleting, restoring. */
export function ProjectCard({ project }: { project: Shape<'Project'> }) {
  const { id, name, description, deletionDate } = project;
  const [doing, setDoing] = useState<'rename' | 'delete'>();
  const queries = useQueryClient();
  const mayChange = useMay('projectAdmin', { dataset: id, type: 'project' });
  const path = { params: { path: { id } } };
  const change = async (body: {
    name?: string;
    description?: string;
    deletionDate?: null;
  }): Promise<void> => {
    await take(api.PATCH('/v1/projects/{id}', { ...path, body }));
    await queries.invalidateQueries({ queryKey: ['projects'] });
  };
  const remove = async (): Promise<void> => {
    await take(api.DELETE('/v1/projects/{id}', path));
    await queries.invalidateQueries({ queryKey: ['projects'] });
  };
  const close = (): void => setDoing(undefined);
  return (
    <Card withBorder>
      <Group justify="space-between" wrap="nowrap" align="start">
        <AnchorLink
          to="/projects/$project"
          params={{ project: id }}
          fw={600}
          style={{ overflowWrap: 'anywhere' }}
        >
          {name}
        </AnchorLink>
        {mayChange && !deletionDate && (
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon variant="default" aria-label={`Actions for ${name}`}>
                ⋯
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => setDoing('rename')}>Rename</Menu.Item>
              <Menu.Item color="red" onClick={() => setDoing('delete')}>
                Delete
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </Group>
      <Text size="sm" c="var(--soft)" lineClamp={3}>
        {description || 'No description'}
      </Text>
      {deletionDate && (
        <Group mt="sm">
          <Badge color="red.9">{countdown(deletionDate)}</Badge>
          {mayChange && (
            <Button
              size="xs"
              variant="default"
              onClick={() => void change({ deletionDate: null }).catch(reportError)}
            >
              Restore
            </Button>
          )}
        </Group>
      )}
      <Suspense>
        {doing === 'rename' && (
          <Ask
            title={`Rename ${name}`}
            action="Rename"
            fields={[
              { name: 'name', label: 'Name', value: name },
              { name: 'description', label: 'Description', value: description ?? '', optional: true },
            ]}
            run={change}
            close={close}
          />
        )}
        {doing === 'delete' && (
          <Confirm title={`Delete ${name}?`} action="Delete" typed={name} run={remove} close={close}>
            All files, tables, cohorts and query results of the project will be removed after a grace period.
            Until then it can be restored.
          </Confirm>
        )}
      </Suspense>
    </Card>
  );
}

function countdown(date: string): string {
  const hours = Math.max(0, (Date.parse(date) - Date.now()) / 3_600_000);
  return hours > 48 ? `Removed in ${Math.round(hours / 24)} days` : `Removed in ${Math.ceil(hours)} hours`;
}
