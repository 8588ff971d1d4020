import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { api, take } from '../../api/client.ts';
import { useMay } from '../../api/lists.ts';
import { Ask } from '../../shell/Ask.tsx';
import { notify } from '../../shell/Feedback.tsx';
import { type Conditions, nodeOf } from '../../study/conditions.ts';
import type { Unit } from '../../study/study.ts';

interface Props {
  project: string;
  unit: Unit;
  conditions: Conditions;
  count: number | null | undefined;
}

/** Button that saves the subjects who pass the conditions as a cohort. */
export function SaveCohort({ project, unit, conditions, count }: Props) {
  const queries = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure();
  const maySave = useMay('createData', { dataset: project, type: 'cohort' });
  if (!maySave) return null;
  const save = async ({ name = '', description = '' }: Record<string, string>): Promise<void> => {
    const query = { filter: nodeOf(conditions), unit };
    const body = {
      ...{ name, description, ownerProject: project },
      queries: [{ project, queryType: 'study' as const, query }],
    };
    await take(api.POST('/v1/cohorts', { body }));
    await queries.invalidateQueries({ queryKey: ['cohorts', project] });
    notify(`The cohort ${name} is saved.`);
  };
  return (
    <>
      <Button size="compact-sm" onClick={open} disabled={!count}>
        Save as cohort
      </Button>
      {isOpen && (
        <Ask
          title={`Save ${count?.toLocaleString() ?? ''} subjects as a cohort`}
          action="Save"
          fields={[
            { name: 'name', label: 'Name' },
            { name: 'description', label: 'Description', optional: true },
          ]}
          run={save}
          close={close}
        />
      )}
    </>
  );
}
