import { useQuery } from '@tanstack/react-query';
import { ButtonLink } from '../shell/links.tsx';
import { type Node, writeConditions } from './conditions.ts';
import { answerOf } from './study.ts';

/** Button with the number of subjects that pass a test, which opens their list: both ask the same test. */
export function SubjectsLink({ project, leaf }: { project: string; leaf: Node }) {
  const { data } = useQuery(answerOf({ datasetId: project, unit: 'patient', filter: leaf, aggregates: [] }));
  const count = data?.matched.patients;
  return (
    <ButtonLink
      size="compact-sm"
      variant="default"
      to="/projects/$project"
      params={{ project }}
      search={{ filter: writeConditions([{ is: leaf }]), view: 'subjects' }}
    >
      {count === undefined
        ? '… subjects'
        : `${count?.toLocaleString() ?? 'few'} ${count === 1 ? 'subject' : 'subjects'}`}
    </ButtonLink>
  );
}
