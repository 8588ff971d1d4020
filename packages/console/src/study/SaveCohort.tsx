import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { api, take } from '../api/client.ts';
import { useMay } from '../api/lists.ts';
import { Ask } from '../shell/Ask.tsx';
import { notify } from '../shell/Feedback.tsx';
import { type Conditions, namesCohort, nodeOf } from './conditions.ts';
import { readPatients, type Unit } from './study.ts';

interface Props {
  project: string;
  unit: Unit;
  conditions: Conditions;
  count: number | null | undefined;
}

/**
 * Button that saves the subjects who pass the conditions as a cohort. The query of a cohort names no other: then the subjects
 * themselves are saved.
 */
export function SaveCohort({ project, unit, conditions, count }: Props) {
  const queries = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure();
  const maySave = useMay('createData', { dataset: project, type: 'cohort' });
  if (!maySave) return null;
  const filter = nodeOf(conditions);
  const isFixed = namesCohort(filter);
  const save = async ({ name = '', description = '' }: Record<string, string>): Promise<void> => {
    const members = isFixed
      ? { subjectIds: await readPatients({ datasetId: project, unit, filter }, Number.POSITIVE_INFINITY) }
      : { queries: [{ project, queryType: 'study' as const, query: { filter, unit } }] };
    await take(api.POST('/v1/cohorts', { body: { name, description, ownerProject: project, ...members } }));
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
        >
          {isFixed && (
            <Text size="sm">
              A cohort that is made of cohorts keeps the subjects that are found now; it does not follow new
              data.
            </Text>
          )}
        </Ask>
      )}
    </>
  );
}
