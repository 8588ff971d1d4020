import { Alert, Button, Group, List, Select } from '@mantine/core';
import type { Privilege } from '@ploidy/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { members } from '../../api/account.ts';
import { api, take } from '../../api/client.ts';
import { projects } from '../../api/lists.ts';
import { ErrorAlert } from '../../shell/Feedback.tsx';
import { privileges } from './grants.ts';

/** Explains why a user may, or may not, do something in a project. */
export function Explain({ manages }: { manages: boolean }) {
  const { data: people = [] } = useQuery(members());
  const { data: projectList = [] } = useQuery(projects());
  const [user, setUser] = useState<string | null>(null);
  const [privilege, setPrivilege] = useState<Privilege>('readData');
  const [project, setProject] = useState<string | null>(null);
  const work = useMutation({
    mutationFn: () =>
      take(
        api.POST('/v1/policies/explain', {
          body: {
            ...(user !== null && { user }),
            privilege,
            resource: project === null ? { type: 'account' } : { dataset: project, type: 'table' },
          },
        }),
      ),
  });
  return (
    <>
      <Group align="end" mb="md">
        {manages && (
          <Select
            label="May"
            placeholder="you"
            searchable
            clearable
            data={people.map(({ id, profile }) => ({
              value: id,
              label: profile.name || profile.email || id,
            }))}
            value={user}
            onChange={setUser}
          />
        )}
        <Select
          label={manages ? 'do' : 'May you do'}
          data={privileges}
          value={privilege}
          allowDeselect={false}
          w={340}
          onChange={(value) => value !== null && setPrivilege(value)}
        />
        <Select
          label="in"
          placeholder="the account"
          searchable
          clearable
          data={projectList.map(({ id, name }) => ({ value: id, label: name }))}
          value={project}
          onChange={setProject}
        />
        <Button onClick={() => work.mutate()} loading={work.isPending}>
          Explain
        </Button>
      </Group>
      {work.error && <ErrorAlert error={work.error} />}
      {work.data && (
        <Alert
          color={work.data.allowed ? 'teal' : 'red'}
          variant="light"
          title={work.data.allowed ? 'Yes' : 'No'}
          role="status"
        >
          <List size="sm">
            {work.data.because.map((reason) => (
              <List.Item key={reason}>{withNames(reason)}</List.Item>
            ))}
          </List>
        </Alert>
      )}
    </>
  );
}

/** Shows a group by its name alone, where the reason has its id before it. */
function withNames(reason: string): string {
  return reason.replace(/"[0-9a-f-]{36}" \(([^)]+)\)/g, '"$1"');
}
