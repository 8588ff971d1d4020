import { Button, Card, Group, Select, Text } from '@mantine/core';
import type { Privilege } from '@ploidy/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { groups } from '../../api/account.ts';
import { projects, type Shape } from '../../api/lists.ts';
import { policyOf } from './grants.ts';

const grants: { value: string; label: string; privileges: Privilege[] }[] = [
  { value: 'readMaskedData', label: 'see masked data', privileges: ['readMaskedData'] },
  { value: 'readData', label: 'see all data', privileges: ['readData'] },
  {
    value: 'write',
    label: 'add, change and see data',
    privileges: ['readData', 'createData', 'updateData'],
  },
];

/** The commonest grants: a group may see or change the data of a project. */
export function Recipe({ propose }: { propose: (policy: Partial<Shape<'NamedPolicy'>>) => void }) {
  const { data: groupList = [] } = useQuery(groups());
  const { data: projectList = [] } = useQuery(projects());
  const [group, setGroup] = useState<string | null>(null);
  const [project, setProject] = useState<string | null>(null);
  const [grant, setGrant] = useState<string | null>('readMaskedData');
  const chosen = grants.find(({ value }) => value === grant);
  const make = (): void => {
    const nameOf = (list: { id: string; name: string }[], id: string | null) =>
      list.find((one) => one.id === id)?.name ?? '';
    const conditions = [
      { attribute: 'user.groups', comparison: 'includes', value: group ?? '' },
      { attribute: 'resource.dataset', comparison: 'equals', value: project ?? '' },
    ];
    propose({
      name: `${nameOf(groupList, group)} may ${chosen?.label} of ${nameOf(projectList, project)}`,
      policy: policyOf((chosen?.privileges ?? []).map((privilege) => ({ privilege, conditions }))),
    });
  };
  return (
    <Card withBorder padding="sm">
      <Group align="end">
        <Select
          label="Let the group"
          data={groupList.map(({ id, name }) => ({ value: id, label: name }))}
          value={group}
          onChange={setGroup}
        />
        <Select label="do" data={grants} value={grant} onChange={setGrant} allowDeselect={false} />
        <Select
          label="in the project"
          data={projectList.map(({ id, name }) => ({ value: id, label: name }))}
          value={project}
          onChange={setProject}
        />
        <Button variant="default" disabled={group === null || project === null} onClick={make}>
          Propose a policy
        </Button>
      </Group>
      <Text size="sm" mt={4}>
        You see the effect of the policy before it is saved.
      </Text>
    </Card>
  );
}
