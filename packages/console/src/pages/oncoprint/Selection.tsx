import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { api, take } from '../../api/client.ts';
import { useMay } from '../../api/lists.ts';
import { Ask } from '../../shell/Ask.tsx';
import { notify } from '../../shell/Feedback.tsx';
import { ButtonLink } from '../../shell/links.tsx';
import { type Conditions, type Node, nodeOf, writeConditions } from '../../study/conditions.ts';
import type { Unit } from '../../study/study.ts';

interface Props {
  project: string;
  unit: Unit;
  /** Ids of the chosen subjects, and of their patients. */
  ids: readonly string[];
  patients: readonly string[];
  conditions: Conditions;
  change: (conditions: Conditions) => void;
  clear: () => void;
}

/** Ids that an address names; more are kept as a cohort. */
const namedMax = 200;

/** Writes two groups of a comparison: the chosen subjects, and the others that pass the conditions. */
function againstOthers(is: Node, conditions: Conditions): string {
  const filter = nodeOf(conditions);
  return JSON.stringify([
    { name: 'Chosen', is: { and: [filter, is] } },
    { name: 'Others', is: { and: [filter, { not: is }] } },
  ]);
}

/** Number of chosen subjects, and ways on with them. */
export function Selection({ project, unit, ids, patients, conditions, change, clear }: Props) {
  const queries = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure();
  const maySave = useMay('createData', { dataset: project, type: 'cohort' });
  if (ids.length === 0) return null;
  const is = unit === 'sample' ? { samples: [...ids] } : { patients: [...ids] };
  const isShort = ids.length <= namedMax;
  const [patient] = patients;
  const save = async ({ name = '', description = '' }: Record<string, string>): Promise<void> => {
    const body = { name, description, ownerProject: project, subjectIds: [...patients] };
    const { id } = await take(api.POST('/v1/cohorts', { body }));
    await queries.invalidateQueries({ queryKey: ['cohorts', project] });
    notify(`The cohort ${name} is saved.`);
    if (!isShort) change([...conditions, { is: { cohort: id } }]);
  };
  return (
    <Group gap="xs" component="section" aria-label="Chosen subjects">
      <Text size="sm" fw={600} role="status">
        {ids.length.toLocaleString()} {unit === 'sample' ? 'samples' : 'subjects'} chosen
      </Text>
      {isShort && (
        <>
          <Button size="compact-sm" variant="light" onClick={() => change([...conditions, { is }])}>
            Only these
          </Button>
          <Button
            size="compact-sm"
            variant="light"
            onClick={() => change([...conditions, { is, not: true }])}
          >
            Without these
          </Button>
          <ButtonLink
            size="compact-sm"
            variant="light"
            to="/projects/$project"
            params={{ project }}
            search={{ filter: writeConditions([...conditions, { is }]), unit }}
          >
            Show in the study
          </ButtonLink>
          <ButtonLink
            size="compact-sm"
            variant="light"
            to="/projects/$project/compare"
            params={{ project }}
            search={{ groups: againstOthers(is, conditions), unit, tab: 'survival' }}
          >
            Compare survival with the others
          </ButtonLink>
        </>
      )}
      {patients.length === 1 && patient !== undefined && (
        <ButtonLink
          size="compact-sm"
          variant="light"
          to="/projects/$project/subjects/$patient"
          params={{ project, patient }}
        >
          Open the subject
        </ButtonLink>
      )}
      {maySave && patients.length > 0 && (
        <Button size="compact-sm" variant="light" onClick={open}>
          Save as cohort
        </Button>
      )}
      <Button size="compact-sm" variant="subtle" onClick={clear}>
        Clear
      </Button>
      {isOpen && (
        <Ask
          title={`Save ${patients.length.toLocaleString()} subjects as a cohort`}
          action="Save"
          fields={[
            { name: 'name', label: 'Name' },
            { name: 'description', label: 'Description', optional: true },
          ]}
          run={save}
          close={close}
        />
      )}
    </Group>
  );
}
