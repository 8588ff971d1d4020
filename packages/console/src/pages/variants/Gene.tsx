import { Button, Group, Switch, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { keptAs } from '../../api/place.ts';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { ButtonLink } from '../../shell/links.tsx';
import { type Leaf, type Node, writeConditions } from '../../study/conditions.ts';
import { answerOf } from '../../study/study.ts';
import { changeForms } from '../../study/variant-test.ts';
import { shownShare } from '../../words/dictionary.ts';
import { GeneSurvival } from './GeneSurvival.tsx';
import { Lollipop } from './Lollipop.tsx';
import { Away, Mutations } from './Mutations.tsx';
import { geneLinks, identifiersOf, mutationsIn, mutationsOf, wordsOf } from './mutations.ts';
import { OtherChanges } from './OtherChanges.tsx';

interface Props {
  project: string;
  gene: string;
  /** Change of the protein that is chosen, in the short form. */
  change: string | undefined;
  choose: (change: string) => void;
}

/** A gene: its mutations along the protein and one by one, its other changes, and the survival of their carriers. */
export function Gene({ project, gene, change, choose }: Props) {
  const [hasLinks, setLinks] = useLocalStorage({ key: keptAs('outside-links'), defaultValue: true });
  const { data: answer } = useQuery(
    answerOf({
      datasetId: project,
      unit: 'patient',
      filter: { and: [] },
      aggregates: [{ id: 'genes', kind: 'genes', alteration: 'mutation', top: 500, search: gene }],
    }),
  );
  const counted = answer?.results['genes']?.genes?.items.find((item) => item.gene === gene);
  const leaf: Leaf = {
    alteration: {
      genes: [gene],
      kinds: ['mutation'],
      ...(change && { proteinChanges: changeForms(change) }),
    },
  };
  return (
    <>
      <Group justify="space-between">
        <Group gap="xs">
          <SubjectsLink project={project} leaf={leaf} />
          {change && (
            <Button size="compact-sm" variant="default" onClick={() => choose('')}>
              {change} ×
            </Button>
          )}
          <Text size="sm" role="status">
            {counted && profiledText(counted)}
          </Text>
        </Group>
        <Group gap="sm">
          {hasLinks && <Away links={geneLinks(gene)} />}
          <Switch
            size="xs"
            label="Links to other services"
            checked={hasLinks}
            onChange={(event) => setLinks(event.currentTarget.checked)}
          />
        </Group>
      </Group>
      <Mutated {...{ project, gene, change, choose, hasLinks }} profiled={counted?.profiled ?? undefined} />
      <OtherChanges project={project} gene={gene} />
      <GeneSurvival project={project} gene={gene} />
    </>
  );
}

interface MutatedProps extends Props {
  hasLinks: boolean;
  /** Subjects that are profiled for the gene; `undefined`: not known. */
  profiled: number | undefined;
}

/** Mutations of a gene along the protein and one by one. */
function Mutated({ change, choose, ...about }: MutatedProps) {
  const { project, gene } = about;
  const found = useQuery(mutationsOf(project, gene));
  const { data: described } = useQuery(wordsOf(project, gene));
  const { data: identifiers } = useQuery(identifiersOf(project, gene));
  const mutations = useMemo(
    () => mutationsIn(found.data ?? [], described ?? [], identifiers ?? []),
    [found.data, described, identifiers],
  );
  return (
    <Loaded query={found}>
      {(list) =>
        list.length === 0 ? (
          <Empty title={`No mutation of ${gene}`}>
            Silent changes and those outside of the protein are in the list of variants.
          </Empty>
        ) : (
          <>
            <Lollipop gene={gene} mutations={mutations} chosen={change} choose={choose} />
            <Mutations
              {...about}
              mutations={change ? mutations.filter((one) => one.change === change) : mutations}
            />
          </>
        )
      }
    </Loaded>
  );
}

interface Counted {
  onPanel: number | null;
  profiled: number | null;
  percent: number | null;
}

/** Returns the share of profiled subjects with a mutation in words. */
function profiledText({ onPanel, profiled, percent }: Counted): string {
  if (profiled === 0) return 'No subject is profiled for this gene.';
  const share = percent === null ? '' : `, ${shownShare(percent / 100)}`;
  return `Mutated in ${onPanel ?? 'few'} of ${profiled ?? 'few'} profiled subjects${share}.`;
}

/** Button with the number of subjects that pass a test, which opens their list: both ask the same test. */
function SubjectsLink({ project, leaf }: { project: string; leaf: Node }) {
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
